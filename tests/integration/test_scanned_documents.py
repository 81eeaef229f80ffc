"""Scans on a site and in a folder: with and without OCR, with and without a model that looks at pages."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pypdfium2
import pytest
from mock_chat import Scripted
from mock_pages import START, simple
from mock_site import Reply
from mock_vision import MockVision, true_reader
from pdf_files import Page, column, image, pdf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_site import MockSite
    from product import Workspace

OK, INCOMPLETE = 0, 3
SCAN, DRAWING = "/docs/tariff.pdf", "/docs/map.pdf"
WORDS = [
    "Boats under six metres lie in the basin for four crowns a night,",
    "and the harbour master takes the money before ten in the morning.",
    "Whoever leaves without paying is not let in again that summer.",
]
TRUTH = {1: " ".join(WORDS)}
PAGE = "The tariff was drawn up by hand and nobody has typed it since."
HEIGHT = 160


def scan() -> bytes:
    """A page of text as a picture."""
    with pypdfium2.PdfDocument(pdf([Page(column(72, 130, WORDS, size=11, leading=16), height=HEIGHT)])) as document:
        pixels = document[0].render(scale=200 / 72, grayscale=True).to_numpy()
    pixels = pixels.reshape(pixels.shape[0], pixels.shape[1])
    samples = {"I": (pixels.shape[1], pixels.shape[0], pixels.tobytes())}
    return pdf([Page(image("I", 0, 0, 612, HEIGHT), images=samples, height=HEIGHT)])


def drawing() -> bytes:
    """A picture without a word."""
    return pdf([Page(image("I", 0, 0, 612, 792), images={"I": (2, 2, b"\0\xff\xff\0")})])


@pytest.fixture
def vision() -> Iterator[MockVision]:
    with MockVision(true_reader(TRUTH)) as running:
        yield running


@pytest.fixture
def pier(site: MockSite, workspace: Workspace) -> Workspace:
    site.forget()
    links = f'<a href="{SCAN}">tariff</a>'
    site.routes = {
        START: simple("Start", f"<p>{PAGE}</p><p>{links}</p>"),
        SCAN: Reply(scan(), content_type="application/pdf"),
    }
    workspace.write_site(site.url + START, sitemap=False)
    return workspace


def without_tesseract(workspace: Workspace) -> None:
    workspace.environment["PATH"] = str(workspace.folder)


def with_model(workspace: Workspace, site: MockSite, vision: MockVision) -> None:
    workspace.write_site(site.url + START, sitemap=False, transcriber="llm")
    workspace.environment |= {
        "WRAC_TRANSCRIBER_MODEL": "eyes",
        "WRAC_TRANSCRIBER_BASE_URL": vision.base_url,
        "WRAC_TRANSCRIBER_RETRIES": "0",
        "WRAC_PRICES": json.dumps({"eyes": {"input": 2.0, "output": 8.0}}),
    }


def scanned(workspace: Workspace) -> list[dict[str, Any]]:
    return [point for point in workspace.points().values() if point["source_kind"] == "pdf"]


@pytest.mark.timeout(400)
def test_without_ocr_the_outcome_names_the_package_and_a_crawl_with_it_reads_the_scan(
    site: MockSite, pier: Workspace
) -> None:
    path = pier.environment["PATH"]
    without_tesseract(pier)

    done = pier.crawl()

    assert done.code == INCOMPLETE, done
    row = pier.rows()[site.url + SCAN]
    assert row.outcome == "failed"
    assert "tesseract is not installed: install the package tesseract-ocr" in row.reason
    assert any(PAGE in point["page_content"] for point in pier.points().values())
    if shutil.which("tesseract", path=path):
        pier.environment["PATH"] = path
        assert pier.crawl().code == OK
        assert "harbour master" in "\n".join(point["page_content"] for point in scanned(pier))


@pytest.mark.timeout(400)
def test_without_ocr_a_model_reads_it_and_says_that_nothing_was_compared(
    site: MockSite, pier: Workspace, vision: MockVision
) -> None:
    without_tesseract(pier)
    with_model(pier, site, vision)

    done = pier.crawl()

    assert done.code == OK, done
    assert "Bill: transcription eyes: 1 call" in done.everything
    (point,) = scanned(pier)
    assert " ".join(WORDS) in point["page_content"]
    assert (point["pages_ok"], point["pages_total"], point["pages"]) == (0, 1, [1])
    assert "unverified" in pier.wrac("explain", site.url + SCAN).everything
    assert pier.wrac("check").code == OK

    again = pier.crawl()

    assert again.code == OK, again
    assert len(vision.requests) == 1
    assert pier.outcome(site.url + SCAN) == "unchanged"

    made = pier.wrac("reconvert", "docs_site")

    assert made.code == OK, made
    assert scanned(pier) == [point], "reconvert keeps what only the model could read"
    assert pier.crawl().code == OK
    assert len(vision.requests) == 1


@pytest.mark.timeout(400)
def test_a_model_that_cannot_be_asked_leaves_the_scan_for_the_next_crawl(
    site: MockSite, pier: Workspace, vision: MockVision
) -> None:
    without_tesseract(pier)
    with_model(pier, site, vision)
    vision.answer = lambda _: Scripted(status=503)

    away = pier.crawl()

    assert away.code == INCOMPLETE, away
    row = pier.rows()[site.url + SCAN]
    assert row.outcome == "failed"
    assert "tesseract is not installed" in row.reason
    assert "the model was not asked" in row.reason
    expected = json.loads(pier.wrac("estimate", "docs_site", "--json").output)["transcription"]
    assert (expected["documents"], expected["pages"], expected["calls"]) == (1, 1, 1)

    vision.answer = true_reader(TRUTH)
    assert pier.crawl().code == OK
    assert scanned(pier)


@pytest.mark.timeout(400)
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the package tesseract-ocr")
def test_a_picture_without_words_is_empty_and_no_fault_of_the_crawl(site: MockSite, pier: Workspace) -> None:
    site.routes[SCAN] = Reply(drawing(), content_type="application/pdf")

    done = pier.crawl()

    assert done.code == OK, done
    row = pier.rows()[site.url + SCAN]
    assert row.outcome == "empty"
    assert row.reason == "no text on any of its 1 pages: OCR found no words on 1 that are pictures"


@pytest.mark.timeout(400)
def test_from_a_folder_it_is_the_same(pier: Workspace, site: MockSite, vision: MockVision) -> None:
    without_tesseract(pier)
    with_model(pier, site, vision)
    pier.write_site("https://shelf.example/", name="shelf", transcriber="llm")
    (pier.folder / "shelf").mkdir()
    (pier.folder / "shelf" / "tariff.pdf").write_bytes(scan())

    done = pier.wrac("ingest", "shelf")

    assert done.code == OK, done
    assert [point["url"] for point in scanned(pier)] == ["file:///tariff.pdf"]
    assert pier.wrac("ingest", "shelf").code == OK
    assert len(vision.requests) == 1
