"""Markdown input as it is: only line ends are unified and front matter is fenced, so that it is read as what it is."""

from __future__ import annotations

import re
import tomllib

from wrac.errors import ConversionFailed
from wrac.ids import digest
from wrac.records import MarkdownDocument

CONVERTER = "markdown/1"

_FRONT_MATTER = re.compile(
    r"\A(?P<mark>---|\+\+\+)[ \t]*\n(?P<body>(?:.*\n)*?)(?P=mark)[ \t]*(?:\n|\Z)"
    r"|\A---[ \t]*\n(?P<dotted>(?:.*\n)*?)\.\.\.[ \t]*(?:\n|\Z)"
)
_YAML_KEY = re.compile(r"^[\w-]+[ \t]*:(?:[ \t]|$)", re.MULTILINE)
_YAML_TITLE = re.compile(r"^title[ \t]*:[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_ATX = re.compile(r" {0,3}(?P<level>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d{1,9}[.)][ \t])| {4}|\t")
_LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\([^)]*\)")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.:][^}]*\}$")
_MARKUP = re.compile(r"\*{1,3}|_{2}|`|\\(?=[!-/:-@\[-`{-~])")


def markdown_document(text: str, title: str = "") -> MarkdownDocument:
    r"""Markdown source as a document.

    Line ends become ``\\n`` and a byte order mark goes; everything else stays, character by character. Front matter
    (YAML, TOML) becomes a fenced block: CommonMark would read it as a rule and a heading. The title is ``title``, else
    that of the front matter, else the first level-1 heading, else the first heading. Raises ``ConversionFailed`` where
    there is nothing but white space.
    """
    source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    if not source.strip():
        raise ConversionFailed("the Markdown holds no text", stage="convert")
    front_title, source = _fenced_front_matter(source)
    return MarkdownDocument(
        text=source,
        title=title or front_title or first_heading(source),
        source_kind="markdown",
        converter=CONVERTER,
        digest=digest(source),
    )


def _fenced_front_matter(source: str) -> tuple[str, str]:
    """The front matter's title, and the text with the front matter in a fence."""
    found = _FRONT_MATTER.match(source)
    if not found:
        return "", source
    is_toml = found.group("mark") == "+++"
    body = found.group("body") if found.group("dotted") is None else found.group("dotted")
    if not is_toml and body.strip() and not _YAML_KEY.search(body):
        return "", source
    rest = source[found.end() :].lstrip("\n")
    if not body.strip():
        return "", rest or source
    longest = max((len(run) for run in re.findall("`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    title = _toml_title(body) if is_toml else _yaml_title(body)
    return title, f"{fence}{'toml' if is_toml else 'yaml'}\n{body}{fence}\n" + (f"\n{rest}" if rest else "")


def _yaml_title(body: str) -> str:
    found = _YAML_TITLE.search(body)
    if not found:
        return ""
    value = found.group("value")
    if value[0] in "\"'":
        end = value.find(value[0], 1)
        return value[1:end] if end > 0 else value[1:]
    if value[0] in ">|":
        return ""
    return value.partition(" #")[0].rstrip()


def _toml_title(body: str) -> str:
    try:
        value = tomllib.loads(body).get("title")
    except tomllib.TOMLDecodeError:
        return ""
    return value if isinstance(value, str) else ""


def first_heading(text: str) -> str:
    """Plain text of the first level-1 heading, else of the first heading; empty where there is none."""
    first = ""
    fence = ""
    previous = ""
    for line in text.split("\n"):
        if fence:
            if (closing := line.strip()) and not closing.strip(fence[0]) and len(closing) >= len(fence):
                fence = ""
            continue
        if opening := _FENCE.match(line):
            if opening.group("fence")[0] == "~" or "`" not in opening.group("info"):
                fence = opening.group("fence")
            previous = ""
            continue
        level, heading = _heading(line, previous)
        if heading:
            if level == 1:
                return _plain(heading)
            first = first or _plain(heading)
        previous = line if line.strip() and not _NO_PARAGRAPH.match(line) and not heading else ""
    return first


def _heading(line: str, previous: str) -> tuple[int, str]:
    if atx := _ATX.match(line):
        return len(atx.group("level")), atx.group("text") or ""
    if previous and (setext := _SETEXT.match(line)):
        return (1 if setext.group("mark")[0] == "=" else 2), previous.strip()
    return 0, ""


def _plain(heading: str) -> str:
    text = _LINK.sub(lambda link: link.group("text"), _ATTRIBUTES.sub("", heading))
    return _MARKUP.sub("", text).strip()
