"""Writes the Word file and the PDF of the gate's corpus from their Markdown.

    python -m benchmarks.gate.documents

Only needed when that Markdown changes; the digests of the gate have to be pinned again then. Both come of the writers
of the tests, so that nothing but this repository is needed, and are the same bytes each time.
"""

from __future__ import annotations

import io
import re
import sys
import textwrap
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.gate.inputs import CORPUS
from benchmarks.inputs import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, str(ROOT / "tests" / "support"))
import office_files  # type: ignore[import-not-found]
import pdf_files  # type: ignore[import-not-found]

_EPOCH = (1980, 1, 1, 0, 0, 0)
_HEADING_SIZES = {1: 22, 2: 15, 3: 12}
_LEFT, _TOP, _WIDTH = 72, 720, 88


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the small Markdown that these documents are written in."""

    kind: str
    """``heading``, ``paragraph``, ``bullet``, ``number`` or ``table``."""
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def main() -> int:
    """Writes both files."""
    folder = CORPUS / "datasets" / "Lantern Ferries"
    for stem, kind, write in (("handbook", "docx", word_file), ("groups", "pdf", pdf_file)):
        blocks = list(blocks_of((folder / "md" / f"{stem}.md").read_text(encoding="utf-8")))
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"{stem}.{kind}").write_bytes(write(blocks))
    return 0


def blocks_of(markdown: str) -> Iterator[Block]:
    """Headings, paragraphs, flat lists and tables, in order."""
    for part in markdown.strip().split("\n\n"):
        lines = part.split("\n")
        if heading := re.fullmatch(r"(#+) (.*)", part):
            yield Block("heading", heading[2], len(heading[1]))
        elif part.startswith("|"):
            rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            yield Block("table", rows=(rows[0], *rows[2:]))
        elif part.startswith("- "):
            yield from (Block("bullet", line[2:]) for line in lines)
        elif re.match(r"\d+\. ", part):
            yield from (Block("number", line.partition(" ")[2]) for line in lines)
        else:
            yield Block("paragraph", part)


def word_file(blocks: list[Block]) -> bytes:
    """The blocks as a Word file."""
    body = []
    for block in blocks:
        if block.kind == "table":
            body.append(
                f"<w:tbl>{''.join(_word_row(row, head=not place) for place, row in enumerate(block.rows))}</w:tbl>"
            )
            continue
        style = f"H{block.level}" if block.kind == "heading" else ""
        number = {"bullet": (1, 0), "number": (2, 0)}.get(block.kind)
        body.append(office_files.paragraph(block.text, style, number))
    return _same_each_time(office_files.docx("".join(body)))


def _word_row(row: tuple[str, ...], *, head: bool) -> str:
    cells = "".join(f"<w:tc>{office_files.paragraph(cell)}</w:tc>" for cell in row)
    return f"<w:tr>{'<w:trPr><w:tblHeader/></w:trPr>' if head else ''}{cells}</w:tr>"


def _same_each_time(archive: bytes) -> bytes:
    """The archive without the time at which it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, _EPOCH), old.read(name))
    return out.getvalue()


def pdf_file(blocks: list[Block]) -> bytes:
    """The blocks on one page."""
    content, y, number = [], _TOP, 0
    for block in blocks:
        number = number + 1 if block.kind == "number" else 0
        if block.kind == "heading":
            size = _HEADING_SIZES[block.level]
            y -= size
            content.append(pdf_files.text(_LEFT, y, block.text, size=size, font=pdf_files.BOLD))
            y -= 20
            continue
        if block.kind == "table":
            raise ValueError("no table is drawn here")
        mark = {"bullet": "\\225", "number": f"{number}."}.get(block.kind, "")
        indent = 18 if mark else 0
        if mark:
            content.append(f"BT /F1 10 Tf 0 g 1 0 0 1 {_LEFT} {y} Tm ({mark}) Tj ET\n")
        for line in textwrap.wrap(block.text, _WIDTH):
            content.append(pdf_files.text(_LEFT + indent, y, line))
            y -= 12
        y -= 0 if mark else 10
    return bytes(pdf_files.pdf([pdf_files.Page("".join(content))], title="Groups and charters"))


if __name__ == "__main__":
    sys.exit(main())
