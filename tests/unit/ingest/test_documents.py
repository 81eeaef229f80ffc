"""Documents through the stages: what they become, and that whatever is wrong with one is its outcome."""

from __future__ import annotations

import importlib
import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from made_up_crawls import SITE, InlinePool, ended, fetched, html
from office_files import FLAT_TEXT, LETTER_2003, SHEET_2003, docx, paragraph
from pdf_files import BOLD, Page, column, pdf, text
from pptx import Presentation

from conversion.html import HtmlConverter
from conversion.versions import DOCUMENT_CONVERTERS
from ingest.documents import DOCUMENT_SECONDS, DocumentPage, pages_in_words, wait_for_program
from ingest.gather import GatherJob, seconds_for
from ingest.page import process_page
from ingest.page_records import PageRecord
from ingest.page_settings import PageSettings
from wrac.recipe import Recipe, Recipes
from wrac.records import FetchedPage, Outcome

FACTS = [
    "Prime the pump before the first start of the season, with the drain closed and the lid on.",
    "Water must be warm when it runs in, and never colder than five degrees in any part of the tank.",
    "Listen for the click of the float; when there is none, open the inlet by another quarter turn.",
]
HELP = [
    "Error E1 means that there is no water in the tank, or that the float hangs on its upper stop.",
    "Fill the tank by hand, free the float with a wooden stick, and start the pump once more.",
]


def manual(link: str = "") -> bytes:
    first = Page(
        text(72, 720, "Pump manual", size=24, font=BOLD) + column(72, 680, FACTS),
        links=[((72, 670, 200, 690), link)] if link else [],
    )
    return pdf([first, Page(text(72, 720, "Faults", size=18, font=BOLD) + column(72, 690, HELP))], title="Pump manual")


def processed(path: str, body: bytes, content_type: str = "application/octet-stream", **more: str):
    return process_page(fetched(path, body, content_type, **more), PageSettings())


# ---------------------------------------------------------------- what they become


def test_a_pdf_becomes_chunks_that_know_their_pages() -> None:
    done = processed("manual", manual(), "text/html")
    assert done.outcome.outcome is Outcome.INDEXED, done.outcome.reason
    record = done.record
    assert isinstance(record, PageRecord)
    assert (record.document.source_kind, record.metadata.title) == ("pdf", "Pump manual")
    assert record.pages == (DocumentPage(1, "text"), DocumentPage(2, "text"))
    assert record.pages_ok == 2
    assert record.chunks[0].pages[0] == 1
    assert record.chunks[-1].pages[-1] == 2
    told = " ".join(chunk.text for chunk in record.chunks)
    assert all(line in told for line in (*FACTS, *HELP))


def test_a_word_file_is_known_by_its_content_whatever_it_is_called() -> None:
    body = docx(paragraph("Pumps", style="H1") + "".join(map(paragraph, FACTS)))
    record = processed("download?id=7", body, "text/plain").record
    assert record is not None
    assert record.document.source_kind == "docx"
    assert record.chunks[0].heading_path == ("Pumps",)


def test_slides_are_the_pages_of_a_deck() -> None:
    deck = Presentation()
    for title, line in (("Start", FACTS[0]), ("Faults", HELP[0])):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, line
    file = io.BytesIO()
    deck.save(file)
    record = processed("deck", file.getvalue()).record
    assert record is not None
    assert record.document.source_kind == "pptx"
    assert [page.page for page in record.pages] == [1, 2]
    assert {page for chunk in record.chunks for page in chunk.pages} == {1, 2}


@pytest.mark.requires("soffice")
def test_what_was_written_anew_is_still_what_it_was() -> None:
    record = processed("letter", rb"{\rtf1\ansi Prime the pump before the first start of the season.\par}").record
    assert record is not None
    assert (record.document.source_kind, record.document.converter) == ("rtf", DOCUMENT_CONVERTERS["docx"])


def test_links_of_a_document_are_handed_on() -> None:
    assert [link.url for link in processed("manual.pdf", manual(f"{SITE}spare.html")).links] == [f"{SITE}spare.html"]


