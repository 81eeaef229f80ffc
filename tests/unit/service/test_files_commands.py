"""``wrac chunk`` and ``wrac convert``: files through the stages of a crawl, each with one clear end."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service.cli.app import app
from wrac.exit_codes import ExitCode

PUMPS = "# Pumps\n\nPrime the pump before the first start.\n\n## Faults\n\nE1 means that there is no water.\n"
FILTERS = """<!DOCTYPE html><html lang="en"><head><title>Filters</title></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<main><h1 id="top">Filters</h1>
<p>Clean the <a href="mesh.html">mesh</a> every week with water that is warm, never with solvents.</p>
<h2 id="change">Change the mesh</h2>
<p>Loosen both clamps, lift the mesh out and put the new one in with the arrow upwards.</p>
<pre><code class="language-python">mesh.reset()</code></pre></main>
</body></html>"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("pumps.md").write_text(PUMPS, encoding="utf-8")
    Path("filters.html").write_text(FILTERS, encoding="utf-8")
    Path("manual.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n")
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def chunks(*arguments: str) -> list[dict[str, Any]]:
    result = run("chunk", *arguments, "--jsonl")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.split("\n") if line]


# ---------------------------------------------------------------- chunk


def test_a_chunk_says_where_it_comes_from_and_what_it_is() -> None:
    (chunk,) = chunks("pumps.md")
    assert {key: chunk[key] for key in ("file", "text", "breadcrumb", "heading_path", "kind", "ordinal", "url")} == {
        "file": "pumps.md",
        "text": PUMPS.strip(),
        "breadcrumb": "Pumps",
        "heading_path": ["Pumps"],
        "kind": "section",
        "ordinal": 0,
        "url": "",
    }
    assert len(chunk["unit_ids"]) == 4
    assert chunk["tokens"] > 10
    assert "Pumps" in chunk["embed_text"]


def test_html_goes_through_the_filters_and_the_url_makes_links_absolute() -> None:
    (chunk,) = chunks("filters.html", "--url", "https://docs.example.org/care/filters.html")
    assert "[mesh](https://docs.example.org/care/mesh.html)" in chunk["text"]
    assert "```python\nmesh.reset()\n```" in chunk["text"]
    assert "Shop" not in chunk["text"]
    assert chunk["url"].startswith("https://docs.example.org/care/filters.html")


def test_without_a_url_links_stay_as_they_are_written() -> None:
    (chunk,) = chunks("filters.html")
    assert "[mesh](mesh.html)" in chunk["text"]


def test_files_below_a_folder_get_urls_below_its_url() -> None:
    Path("site/care").mkdir(parents=True)
    Path("site/care/filters.html").write_text(FILTERS, encoding="utf-8")
    (chunk,) = chunks("site", "--url", "https://docs.example.org/en")
    assert "[mesh](https://docs.example.org/en/care/mesh.html)" in chunk["text"]
    assert chunk["file"] == "site/care/filters.html"


def test_twice_the_same_bytes() -> None:
    assert run("chunk", "pumps.md", "filters.html", "--jsonl").stdout_bytes == (
        run("chunk", "pumps.md", "filters.html", "--jsonl").stdout_bytes
    )


def test_no_two_chunks_share_an_id_even_where_files_share_name_and_text() -> None:
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "same.md").write_text(PUMPS, encoding="utf-8")
    ids = [chunk["chunk_id"] for chunk in chunks("a", "b", "pumps.md")]
    assert len(ids) == 3
    assert len(set(ids)) == 3


def test_an_id_does_not_depend_on_where_the_folder_lies(folder: Path) -> None:
    (relative,) = chunks("pumps.md")
    (absolute,) = chunks(str(folder / "pumps.md"))
    assert relative["chunk_id"] == absolute["chunk_id"]


def test_the_configured_window_holds() -> None:
    Path("long.md").write_text(
        "# Long\n\n" + "".join(f"## Part {n}\n\n{'Water runs down the hill. ' * 12}\n\n" for n in range(8)), "utf-8"
    )
    Path("wrac.toml").write_text("chunk_target_tokens = 60\nchunk_min_tokens = 20\nchunk_max_tokens = 90\n", "utf-8")
    assert max(chunk["tokens"] for chunk in chunks("long.md")) <= 90


