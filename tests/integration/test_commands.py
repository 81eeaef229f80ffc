"""``wrac convert`` and ``wrac chunk`` over files and folders; neither touches a store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mock_faults import DEPTH, MALFORMED, PDF, PNG
from mock_pages import CHROME_WORDS, CODE, PAGES, article, frame

if TYPE_CHECKING:
    from pathlib import Path

    from product import Workspace

KEYS = {"file", "chunk_id", "text", "embed_text", "breadcrumb", "heading_path", "unit_ids", "tokens", "kind"}


@pytest.fixture
def pages(workspace: Workspace) -> Path:
    folder = workspace.folder / "pages"
    for page in PAGES:
        file = folder / page.path.strip("/").replace("docs", "site", 1)
        file = file / "index.html" if not file.suffix else file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(frame(page.title, article(page)), encoding="utf-8")
    (folder / "notes.md").write_text("# Notes\n\nA note with a [link](other.md).\n", encoding="utf-8")
    return folder


def test_convert_a_folder_into_a_folder(workspace: Workspace, pages: Path) -> None:
    run = workspace.wrac("convert", "pages", "--url", "https://docs.example/", "--out", "markdown")
    assert run.code == 0, run
    written = sorted(str(file.relative_to(workspace.folder / "markdown")) for file in _files(workspace, "markdown"))
    assert len(written) == len(PAGES) + 1, written
    text = "\n".join(file.read_text(encoding="utf-8") for file in _files(workspace, "markdown"))
    assert CODE in text
    assert "# Installing the tide gauge" in text
    assert "| Berth | Depth | Crane |" in text
    assert not [words for words in CHROME_WORDS if words in text]
    assert not workspace.data.exists(), "no store, ledger or archive is touched"


def test_chunk_a_folder_as_json_lines(workspace: Workspace, pages: Path) -> None:
    run = workspace.wrac("chunk", "pages", "--url", "https://docs.example/", "--jsonl")
    assert run.code == 0, run
    chunks = [json.loads(line) for line in run.output.split("\n") if line]
    assert all(chunk.keys() >= KEYS for chunk in chunks)
    assert len({chunk["file"] for chunk in chunks}) == len(PAGES) + 1
    assert len({chunk["chunk_id"] for chunk in chunks}) == len(chunks)
    assert all(isinstance(chunk["tokens"], int) and chunk["tokens"] > 0 for chunk in chunks)
    (code,) = [chunk for chunk in chunks if CODE in chunk["text"]]
    assert "Approach by night" in code["breadcrumb"]
    assert code["heading_path"][0] == "Approach by night"
    again = workspace.wrac("chunk", "pages", "--url", "https://docs.example/", "--jsonl")
    assert again.output == run.output, "the same input gives the same chunks"
    assert not workspace.data.exists()


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("latin.html", frame("Latin", "<h1>Café</h1><p>naïve façade</p>").encode("cp1252"), ["Café", "naïve façade"]),
        ("utf16.html", "\ufeff<h1>Breite</h1><p>Zwei Bytes je Zeichen, überall.</p>".encode("utf-16"), ["überall"]),
        ("malformed.html", MALFORMED.encode(), ["cell three", "Text after the wreck"]),
        ("deep.html", f"<h1>Deep</h1>{'<div>' * DEPTH}<p>At the bottom.".encode(), ["At the bottom."]),
        ("deep-inline.html", f"<h1>Deep</h1><p>{'<b>' * DEPTH}Bold to the core.".encode(), ["Bold to the core."]),
        ("deep-list.html", f"<h1>Deep</h1>{'<ul><li>' * 600}Item at the end.".encode(), ["Item at the end."]),
        (
            "controls.html",
            b"<h1>Controls</h1><p>" + b"Filler. " * 20 + b"one\x0ctwo \xe2\x80\xa8three\x00four</p>",
            ["one", "three", "four"],
        ),
    ],
)
def test_awkward_files_give_their_text(workspace: Workspace, name: str, body: bytes, words: list[str]) -> None:
    (workspace.folder / name).write_bytes(body)
    run = workspace.wrac("chunk", name, "--jsonl")
    assert run.code == 0, run
    text = "\n".join(json.loads(line)["text"] for line in run.output.split("\n") if line)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("name", "body"),
    [("empty.html", b""), ("binary.html", PNG), ("manual.pdf", PDF), ("blank.html", b"<p> </p>"), ("only.md", b" \n")],
)
def test_a_file_without_content_is_named_and_the_others_are_converted(
    workspace: Workspace, name: str, body: bytes
) -> None:
    (workspace.folder / name).write_bytes(body)
    (workspace.folder / "good.html").write_text("<h1>Good</h1><p>Content of the good file.</p>", encoding="utf-8")
    run = workspace.wrac("convert", name, "good.html", "--out", "markdown")
    assert run.code == 3, run
    assert name in run.errors
    assert "Traceback" not in run.everything
    assert "Content of the good file." in (workspace.folder / "markdown" / "good.md").read_text(encoding="utf-8")


def test_a_file_that_is_not_there(workspace: Workspace) -> None:
    run = workspace.wrac("convert", "nowhere.html")
    assert run.code == 2, run
    assert "nowhere.html" in run.everything
    assert "Traceback" not in run.everything


def test_search_before_any_crawl_says_what_to_do(workspace: Workspace) -> None:
    run = workspace.wrac("search", "anything")
    assert run.code not in (0, 1), run
    assert "crawl" in run.everything
    assert "Traceback" not in run.everything


def test_status_before_any_crawl_says_what_to_do(workspace: Workspace) -> None:
    run = workspace.wrac("status")
    assert run.code in (0, 2), run
    assert "crawl" in run.everything
    assert "Traceback" not in run.everything


def _files(workspace: Workspace, folder: str) -> list[Path]:
    return sorted(file for file in (workspace.folder / folder).rglob("*.md") if file.is_file())