def test_the_headers_may_forbid_to_index_a_document() -> None:
    done = processed("manual.pdf", manual(), robots_tag="noindex")
    assert done.outcome.outcome is Outcome.NOINDEX
    assert "convert" not in done.seconds


def test_the_facts_of_a_page_tell_that_more_of_its_document_was_read() -> None:
    record = processed("manual.pdf", manual()).record
    assert record is not None
    worse = replace(record, pages=(record.pages[0], DocumentPage(2, "failed", "broken", ok=False)))
    assert worse.facts != record.facts


# ---------------------------------------------------------------- what is wrong with one


@pytest.mark.parametrize(
    ("body", "outcome", "said"),
    [
        (b"%PDF-1.7\n1 0 obj\n", Outcome.FAILED, "cut off"),
        (manual()[:-600], Outcome.FAILED, "cut off"),
        (b"PK\x03\x04\x14\x00\x00\x00[Content_Types].xml", Outcome.FAILED, "cut off"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), Outcome.UNSUPPORTED, "no kind that is read"),
        (b"PK\x03\x04\x14\x00\x00\x00\x00\x00mimetypeapplication/epub+zip", Outcome.UNSUPPORTED, "EPUB"),
        (docx(""), Outcome.EMPTY, "holds no text"),
    ],
)
def test_a_document_that_cannot_be_read_ends_with_one_reason(body: bytes, outcome: Outcome, said: str) -> None:
    done = processed("file", body)
    assert done.outcome.outcome is outcome, done.outcome.reason
    assert said in done.outcome.reason
    assert "://" not in done.outcome.reason


@pytest.mark.requires("soffice")
@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (SHEET_2003, "xls", "## Stock\n\n| Name | Count |\n| --- | --- |\n| Rope | 5 |"),
        (LETTER_2003, "doc", "Ropes are looked over each spring."),
        (FLAT_TEXT, "odt", "Ropes are looked over each spring."),
    ],
)
def test_documents_in_one_xml_file_are_read(body: str, kind: str, said: str) -> None:
    done = processed("file", body.encode())
    assert done.record is not None, done.outcome
    assert done.record.document.source_kind == kind
    assert said in done.record.document.text


def test_without_libreoffice_a_document_names_the_package_and_pages_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = processed("old.rtf", rb"{\rtf1\ansi Prime the pump.}")
    assert done.outcome.outcome is Outcome.FAILED
    assert "libreoffice-writer" in done.outcome.reason
    assert processed("page", html("Pump", "Prime the pump."), "text/html").outcome.outcome is Outcome.INDEXED


def test_a_published_document_is_kept_where_it_cannot_be_read_any_more(crawls) -> None:
    page = fetched("a.html", html("Pump", "A page beside the document."))
    crawls.crawl(page, fetched("manual.pdf", manual()))
    [_, report], summary = crawls.crawl(page, fetched("manual.pdf", b"%PDF-1.7 cut off"))
    assert report.outcome.outcome is Outcome.FAILED
    assert summary.kept == {Outcome.FAILED: 1}
    assert SITE + "manual.pdf" in crawls.collection.urls()
    crawls.crawl(page, ended=[ended("manual.pdf", Outcome.TOO_LARGE, "more than 32 MiB")])
    assert SITE + "manual.pdf" in crawls.collection.urls()


def test_the_pages_that_were_not_read_are_named() -> None:
    pages = [DocumentPage(1, "text"), *(DocumentPage(n, "needs-ocr", "no tesseract", ok=False) for n in range(2, 7))]
    assert pages_in_words(pages[:2]) == "1 of 2 pages read; page 2: needs-ocr: no tesseract"
    assert pages_in_words(pages).endswith("; and 2 more")
    assert pages_in_words(()) == ""


# ---------------------------------------------------------------- time and recipes