def test_chunks_to_read_have_a_head_line_and_no_control_characters() -> None:
    Path("evil.md").write_text("# Evil\n\nThe text \x1b[31mblinks\x1b[0m at you.\n", encoding="utf-8")
    result = run("chunk", "evil.md")
    assert result.exit_code == 0
    assert result.stdout.split("\n")[0].startswith("evil.md · 1 · ")
    assert "The text blinks at you." in result.stdout


def test_no_store_is_touched(folder: Path) -> None:
    chunks("pumps.md")
    run("convert", "pumps.md")
    assert not (folder / ".wrac").exists()


# ---------------------------------------------------------------- convert


def test_markdown_comes_out_as_it_is() -> None:
    result = run("convert", "pumps.md")
    assert (result.exit_code, result.stdout) == (0, PUMPS)


def test_several_files_are_told_apart_on_the_screen() -> None:
    result = run("convert", "pumps.md", "filters.html")
    assert result.exit_code == 0
    assert result.stdout.index("<!-- pumps.md -->") < result.stdout.index("<!-- filters.html -->")


def test_a_folder_is_mirrored_below_out() -> None:
    Path("site/care").mkdir(parents=True)
    Path("site/care/filters.html").write_text(FILTERS, encoding="utf-8")
    Path("site/.hidden.md").write_text(PUMPS, encoding="utf-8")
    Path("site/picture.png").write_bytes(b"\x89PNG")
    result = run("convert", "site", "--out", "out")
    assert result.exit_code == 0, result.stderr
    assert [str(path) for path in sorted(Path("out").rglob("*")) if path.is_file()] == ["out/care/filters.md"]
    assert "## Change the mesh" in Path("out/care/filters.md").read_text(encoding="utf-8")


def test_a_source_is_never_overwritten() -> None:
    result = run("convert", "pumps.md", "--out", ".")
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "overwrite" in result.stderr
    assert Path("pumps.md").read_text(encoding="utf-8") == PUMPS


def test_a_result_never_takes_the_place_of_another_source() -> None:
    Path("pumps.html").write_text(FILTERS, encoding="utf-8")
    result = run("convert", "pumps.html", "pumps.md", "--out", ".")
    assert result.exit_code == ExitCode.INCOMPLETE
    assert Path("pumps.md").read_text(encoding="utf-8") == PUMPS


def test_two_sources_of_one_name_do_not_become_one_file() -> None:
    Path("other").mkdir()
    Path("other/filters.html").write_text(FILTERS, encoding="utf-8")
    result = run("convert", "filters.html", "other/filters.html", "--out", "out")
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "filters.html: out/filters.md is already written from filters.html" in result.stderr
    assert "Change the mesh" in Path("out/filters.md").read_text(encoding="utf-8")


def test_of_two_kinds_of_one_name_the_second_keeps_its_ending() -> None:
    Path("filters.md").write_text(PUMPS, encoding="utf-8")
    result = run("convert", "filters.html", "filters.md", "--out", "out")
    assert result.exit_code == ExitCode.OK, result.stderr
    assert "Change the mesh" in Path("out/filters.md").read_text(encoding="utf-8")
    assert Path("out/filters.md.md").read_text(encoding="utf-8") == PUMPS


def test_the_second_converter_can_be_chosen() -> None:
    result = run("convert", "filters.html", "--converter", "markdownify")
    assert result.exit_code == 0, result.stderr
    assert "# Filters" in result.stdout


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("command", ["chunk", "convert"])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("manual.pdf", b"%PDF-1.7\n", "failed"),
        ("page.html", b"%PDF-1.7\n", "failed"),
        ("letter.docx", b"PK\x03\x04\x14\x00\x00\x00[Content_Types].xml", "failed"),
        ("empty.html", b"", "empty"),
        ("empty.md", b"", "empty"),
        ("binary.html", bytes(range(256)) * 8, "unsupported"),
        ("binary.md", b"\x00\x01\x02\x03" * 500, "unsupported"),
        ("huge.html", b" " * (32 * 1024 * 1024 + 1), "too-large"),
    ],
)
def test_a_file_without_content_says_why_and_the_others_go_on(
    command: str, name: str, content: bytes, said: str
) -> None:
    Path(name).write_bytes(content)
    result = run(command, name, "pumps.md")
    assert result.exit_code == ExitCode.INCOMPLETE
    assert f"{name}: {said}" in result.stderr
    assert "1 of 2 files gave nothing" in result.stderr
    assert "Prime the pump" in result.stdout


