"""`wrac check`: each way in which ledger, archive and collection can disagree is found, named and mended."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from mock_pages import PAGES, START, handbook
from mock_qdrant import MockQdrant
from product import Finished, Workspace

from indexing import open_store
from ingest.check import Checked, Rule, check_site
from ingest.maintenance.session import open_session
from ingest.repair import Repaired, repair_site
from wrac.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite

SITE = "docs_site"


@dataclass
class Crawled:
    """A crawled site whose data folder each test spoils in its own way."""

    workspace: Workspace
    whole: Path
    site: MockSite

    def settings(self) -> object:
        return load_settings(environment=self.workspace.environment, data_dir=self.workspace.data)

    def check(self) -> Checked:
        with open_session(self.settings(), [SITE]) as session:
            return check_site(session, SITE)

    def repair(self) -> Repaired:
        with open_session(self.settings(), [SITE]) as session:
            return repair_site(session, check_site(session, SITE))

    def rules(self) -> dict[Rule, list[str]]:
        """Rules that are broken -> paths of the pages that break them."""
        found: dict[Rule, list[str]] = {}
        for each in self.check().violations:
            found.setdefault(each.rule, []).append(each.url.removeprefix(self.site.url))
        return found

    def sql(self, statement: str, *values: object) -> None:
        with contextlib.closing(sqlite3.connect(self.workspace.data / "ledger.sqlite")) as ledger, ledger:
            ledger.execute(statement, values)

    def points_of(self, path: str) -> tuple[str, ...]:
        return self.workspace.rows()[self.site.url + path].points


@pytest.fixture(scope="module")
def crawled_once(site: MockSite, embeddings: MockEmbeddings, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    site.routes = handbook(site.url)
    workspace = Workspace(tmp_path_factory.mktemp("check"), embeddings)
    workspace.write_site(site.url + START)
    run = workspace.crawl()
    assert run.code == 0, run
    whole = workspace.folder / "whole"
    shutil.copytree(workspace.data, whole)
    return Crawled(workspace, whole, site)


@pytest.fixture
def crawled(crawled_once: Crawled) -> Iterator[Crawled]:
    yield crawled_once
    shutil.rmtree(crawled_once.workspace.data)
    shutil.copytree(crawled_once.whole, crawled_once.workspace.data)


def ended(run: Finished, code: int) -> Finished:
    assert run.code == code, run
    assert "Traceback" not in run.everything
    return run


GAUGE = "/docs/install.html"
"""A page of several points."""


def test_a_crawled_site_is_whole(crawled: Crawled) -> None:
    found = crawled.check()
    assert found.violations == []
    assert found.pages == len(PAGES)
    assert found.points == len(crawled.workspace.points()) > found.pages
    said = ended(crawled.workspace.wrac("check"), 0).output
    assert f"{found.pages} pages, {found.points} points in 'docs': whole" in said


def test_nothing_was_crawled_yet(tmp_path: Path) -> None:
    refused = ended(Workspace(tmp_path).wrac("check"), 2)
    assert "nothing was crawled" in refused.errors


def test_a_site_that_is_not_known_is_named(crawled: Crawled) -> None:
    assert "no site 'elsewhere' was crawled" in ended(crawled.workspace.wrac("check", "elsewhere"), 2).errors


def test_a_page_that_lacks_points_is_written_again(crawled: Crawled, embeddings: MockEmbeddings) -> None:
    gone = crawled.points_of(GAUGE)[1:]
    assert gone, "the page must have several points"
    with crawled.workspace.collection() as client:
        client.delete("docs", list(gone))
    assert crawled.rules() == {Rule.LACKS_POINTS: [GAUGE]}
    before = set(crawled.workspace.points())
    embeddings.texts.clear()
    broken = ended(crawled.workspace.wrac("check", SITE, "--json"), 3)
    (violation,) = json.loads(broken.output)["violations"]
    assert violation["url"] == crawled.site.url + GAUGE
    assert violation["command"] == "wrac check docs_site --repair"
    mended = ended(crawled.workspace.wrac("check", SITE, "--repair"), 0)
    assert f"1 pages written again ({len(gone)} points added" in mended.output
    assert set(crawled.workspace.points()) == before | set(gone)
    assert embeddings.texts == [], "vectors come from the archive"


def test_a_lost_collection_is_written_again(crawled: Crawled, embeddings: MockEmbeddings) -> None:
    before = crawled.workspace.points()
    shutil.rmtree(crawled.workspace.data / "qdrant")
    assert sorted(crawled.rules()[Rule.LACKS_POINTS]) == sorted(page.path for page in PAGES)
    embeddings.texts.clear()
    crawled.repair()
    assert crawled.rules() == {}
    assert crawled.workspace.points() == before
    assert embeddings.texts == []


def test_points_of_another_version_are_deleted(crawled: Crawled) -> None:
    """What a crash between upsert and delete leaves behind, when no crawl goes on."""
    copy = add_copy(crawled, crawled.points_of(GAUGE)[0], "7e57ab1e-0000-5000-8000-000000000001")
    assert crawled.rules() == {Rule.STALE_POINTS: [GAUGE]}
    assert crawled.repair().synced.deleted == 1
    assert crawled.rules() == {}
    assert copy not in crawled.workspace.points()


def test_orphans_of_a_page_that_is_known_and_not_published_are_deleted(crawled: Crawled) -> None:
    points = set(crawled.points_of(GAUGE))
    crawled.sql("update pages set point_ids = '', state = 'tombstone' where url = ?", crawled.site.url + GAUGE)
    assert crawled.rules()[Rule.ORPHANS] == [GAUGE]
    assert crawled.repair().orphans == len(points)
    assert not points & set(crawled.workspace.points())
    assert crawled.rules() == {}, "the manifest says so too"


def test_orphans_wait_for_a_run_that_is_unfinished(crawled: Crawled) -> None:
    before = set(crawled.workspace.points())
    crawled.sql("update pages set point_ids = '', state = 'gathered' where url = ?", crawled.site.url + GAUGE)
    crawled.sql("update runs set state = 'running'")
    found = {each.rule: each for each in crawled.check().violations}
    assert found[Rule.STUCK_RUN].command == found[Rule.ORPHANS].command == "wrac crawl docs_site"
    done = crawled.repair()
    assert (done.orphans, "unfinished" in done.left) == (0, True)
    assert set(crawled.workspace.points()) == before


def test_a_few_orphans_of_unknown_pages_go_and_many_stay(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger that was replaced knows no page: what it does not know must not be deleted for that."""
    monkeypatch.setattr("ingest.repair.MOST_UNKNOWN", 0.3)  # the site is small: one point is more than a tenth
    stray = "7e57ab1e-0000-5000-8000-000000000002"
    add_copy(crawled, crawled.points_of(GAUGE)[0], stray, page_id="f" * 32)
    assert list(crawled.rules()) == [Rule.ORPHANS]
    assert crawled.repair().orphans == 1
    assert stray not in crawled.workspace.points()
    before = set(crawled.workspace.points())
    crawled.sql("delete from pages")
    crawled.sql("delete from publications")
    done = crawled.repair()
    assert done.orphans == 0
    assert "never met" in done.left
    assert set(crawled.workspace.points()) == before