def test_only_documents_have_the_time_of_documents() -> None:
    def page(body: bytes) -> FetchedPage:
        return FetchedPage(SITE, SITE, 200, "text/html", body, datetime(2026, 1, 5, tzinfo=UTC), "")

    assert seconds_for(page(html("A", "text")), 60) == 60
    assert seconds_for(page(b"%PDF-1.7"), 60) == seconds_for(GatherJob(page(b"%PDF-1.7")), 60) == DOCUMENT_SECONDS
    assert seconds_for(page(b"%PDF-1.7"), DOCUMENT_SECONDS + 1) == DOCUMENT_SECONDS + 1


@pytest.mark.parametrize(("kind", "version"), DOCUMENT_CONVERTERS.items())
def test_recipes_name_the_version_that_a_converter_has(kind: str, version: str) -> None:
    package = "conversion.pdf.convert" if kind == "pdf" else f"conversion.office.{kind}.converter"
    own = importlib.import_module(package).CONVERTER
    assert version == (f"{own} {HtmlConverter.name}" if kind == "docx" else own)


def test_a_recipe_of_each_format_and_one_of_pages() -> None:
    pages = Recipe("filters/1 html/1", "tree/1", "minilm/1")
    recipes = Recipes.of(pages, {"pdf": "pdf/2", "docx": "docx/1"})
    assert recipes.made_by("html/1") == recipes.made_by("markdown/1") == pages
    assert recipes.made_by("pdf/2") == Recipe("pdf/2", "tree/1", "minilm/1")
    assert recipes.like(Recipe("pdf/1", "other", "other")) == recipes.documents["pdf"]
    waiting = recipes.made_by("pdf/2", waits=True)
    assert recipes.like(waiting) == recipes.documents["pdf"]
    assert recipes.digests == {recipe.digest for recipe in recipes} - {
        waiting.digest,
        recipes.made_by("docx/1", waits=True).digest,
    }


def test_another_version_of_a_document_converter_makes_only_its_documents_anew(crawls, monkeypatch) -> None:
    pages = [fetched("a.html", html("Pump", "A page beside the document.")), fetched("manual.pdf", manual())]
    crawls.crawl(*pages)
    before = {path: row.recipe for path, row in crawls.rows().items()}
    reports, _ = crawls.crawl(*pages)
    assert [report.outcome.reason for report in reports] == ["same body and recipe"] * 2
    monkeypatch.setattr("ingest.page_settings.DOCUMENT_CONVERTERS", {**DOCUMENT_CONVERTERS, "pdf": "pdf/next"})
    reports, _ = crawls.crawl(*pages)
    after = {path: row.recipe for path, row in crawls.rows().items()}
    assert after["a.html"] == before["a.html"]
    assert reports[0].outcome.reason == "same body and recipe"
    # ``converter`` in the record still says pdf/1, which is of the same format.
    assert after["manual.pdf"] not in before.values()


def test_scans_are_read_by_the_next_run_that_has_the_program(crawls, monkeypatch) -> None:
    missing = (DocumentPage(1, "text"), DocumentPage(2, "needs-ocr", "install tesseract-ocr", ok=False))
    monkeypatch.setattr("ingest.page.document_pages", lambda _: missing)
    crawls.crawl(fetched("manual.pdf", manual()))
    crawls.collection.forget()
    [report], _ = crawls.crawl(fetched("manual.pdf", manual()))
    assert report.outcome.outcome is Outcome.UNCHANGED, "looked at again, and still the same"
    assert crawls.collection.written == 0
    monkeypatch.undo()
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    crawls.crawl(fetched("manual.pdf", manual()))
    assert {point.payload["pages_ok"] for point in crawls.collection.stored.values()} == {2}
    assert crawls.collection.embedded == []
    [report], _ = crawls.crawl(fetched("manual.pdf", manual()))
    assert report.outcome.reason == "same body and recipe"


def test_what_the_program_could_not_read_is_not_waited_for() -> None:
    scan = DocumentPage(1, "needs-ocr", ok=False)
    assert wait_for_program([DocumentPage(2, "text"), scan])
    assert not wait_for_program([DocumentPage(2, "ocr"), scan])
    assert not wait_for_program([DocumentPage(2, "failed", ok=False)])