@pytest.mark.parametrize("command", ["chunk", "convert"])
def test_a_folder_without_documents_is_a_usage_error(command: str) -> None:
    Path("nothing").mkdir()
    result = run(command, "nothing")
    assert result.exit_code == ExitCode.USAGE
    assert result.stderr == "Error: no PDF, Office, HTML or Markdown file below nothing\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pumps.md", "filters.html", "--url", "https://docs.example.org/"), "give one PATH"),
        (("filters.html", "--url", "docs.example.org"), "give the whole URL"),
    ],
)
def test_a_url_that_cannot_be_meant_is_a_usage_error(arguments: tuple[str, ...], said: str) -> None:
    result = run("chunk", *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert said in result.stderr


def test_text_in_another_encoding_is_read() -> None:
    Path("utf16.md").write_bytes("# Größe\n\nDie Größe der Pumpe.\n".encode("utf-16"))
    (chunk,) = chunks("utf16.md")
    assert chunk["text"] == "# Größe\n\nDie Größe der Pumpe."


def test_a_target_that_cannot_be_written_costs_only_its_own_file() -> None:
    Path("out/pumps.md.part").mkdir(parents=True)
    result = run("convert", "pumps.md", "filters.html", "--out", "out")
    assert result.exit_code == ExitCode.INCOMPLETE, result.output
    assert "pumps.md: out/pumps.md cannot be written" in result.stderr
    assert Path("out/filters.md").exists()


@pytest.mark.parametrize("command", ["chunk", "convert"])
@pytest.mark.parametrize("named", [True, False])
def test_what_is_no_file_is_named_and_never_waited_for(folder: Path, command: str, named: bool) -> None:
    os.mkfifo("pipe.html")
    Path("endless.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door.html")
        result = run(command, *(("pipe.html", "endless.md", "door.html") if named else (".",)))
    assert result.exit_code == ExitCode.INCOMPLETE
    for name in ("pipe.html", "endless.md", "door.html"):
        assert f"{name}: failed: cannot be read: not a regular file" in result.stderr


def test_a_file_that_grows_while_it_is_read_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.documents.MAX_PAGE_BYTES", 100)
    # The kernel gives the size of such a file as zero.
    result = run("convert", "/proc/self/environ")
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "too-large: more than the 100 bytes that are read" in result.stderr


@pytest.mark.parametrize("options", [("convert",), ("convert", "--out", "md"), ("chunk", "--jsonl"), ("chunk",)])
def test_links_in_circles_and_names_of_no_charset_cost_nothing_else(folder: Path, options: tuple[str, ...]) -> None:
    below = folder / "below"
    below.mkdir()
    (below / "self.html").symlink_to("self.html")
    (below / "up").symlink_to("..")
    (below / "circle").symlink_to("circle")
    for name in (b"latin\xe9.html", b"line\nbreak\x1b[31m.html"):
        Path(os.fsdecode(os.fsencode(below) + b"/" + name)).write_text(FILTERS, encoding="utf-8")
    result = run(options[0], "below", *options[1:])
    assert result.exit_code == ExitCode.INCOMPLETE, result.stderr
    assert "self.html: failed: cannot be read: Too many levels of symbolic links" in result.stderr
    assert "1 of 3 files gave nothing" in result.stderr
    assert "\x1b" not in result.stderr
    if "--out" in options:
        assert len(list(Path("md").iterdir())) == 2
    else:
        assert result.stdout.count("Clean the") >= 2
