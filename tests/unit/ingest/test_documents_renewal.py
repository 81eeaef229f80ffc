"""Documents made anew from the archive, as pages are: nothing is fetched, and only what changed is paid."""

from __future__ import annotations

import pytest
from made_up_crawls import InlinePool, fetched
from maintained import Maintained, pages
from pdf_files import BOLD, Page, column, pdf, text

from ingest.ledger.rows import RunKind

LINES = [f"Step {n} of the start asks for a look at gauge {n}, which must stand in its green field." for n in range(40)]
MANUAL = pdf([Page(text(72, 740, "Pumps", size=24, font=BOLD) + column(72, 700, LINES))], title="Pumps")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    monkeypatch.setattr("ingest.maintenance.remake.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(fetched("manual.pdf", MANUAL), *pages(2))
    return made


def recipes(site):
    return {row.url.rpartition("/")[2]: row.published_recipe for row in site.crawls.rows().values()}


def test_another_version_of_a_converter_reads_its_documents_again_and_no_page(site, monkeypatch):
    before, points = recipes(site), site.points()
    monkeypatch.setattr("ingest.page_settings.DOCUMENT_CONVERTERS", {"pdf": "pdf/next", "docx": "docx/1"})
    [done] = site.remake(RunKind.RECONVERT)
    assert (done.pages, done.changed, done.kept, site.embedded) == (3, 1, (), [])
    changed = {name for name, recipe in recipes(site).items() if recipe != before[name]}
    assert changed == {"manual.pdf"}
    assert {p["pages_total"] for p in site.points().values() if p["source_kind"] == "pdf"} == {1}
    assert set(site.points()) == set(points)
    [done] = site.remake(RunKind.RECONVERT)
    assert done.changed == 0


def test_replanning_a_document_keeps_its_pages_and_never_converts(site, monkeypatch):
    monkeypatch.setattr("ingest.page.converted", None)
    site.more = {"chunk_target_tokens": 60, "chunk_min_tokens": 30, "chunk_max_tokens": 100}
    before = len(site.points())
    site.remake(RunKind.REPLAN)
    of_pdf = [p for p in site.points().values() if p["source_kind"] == "pdf"]
    assert len(site.points()) > before
    assert {(tuple(p["pages"]), p["pages_ok"], p["source"].rpartition("#")[2]) for p in of_pdf} == {((1,), 1, "page=1")}
    summary = site.crawl(fetched("manual.pdf", MANUAL), *pages(2))
    assert {outcome.value: count for outcome, count in summary.outcomes.items()} == {"unchanged": 3}
