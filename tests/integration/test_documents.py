"""Documents of a site and of a folder, as their user takes them in: real processes and an embedder that counts."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pypdfium2
import pytest
from mock_pages import START, simple
from mock_site import Reply
from office_files import docx, paragraph
from pdf_files import BOLD, Page, column, pdf, text

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace

OK, USAGE, INCOMPLETE = 0, 2, 3
PAGES = [
    (
        "Pump manual",
        [
            "Prime the pump before the first start of the season, with the drain closed.",
            "Water must be warm when it runs in, and never colder than five degrees.",
        ],
    ),
    (
        "Faults",
        [
            "Error E1 means that there is no water in the tank of the pump.",
            "Fill the tank by hand and start the pump once more.",
        ],
    ),
]
LETTER = "The harbour office answers letters on the first Monday of the month."


def manual(pages: list[tuple[str, list[str]]] = PAGES) -> bytes:
    drawn = [
        Page(text(72, 720, title, size=24 - 6 * bool(number), font=BOLD) + column(72, 680, lines))
        for number, (title, lines) in enumerate(pages)
    ]
    return pdf(drawn, title="Pump manual")


def letter() -> bytes:
    return docx(paragraph("Letters", style="H1") + paragraph(LETTER))


@pytest.fixture
def crawled(site: MockSite, workspace: Workspace) -> Workspace:
    site.forget()
    links = "".join(f'<li><a href="{path}">see</a></li>' for path in ("get?id=7", "letter.docx", "broken.pdf"))
    site.routes = {
        START: simple("Start", f"<p>All about pumps, in a page and in three documents.</p><ul>{links}</ul>"),
        "/docs/get": Reply(manual(), content_type="application/octet-stream"),
        "/docs/letter.docx": Reply(letter(), content_type="application/zip"),
        "/docs/broken.pdf": Reply(manual()[:500], content_type="application/pdf"),
    }
    workspace.write_site(site.url + START, sitemap=False)
    done = workspace.crawl()
    assert done.code == INCOMPLETE, done
    return workspace


def test_a_crawl_takes_documents_by_what_they_are(
    crawled: Workspace, site: MockSite, embeddings: MockEmbeddings
) -> None:
    outcomes = {url.removeprefix(site.url): row.outcome for url, row in crawled.rows().items()}
    assert outcomes == {
        START: "indexed",
        "/docs/get?id=7": "indexed",
        "/docs/letter.docx": "indexed",
        "/docs/broken.pdf": "failed",
    }
    points = crawled.points().values()
    of_pdf = sorted((p for p in points if p["source_kind"] == "pdf"), key=lambda p: p["ordinal"])
    assert of_pdf[0]["source"] == f"{site.url}/docs/get?id=7#page=1"
    assert {page for point in of_pdf for page in point["pages"]} == {1, 2}
    assert {(point["pages_ok"], point["pages_total"]) for point in of_pdf} == {(2, 2)}
    (of_docx,) = (p for p in points if p["source_kind"] == "docx")
    assert of_docx["source"] == f"{site.url}/docs/letter.docx"
    assert LETTER in of_docx["page_content"]
    assert not {"pages_ok", "pages_total"} & {key for p in points if p["source_kind"] == "html" for key in p}

    told = crawled.wrac("explain", f"{site.url}/docs/get?id=7")
    assert "2 of 2 pages read" in told.output, told
    told = crawled.wrac("explain", f"{site.url}/docs/broken.pdf", "--json")
    assert "cut off" in json.loads(told.output)["reason"], told

    embeddings.texts.clear()
    assert crawled.crawl().code == INCOMPLETE
    assert crawled.wrac("reconvert", "docs_site").code == OK
    assert embeddings.texts == []
    assert len(crawled.points()) == len(points)


def test_a_folder_is_taken_in_and_kept_up_to_date(workspace: Workspace, embeddings: MockEmbeddings) -> None:
    folder = workspace.folder / "Somebody's Papers"
    (folder / "old").mkdir(parents=True)
    (folder / "pump.pdf").write_bytes(manual())
    (folder / "old" / "letter.docx").write_bytes(letter())
    (folder / "care.md").write_text("# Care\n\nClean the mesh every week with warm water.\n", encoding="utf-8")
    done = workspace.wrac("ingest", folder.name)
    assert done.code == OK, done
    assert "somebody-s-papers: 3 files" in done.output
    assert "Next: " in done.output
    points = workspace.points()
    assert {point["source"].partition("#")[0] for point in points.values()} == {
        "file:///pump.pdf",
        "file:///old/letter.docx",
        "file:///care.md",
    }
    assert "Somebody's" not in json.dumps(list(points.values()))
    assert str(workspace.folder) not in json.dumps(list(points.values()))

    embeddings.texts.clear()
    done = workspace.wrac("ingest", folder.name)
    assert (done.code, embeddings.texts) == (OK, []), done
    assert "3 unchanged" in done.output
    assert workspace.points() == points

    (folder / "old" / "letter.docx").rename(folder / "letter.docx")
    (folder / "care.md").unlink()
    (folder / "pump.pdf").write_bytes(manual([PAGES[0], ("Faults", ["Error E9 means that the mesh is missing."])]))
    done = workspace.wrac("ingest", folder.name, "--accept-loss")
    assert done.code == OK, done
    assert {p["url"] for p in workspace.points().values()} == {"file:///pump.pdf", "file:///letter.docx"}
    assert not [embedded for embedded in embeddings.texts if LETTER in embedded], "what moved keeps its vectors"
    assert any("E9" in point["page_content"] for point in workspace.points().values())


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the package tesseract-ocr")
def test_a_picture_that_is_named_is_taken_in_and_none_in_a_folder(workspace: Workspace) -> None:
    folder = workspace.folder / "scans"
    folder.mkdir()
    with pypdfium2.PdfDocument(manual()) as document:
        for page, name in enumerate(["first.png", "second.jpg"]):
            document[page].render(scale=200 / 72).to_pil().save(folder / name)
    (folder / "letter.docx").write_bytes(letter())

    assert workspace.wrac("ingest", "scans").code == OK
    assert {point["source_kind"] for point in workspace.points().values()} == {"docx"}

    done = workspace.wrac("ingest", "scans/first.png", "scans/second.jpg", "--root", "scans", "--site", "scans")
    assert done.code == OK, done
    assert {point["source"] for point in workspace.points().values()} == {
        "file:///letter.docx",
        "file:///first.png",
        "file:///second.jpg",
    }
    assert any("error E1" in point["page_content"].replace("Error", "error") for point in workspace.points().values())

    (folder / "second.jpg").unlink()
    assert workspace.wrac("ingest", "scans", "--accept-loss").code == OK
    assert {point["url"] for point in workspace.points().values()} == {"file:///letter.docx", "file:///first.png"}


def test_mistakes_cost_nothing(workspace: Workspace) -> None:
    (workspace.folder / "empty").mkdir()
    assert workspace.wrac("ingest", "empty").code == USAGE
    (workspace.folder / "a.md").write_text("# A\n\nSome text of a page.\n", encoding="utf-8")
    assert "small letters" in workspace.wrac("ingest", "a.md", "--site", "Our Docs").errors
    assert not (workspace.folder / ".wrac").exists()