def test_points_of_other_sites_are_none_of_ours(crawled: Crawled) -> None:
    add_copy(crawled, crawled.points_of(GAUGE)[0], "7e57ab1e-0000-5000-8000-000000000003", site="another")
    assert crawled.rules() == {}


def test_other_vectors_and_other_payloads_are_put_right(crawled: Crawled) -> None:
    points = crawled.points_of(GAUGE)
    with crawled.workspace.collection() as client:
        client.set_payload("docs", {"vectors_digest": "0" * 32}, list(points[:1]))
        client.set_payload("docs", {"payload_digest": "0" * 32}, list(points[1:2]))
    assert crawled.rules() == {Rule.OTHER_VECTORS: [GAUGE], Rule.OTHER_PAYLOAD: [GAUGE]}
    done = crawled.repair()
    assert (done.synced.upserted, done.synced.refreshed) == (1, 1)
    assert crawled.rules() == {}


FETCH_AGAIN = "wrac check docs_site --repair && wrac crawl docs_site"


def test_a_damaged_record_is_named_and_the_next_crawl_makes_it_again(crawled: Crawled) -> None:
    url = crawled.site.url + GAUGE
    ((record,),) = crawled.workspace.query(f"select published_record from pages where url = '{url}'")
    (file,) = (crawled.workspace.data / "archive").rglob(f"{record}.zst")
    file.write_bytes(file.read_bytes()[:20])
    found = crawled.check()
    assert [(each.rule, each.command) for each in found.violations] == [(Rule.NO_RECORD, FETCH_AGAIN)]
    assert crawled.repair().forgotten == 1
    assert crawled.rules() == {Rule.NO_RECORD: [GAUGE]}, "the body has to be read again"
    ended(crawled.workspace.crawl(), 0)
    assert crawled.rules() == {}


