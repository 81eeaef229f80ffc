"""A header splitter: one chunk for the text under each heading, after a breadcrumb of the headings above it."""

from __future__ import annotations

import re

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


def header_chunks(text: str) -> list[str]:
    """Chunks in order: ``A > B`` on the first line, then the text; headings that lead nothing make none."""
    chunks: list[str] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        _close(chunks, path, lines)
        lines = []
        path = [(level, title) for level, title in path if level < len(heading[1])]
        path.append((len(heading[1]), heading[2]))
    _close(chunks, path, lines)
    return chunks


def _close(chunks: list[str], path: list[tuple[int, str]], lines: list[str]) -> None:
    body = "\n".join(lines).strip()
    if body.strip("-*_ \n"):
        breadcrumb = " > ".join(title for _, title in path)
        chunks.append(f"{breadcrumb}\n{body}" if breadcrumb else body)
