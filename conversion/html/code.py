"""Code blocks: verbatim, with their language, without line numbers, prompts to copy or highlighting."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from conversion.html.blocks import Code
from conversion.html.languages import language
from conversion.html.marks import visible
from conversion.html.tags import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_GUTTER = re.compile(
    r"(?:^|\s)(?:lineno|linenos|line-?numbers?(?:-rows)?|linenumber|line-num|ln|lnt|gutter|rouge-gutter|gl|blob-num"
    r"|hljs-ln-numbers|hljs-ln-n|code-line-number|react-code-line-number|ec-gutter|diff-line-num|lnr|linenr)(?:\s|$)",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?:^|\s)(?:line|token-line|code-line|cl|view-line|ec-line|hljs-ln-line|cm-line|CodeMirror-line|react-code-line|"
    r"highlight-line|code__line|row)(?:\s|$)"
)
_TOOL = re.compile(
    r"copy|clipboard|toolbar|visually-hidden|sr-only|hljs-copy|code-header|lang-label|conum-tip", re.IGNORECASE
)
_BLOCK_LINES = frozenset([
    "div", "p", "li", "tr", "ol", "ul", "table", "tbody", "blockquote", "section", "dd", "dt", "h1", "h2", "h3",
    "h4", "h5", "h6",
])  # fmt: skip
_UNREAD = frozenset(["script", "style", "button", "template", "select", "noscript", "svg", "textarea", "rp", "rt"])
_LINE_HOLDERS = frozenset({"table", "tbody", "tr", "ol", "ul"})
_NUMBERS = re.compile(r"[\s\d.:|]*\d[\s\d.:|]*")


def code_block(element: HtmlElement) -> Code | None:
    r"""The element's code, None where it is blank. Line ends are ``\\n``; lines keep their leading white space."""
    text = verbatim(element)
    if not text.strip():
        return None
    return Code(text, language(element))


def verbatim(element: HtmlElement) -> str:
    """Text of a code element: one line per line that a reader sees, gutters and tools left out."""
    text = text_of(element) if _is_simple(element) else _read(element)
    text = visible(text).replace("\r\n", "\n").replace("\r", "\n")
    return _LEADING_BLANK_LINES.sub("", text.rstrip())


def _is_simple(element: HtmlElement) -> bool:
    for inner in element.iter():
        tag = inner.tag
        if tag == "span":
            name = inner.get("class")
            if name and ((looks := _looks(name)).is_gutter or looks.is_line):
                return False
        elif tag not in ("code", "pre", "a", "b", "i", "em", "strong", "font", "var", "samp", "kbd", "tt", "mark", "u"):
            return False
    return True


class _Lines:
    """Text that is put together line by line."""

    __slots__ = ("_at_start", "_implied", "_parts")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at_start = True
        self._implied = False

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)
            self._at_start = text.endswith("\n")
            self._implied = False

    def add_behind(self, text: str | None, *, before_line: bool) -> None:
        """Text behind a line: a line end that stands there is the one that closing the line wrote."""
        if not text:
            return
        head, end, rest = text.partition("\n")
        if end and self._implied and not head.strip():
            text = rest
        self.add(text.rstrip(" \t") if before_line else text)

    def open(self) -> None:
        """A line begins, be it an empty one."""
        self._at_start = False

    def close(self, always: bool = False) -> None:
        """The open line ends."""
        if always or not self._at_start:
            self._parts.append("\n")
            self._at_start = True
            self._implied = not always

    @property
    def text(self) -> str:
        return "".join(self._parts)


def _read(element: HtmlElement) -> str:
    """The lines of a code element that has more inside than highlighting; iterative, for any depth."""
    lines = _Lines()
    lines.add(element.text)
    stack: list[tuple[HtmlElement, Iterator[HtmlElement], bool]] = [(element, iter(element), False)]
    while stack:
        parent, children, is_line = stack[-1]
        for child in children:
            if _is_token(child):
                lines.add(f"{child.text or ''}{child.tail or ''}")
            elif child.tag == "br":
                lines.close(always=True)
                lines.add(child.tail)
            elif _unread(child):
                # Doxygen parts number and code by a no-break space of its own.
                lines.add(child.tail.removeprefix("\xa0") if child.tail else None)
            else:
                stack.append((child, iter(child), _enter(child, lines)))
                break
        else:
            stack.pop()
            if not is_line:
                lines.add(parent.tail if stack else None)
                continue
            lines.close()
            if stack:
                following = parent.getnext()
                lines.add_behind(parent.tail, before_line=following is None or not _runs_on(following))
    return lines.text


class _Looks(NamedTuple):
    """What a class attribute may mean inside code."""

    is_gutter: bool
    is_tool: bool
    is_line: bool


@lru_cache(maxsize=10_000)
def _looks(name: str) -> _Looks:
    return _Looks(*(pattern.search(name) is not None for pattern in (_GUTTER, _TOOL, _LINE)))


_TOKEN = _Looks(is_gutter=False, is_tool=False, is_line=False)


def _is_token(element: HtmlElement) -> bool:
    """Whether the element is highlighting and nothing else, as nearly all are."""
    return (
        element.tag == "span"
        and not len(element)
        and element.keys() == ["class"]
        and _looks(element.get("class")) == _TOKEN
    )


def _enter(element: HtmlElement, lines: _Lines) -> bool:
    """Reads the element's own text; answers whether the element is a line (or holds lines) of its own."""
    is_block = element.tag in _BLOCK_LINES
    if is_block:
        lines.close()
    is_line = is_block or _is_line_span(element)
    if element.tag in _LINE_HOLDERS and _is_blank(element.text):
        return is_line
    if is_line and not element.text:
        lines.open()
    lines.add(element.text)
    return is_line


def _runs_on(element: HtmlElement) -> bool:
    """Whether the element goes on with the line that it stands in."""
    return not (element.tag == "br" or element.tag in _BLOCK_LINES or _unread(element) or _is_line_span(element))


def _is_blank(text: str | None) -> bool:
    return not text or not text.strip()


def _unread(element: HtmlElement) -> bool:
    tag = element.tag
    if not isinstance(tag, str) or tag in _UNREAD:
        return True
    name = element.get("class")
    if element.get("data-line-number") is not None and not text_of(element).strip():
        return True
    if not name:
        return False
    looks = _looks(name)
    if looks.is_gutter:
        return _NUMBERS.fullmatch(text_of(element)) is not None or not text_of(element).strip()
    return looks.is_tool and tag in ("div", "span", "a")


def _is_line_span(element: HtmlElement) -> bool:
    """Whether a span shows one line that no line end follows: some highlighters leave line ends to the style sheet."""
    if element.tag not in ("span", "code"):
        return False
    name = element.get("class") or ""
    if element.get("data-line") is None and not _looks(name).is_line:
        return False
    if element.tail and "\n" in element.tail:
        return False
    neighbour = element.getnext()
    if neighbour is None:
        neighbour = element.getprevious()
    return neighbour is not None and neighbour.tag == element.tag and neighbour.get("class") == element.get("class")
