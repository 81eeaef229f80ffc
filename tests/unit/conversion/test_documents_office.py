"""The one door: kinds by content, failures as values, pages accounted for, and no converter loaded for HTML."""

from __future__ import annotations

import io
import pickle
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import openpyxl
import pytest
from decks import BLANK, CONTENT, add_slide, new_deck, saved
from office_files import docx, paragraph

from conversion.documents import ConvertedDocument, DocumentOptions, PageResult, convert_document, convert_documents
from conversion.drac.confinement import ProcessLimits
from conversion.drac.detect import DocumentKind
from conversion.drac.sandbox import Sandbox
from wrac.errors import ConversionFailed, NothingExtracted, UnsupportedContent
from wrac.records import PageSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

URL = "https://handbook.example/files/guide.pdf"
"""Its ending lies about all documents here, as servers do."""


@pytest.fixture(scope="module", autouse=True)
def _no_process_left() -> Iterator[None]:
    from conversion.documents import _sandbox

    yield
    _sandbox().close()
    _sandbox.cache_clear()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(("Model", "Price"))
    book.active.append(("Edge", 12))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def deck() -> bytes:
    made = new_deck()
    add_slide(made, CONTENT, "One", (0, "first"))
    add_slide(made, BLANK)
    return saved(made)


def test_word_file_comes_back_whole() -> None:
    core = "<dc:title>Guide</dc:title><dc:creator>Ann</dc:creator>"
    body = paragraph("One", "H1") + paragraph("Text.") + paragraph("secret", "Secret")
    done = convert_document(docx(body, core=core), URL)
    assert done.kind is DocumentKind.DOCX
    assert done.document.text == "# One\n\nText.\n"
    assert done.document.source_kind == "docx"
    assert (done.metadata.title, done.metadata.author) == ("Guide", "Ann")
    assert [(r.rule, r.preview, r.holds) for r in done.removals] == [("office.hidden", "secret", ())]
    assert (done.pages, done.pages_total, done.pages_ok) == ((), 0, 0)
    assert pickle.loads(pickle.dumps(done)) == done


def test_deck_has_pages() -> None:
    done = convert_document(deck(), URL)
    assert done.kind is DocumentKind.PPTX
    assert done.document.pages == (PageSpan(0, 1),)
    assert done.pages == (PageResult(1, "text"), PageResult(2, "text"))
    assert (done.pages_total, done.pages_ok) == (2, 2)


def test_failures_are_values_in_their_place() -> None:
    results = convert_documents([(URL, workbook()), (URL, b"From: a\nMIME-Version: 1.0\n\nHi"), (URL, docx("<w:p/>"))])
    assert isinstance(results[0], ConvertedDocument)
    assert "| Edge | 12 |" in results[0].document.text
    assert isinstance(results[1], UnsupportedContent)
    assert isinstance(results[2], NothingExtracted)
    assert "holds no text" in str(results[2])


def test_document_over_its_time_is_given_up() -> None:
    body = "".join(paragraph(f"item {n}", number=(2, 0)) for n in range(20_000))
    options = DocumentOptions(process=ProcessLimits(wall_seconds=0.3))
    with pytest.raises(ConversionFailed, match=r"took more than 0\.3 s to convert"):
        convert_document(docx(body), URL, options)
    assert convert_document(docx(paragraph("Text.")), URL).document.text == "Text.\n"


def test_document_over_its_memory_is_given_up() -> None:
    body = "".join(paragraph("x" * 200) for _ in range(4_000))
    options = DocumentOptions(process=ProcessLimits(memory=64 << 20))
    with pytest.raises(ConversionFailed, match=r"takes more than 64 MiB of memory|for want of memory"):
        convert_document(docx(body), URL, options)
    assert convert_document(docx(body), URL).document.text.count("\n\n") == 3_999


def test_threads_may_share_the_door() -> None:
    texts: dict[int, str] = {}

    def convert(number: int) -> None:
        texts[number] = convert_document(docx(paragraph(f"Text {number}.")), URL).document.text

    threads = [threading.Thread(target=convert, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"Text {number}.\n" for number in range(6)}


def test_confined_process_reaches_no_listener() -> None:
    """Where the system lets a process leave its network, not even loopback is left."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            "import socket\n"
            "    from conversion.drac.confinement import leave_network\n"
            "    left = leave_network()\n"
            "    try:\n"
            f"        socket.create_connection(('127.0.0.1', {port}), 2).close()\n"
            "        reached = True\n"
            "    except OSError:\n"
            "        reached = False\n"
            "    return str((left, reached)).encode()"
        )
        sandbox = Sandbox("hostile_tasks:run")
        try:
            answer = sandbox.run(code.encode(), URL, limits=ProcessLimits(wall_seconds=20))
        finally:
            sandbox.close()
    assert answer != b"(True, True)"


LOADED = "import sys, {}; print([m for m in sys.modules if m.startswith({})])"


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("conversion.html", ("pptx", "PIL", "pypdfium2", "conversion.office", "conversion.pdf", "conversion.drac")),
        ("conversion.documents", ("pptx", "PIL", "pypdfium2", "conversion.office.docx")),
    ],
)
def test_converters_are_loaded_when_they_are_needed(module: str, unwanted: tuple[str, ...]) -> None:
    code = LOADED.format(module, unwanted)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
