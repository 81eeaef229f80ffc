from pathlib import Path

from made_up_crawls import SITE, fetched, html

from ingest.archive import FileArchive
from ingest.explain import explain_url
from ingest.ledger import Ledger
from ingest.ledger.rows import VariantKind
from wrac.config import Settings
from wrac.records import Outcome

BUOY = html("Buoy", "The outer buoy shows a green light.").replace(b"<main>", b"<nav><a href=/x>Menu</a></nav><main>")


def explain(crawls, path):
    settings = Settings(**crawls.settings)
    with Ledger(settings.ledger_url) as ledger:
        return explain_url(ledger, FileArchive(settings.archive_url), SITE + path)


def test_a_page_is_explained_from_removals_to_points(crawls):
    head = b"<link rel=canonical href=/buoy.html>"
    crawls.crawl(
        fetched("buoy.html", BUOY, asked="old.html"),
        fetched("print.html", BUOY.replace(b"</title>", b"</title>" + head)),
    )
    [found] = explain(crawls, "buoy.html#light")
    assert found.row.outcome is Outcome.INDEXED
    assert any("Menu" in removal.preview for removal in found.record.removals)
    assert "green light" in found.record.chunks[0].text
    assert found.record.units
    assert len(found.row.point_ids) == 1
    assert found.recipe.indexing == "fake/1"
    assert found.variants == ((SITE + "old.html", VariantKind.REDIRECT), (SITE + "print.html", VariantKind.IDENTICAL))

    [variant] = explain(crawls, "print.html")
    assert variant.row.outcome is Outcome.DUPLICATE
    [decision] = variant.decisions
    assert decision.decision == "pass"
    assert decision.reason == f"has the same text as {SITE}buoy.html"


def test_a_damaged_record_is_said(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    for file in Path(crawls.settings["data_dir"]).rglob("pages/*/*.zst"):
        file.write_bytes(b"garbage")
    [found] = explain(crawls, "buoy.html")
    assert found.record is None
    assert "was damaged" in found.damage


def test_a_url_that_no_crawl_met_has_no_explanation(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    assert explain(crawls, "nowhere.html") == []
