"""One suite for every ledger: states after manifests, what may not come back, and what leaves for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ingest.blocks import EVERYTHING, UrlPattern
from ingest.ledger import Ledger
from ingest.ledger.bills import Purpose, Spending
from ingest.ledger.rows import PageRow, PageState, Publication, RunKind
from wrac.recipe import Recipe
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from postgres_server import PostgresServer

RECIPE = Recipe("filters/1 html/1", "tree/1 rule/1", "minilm")
NOW = "2026-01-05T08:00:00+00:00"
POSTGRES = pytest.param("postgresql", marks=pytest.mark.requires("postgres"))


@pytest.fixture(params=["sqlite", POSTGRES])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.database()
    with Ledger(url) as opened:
        yield opened


def item(number: int, version: int = 1, *, withdrawn: bool = False) -> Publication:
    points = () if withdrawn else (f"point-{number}",)
    return Publication(f"p{number}", f"record-{number}-{version}", "md", RECIPE.digest, points, withdrawn=withdrawn)


def publish(ledger: Ledger, *items: Publication, site: str = "docs", kind: RunKind = RunKind.CRAWL) -> int:
    """The number of a manifest that is complete."""
    run = ledger.runs.start(site, first=False, collection="docs", recipe=RECIPE, started_at=NOW, kind=kind)
    for each in items:
        if ledger.pages.get(site, each.page_id) is None:
            row = PageRow(site, each.page_id, f"https://docs.test/{each.page_id}", body_digest=f"body-{each.page_id}")
            ledger.pages.save(row)
    ledger.pages.flush()
    manifest = ledger.publishes.open_manifest(run, NOW)
    rows = [
        PageRow(
            site,
            each.page_id,
            f"https://docs.test/{each.page_id}",
            state=PageState.LEAVING if each.withdrawn else PageState.LIVE,
            record=each.record,
            recipe=each.recipe,
            body_digest=f"body-{each.record}",
            fetched_at=NOW,
        )
        for each in items
    ]
    ledger.publishes.record(site, manifest, items, NOW, rows)
    ledger.publishes.complete_manifest(manifest, NOW)
    return manifest


def records(ledger: Ledger, manifest: int) -> set[str]:
    return {each.record for each in ledger.publishes.state_after("docs", manifest).values()}


def test_the_state_after_a_manifest_is_the_last_publication_of_each_page(ledger: Ledger) -> None:
    first = publish(ledger, item(1), item(2))
    publish(ledger, item(1), site="other")
    second = publish(ledger, item(1, 2), item(2, 1, withdrawn=True), item(3))
    third = publish(ledger, item(2, 3))
    assert records(ledger, first) == {"record-1-1", "record-2-1"}
    assert records(ledger, second) == {"record-1-2", "record-3-1"}
    assert records(ledger, third) == {"record-1-2", "record-2-3", "record-3-1"}
    kept = ledger.publishes.state_after("docs", first)["p1"]
    assert (kept.body_digest, kept.fetched_at, kept.point_ids) == ("body-record-1-1", NOW, ("point-1",))


def test_a_publish_that_changed_nothing_is_no_part_of_the_history(ledger: Ledger) -> None:
    first = publish(ledger, item(1), item(2))
    publish(ledger)
    last = publish(ledger, item(1, 2), kind=RunKind.REPLAN)
    assert [(m.manifest_id, m.pages) for m in ledger.publishes.history("docs")] == [(last, 1), (first, 2)]


def test_points_in_another_collection_leave_what_was_gathered_alone(ledger: Ledger) -> None:
    publish(ledger, item(1))
    waiting = PageRow("docs", "p1", "https://docs.test/p1", state=PageState.GATHERED, record="newer", recipe="old")
    ledger.pages.save(waiting)
    ledger.pages.flush()
    run = ledger.runs.start("docs", first=False, collection="docs", recipe=RECIPE, started_at=NOW)
    moved = Publication("p1", "record-1-1", "md", "other-recipe", ("point-1",))
    ledger.publishes.moved("docs", ledger.publishes.open_manifest(run, NOW), [moved], NOW)
    row = ledger.pages.get("docs", "p1")
    assert row is not None
    assert (row.state, row.record, row.recipe) == (PageState.GATHERED, "newer", "old")
    assert row.published_recipe == "other-recipe"


def test_old_manifests_go_and_later_states_stay(ledger: Ledger) -> None:
    first = publish(ledger, item(1), item(2), item(3))
    second = publish(ledger, item(1, 2), item(3, 1, withdrawn=True))
    third = publish(ledger, item(1, 3))
    before = records(ledger, second), records(ledger, third)
    assert ledger.erasing.drop_manifests("docs", second) == 1
    assert (records(ledger, second), records(ledger, third)) == before
    assert records(ledger, first) == {"record-2-1"}, "what later states are made of"
    assert [m.manifest_id for m in ledger.publishes.history("docs")] == [third, second]


def test_a_page_is_erased_with_all_that_tells_of_it_but_its_price(ledger: Ledger) -> None:
    manifest = publish(ledger, item(1), item(2))
    ledger.bills.add("docs", 1, Spending(Purpose.PLANNING, "m", Usage(7, 0, 3, 1), None), "p1")
    ledger.bills.keep_reply("k1", "{}", "p1")
    ledger.bills.keep_reply("k2", "{}", "p2")
    ledger.erasing.erase_pages("docs", ["p1"])
    assert ledger.pages.get("docs", "p1") is None
    assert records(ledger, manifest) == {"record-2-1"}
    assert (ledger.bills.find_reply("k1"), ledger.bills.find_reply("k2")) == (None, "{}")
    assert ledger.bills.of_page("docs", "p1") == []
    assert ledger.bills.of_site("docs")[0].usage == Usage(7, 0, 3, 1)
    assert ledger.erasing.references().record_keys == {"record-2-1"}


def test_a_site_is_erased_and_others_stay(ledger: Ledger) -> None:
    publish(ledger, item(1))
    publish(ledger, item(1), site="other")
    ledger.blocks.add("docs", [(EVERYTHING, "")], NOW)
    ledger.erasing.erase_site("docs")
    assert ledger.runs.sites() == ["other"]
    assert ledger.pages.known_ids("docs") == set()
    assert "https://docs.test/x" in ledger.blocks.of_site("docs")
    assert ledger.pages.get("other", "p1") is not None


def test_blocks_are_kept_by_site_and_can_be_lifted(ledger: Ledger) -> None:
    page, folder = UrlPattern.of("https://docs.test/a.html"), UrlPattern.of("https://docs.test/in/")
    for _ in range(2):
        ledger.blocks.add("docs", [(page, "https://docs.test/a.html"), (folder, "https://docs.test/in/")], NOW)
    blocks = ledger.blocks.of_site("docs")
    assert [url in blocks for url in ("http://docs.test/a.html/", "https://docs.test/in/b", "https://docs.test/c")] == [
        True,
        True,
        False,
    ]
    assert not ledger.blocks.of_site("other")
    assert ledger.blocks.remove("docs", page)
    assert not ledger.blocks.remove("docs", page)
    assert "https://docs.test/a.html" not in ledger.blocks.of_site("docs")


def test_replies_of_pages_that_nobody_knows_go(ledger: Ledger) -> None:
    publish(ledger, item(1))
    for key, page in (("k1", "p1"), ("k2", "gone"), ("k3", "")):
        ledger.bills.keep_reply(key, "{}", page)
    assert ledger.erasing.drop_lost_replies() == 1
    assert [ledger.bills.find_reply(key) for key in ("k1", "k2", "k3")] == ["{}", None, "{}"]


def test_vectors_are_dropped_by_key(ledger: Ledger) -> None:
    ledger.publishes.add_vectors([f"k{n}" for n in range(900)], "object")
    ledger.erasing.drop_vectors(f"k{n}" for n in range(1, 900))
    assert ledger.erasing.vector_objects() == {"k0": "object"}