def test_missing_vectors_are_named(crawled: Crawled) -> None:
    shutil.rmtree(crawled.workspace.data / "archive" / "vectors")
    found = crawled.check()
    assert {each.rule for each in found.violations} == {Rule.NO_VECTORS}
    assert len(found.violations) == len(PAGES)


def test_a_page_that_is_listed_twice_is_named(crawled: Crawled) -> None:
    first, second = (crawled.site.url + path for path in (GAUGE, START))
    crawled.sql(
        "update pages set point_ids = point_ids || ' ' || (select point_ids from pages where url = ?) where url = ?",
        first,
        second,
    )
    rules = crawled.rules()
    assert sorted(rules[Rule.DUPLICATES]) == sorted([GAUGE, START])
    assert rules[Rule.OTHER_MANIFEST] == [START, START]
    crawled.repair()
    assert crawled.rules() == {}


def test_manifests_that_tell_something_else_are_put_right(crawled: Crawled) -> None:
    crawled.sql(
        "delete from publications where page_id = (select page_id from pages where url = ?)", crawled.site.url + GAUGE
    )
    crawled.sql("update manifests set completed_at = ''")
    assert crawled.rules() == {Rule.OTHER_MANIFEST: [GAUGE], Rule.OPEN_MANIFEST: [""]}
    crawled.repair()
    assert crawled.rules() == {}


def test_a_crawl_at_work_keeps_the_check_out(crawled: Crawled) -> None:
    """Half-written pages are no violation, so that it does not look at them."""
    with open_session(crawled.settings(), [SITE]):
        refused = ended(crawled.workspace.wrac("check", SITE), 5)
    assert "is being crawled by process" in refused.errors


def test_on_a_server(site: MockSite, embeddings: MockEmbeddings, tmp_path: Path) -> None:
    with MockQdrant() as server:
        workspace = Workspace(tmp_path, embeddings, WRAC_STORE=server.url)
        site.routes = handbook(site.url)
        workspace.write_site(site.url + START)
        ended(workspace.crawl(), 0)
        on_server = Crawled(workspace, tmp_path, site)
        assert on_server.rules() == {}
        gone = on_server.points_of(GAUGE)
        with open_store(on_server.settings(), "docs") as store:
            store.delete(gone)
            assert on_server.rules() == {Rule.LACKS_POINTS: [GAUGE]}
            assert on_server.repair().synced.upserted == len(gone)
            assert store.existing(gone) == set(gone)
        assert on_server.rules() == {}


def add_copy(crawled: Crawled, point: str, new: str, **payload: str) -> str:
    with crawled.workspace.collection() as client:
        (stored,) = client.retrieve("docs", [point], with_vectors=True, with_payload=True)
        from qdrant_client.models import PointStruct

        client.upsert("docs", [PointStruct(id=new, vector=stored.vector, payload=stored.payload | payload)])
    return new
