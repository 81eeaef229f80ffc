"""Inline content: text, emphasis, links, images, code spans, formulas, notes. One handler per tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html import marks
from conversion.html.code import verbatim
from conversion.html.formulas import formula, formula_of_class, script_formula
from conversion.html.images import image
from conversion.html.marks import BREAK, CODE_MARK, LINK_OPEN, OPAQUE_CLOSE, OPAQUE_OPEN, visible
from conversion.html.notes import is_citation_backlink, leads_to_citation, note_reference
from conversion.html.state import MAX_INLINE_DEPTH
from conversion.html.tags import BLOCKS, SKIPPED, holds, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

    from conversion.html.state import State

    Handler = Callable[[State, HtmlElement, list[str]], None]

_PERMALINK_CLASS = re.compile(
    r"(?:^|[\s_-])(?:headerlink|header-anchor|heading-anchor|hash-link|permalink|anchor-?link|anchorjs-link"
    r"|copiable-(?:anchor|link)|headline-anchor|direct-link|mw-editsection|sphinx-bs-anchor)(?:$|[\s_-])",
    re.IGNORECASE,
)
_GLYPHS = re.compile(r"[\s#¶§🔗⚓∞☍\u200d\ufe0f\ue000-\uf8ff]*")
_COPY = re.compile(r"copy|clipboard|toggle-?(?:wrap|word)|expand-?code|run-?code", re.IGNORECASE)
_BRACKETED_PIECE = re.compile(rf"\s*\[\s*({OPAQUE_OPEN}\d+{OPAQUE_CLOSE})\s*\]\s*")
_EXPONENT = re.compile(r"[-−+]?(?:\d+|[a-z])$")
_MARGIN = " \t\r\n\f\xa0" + BREAK
_BRACKET = re.compile(r"[\[\]]")


def content(state: State, element: HtmlElement, run: list[str]) -> None:
    """Appends the inline content of the element, its own tail left out."""
    if element.text:
        run.append(visible(element.text))
    if not len(element):
        return
    if state.inline_depth >= MAX_INLINE_DEPTH:
        run.extend(visible(str(text)) for child in element for text in child.itertext(with_tail=True))
        return
    state.inline_depth += 1
    for child in element:
        piece(state, child, run)
        if child.tail:
            run.append(visible(child.tail))
    state.inline_depth -= 1


def piece(state: State, element: HtmlElement, run: list[str]) -> None:
    """Appends one inline element (comments and unread elements append nothing)."""
    tag = element.tag
    handler = HANDLERS.get(tag)
    if element in state.unread:
        return
    if handler is not None:
        handler(state, element, run)
    elif isinstance(tag, str) and tag not in SKIPPED:
        if tag in BLOCKS:
            run.append(" ")
            content(state, element, run)
            run.append(" ")
        else:
            content(state, element, run)


def is_permalink(element: HtmlElement) -> bool:
    """Whether this is a heading's link to itself (pilcrow, hash, chain) rather than text of the page."""
    name = element.get("class")
    if name and _PERMALINK_CLASS.search(name):
        return True
    href = element.get("href")
    if not href or "#" not in href:
        return False
    text = text_of(element) if len(element) else element.text or ""
    return bool(text.strip()) and _GLYPHS.fullmatch(text) is not None


def code_text(element: HtmlElement) -> str:
    """The folded text of an inline code element."""
    if not len(element):
        text = element.text or ""
    else:
        text = text_of(element) if _wraps_text(element) or not holds(element, "br") else verbatim(element)
    return " ".join(visible(text).split())


def _wraps_text(element: HtmlElement) -> bool:
    """Whether a single ``span`` without elements is all there is, as Sphinx writes code."""
    return len(element) == 1 and element[0].tag == "span" and not len(element[0])


def _code(state: State, element: HtmlElement, run: list[str]) -> None:
    if len(element) and not _wraps_text(element):
        only = element[0]
        if len(element) == 1 and only.tag == "a" and not (element.text or "").strip() and not (only.tail or "").strip():
            if is_permalink(only):
                return
            _link(state, only, run, as_code=True)
            return
        if holds(element, "math", "img"):
            content(state, element, run)
            return
    if text := code_text(element):
        run.append(state.keep(CODE_MARK + text))
    elif element.text and element.text.isspace():
        run.append(" ")


def _emphasis(opener: str, closer: str) -> Handler:
    def handler(state: State, element: HtmlElement, run: list[str]) -> None:
        name = element.get("class")
        if name and (_formula_class(state, element, name, run)):
            return
        if state.plain or opener in state.styles:
            content(state, element, run)
            return
        before = state.styles
        state.styles = before + opener
        run.append(opener)
        content(state, element, run)
        run.append(closer)
        state.styles = before

    return handler


def _formula_class(state: State, element: HtmlElement, name: str, run: list[str]) -> bool:
    if "math" not in name.lower() and "katex" not in name:
        return False
    found = formula_of_class(element, name)
    if found is None:
        return False
    if found:
        run.append(state.keep(found))
    return True


def _link(state: State, element: HtmlElement, run: list[str], as_code: bool = False) -> None:
    if is_permalink(element):
        state.pending = element.get("id") or element.get("name") or state.pending
        return
    href = element.get("href")
    if href and "#" in href and not state.plain:
        if is_citation_backlink(element):
            return
        if note := note_reference(state, element, href):
            run.append(note)
            return
        if leads_to_citation(href):
            content(state, element, run)
            return
    inner: list[str] = []
    within = state.in_link
    state.in_link = True
    if as_code:
        code = code_text(element)
        inner.append(state.keep(CODE_MARK + code) if code else "")
    else:
        content(state, element, inner)
    state.in_link = within
    text = "".join(inner)
    if not text.strip(_MARGIN):
        state.pending = element.get("id") or element.get("name") or state.pending
        run.append(text)
        return
    target = "" if state.plain or within else state.links.absolute(href)
    if not target:
        run.append(text)
        return
    lead, bare, trail = _margins(text)
    if bare == target and target.startswith(("http://", "https://", "ftp://")):
        run.append(f"{lead}{state.keep(f'<{target}>')}{trail}")
        return
    if "](" in bare or not _brackets_balanced(bare):
        bare = _BRACKET.sub(lambda bracket: state.keep("\\" + bracket.group()), bare)
    closing = state.keep(f"]({target})")
    run.append(f"{lead}{LINK_OPEN}{bare}{closing}{trail}")


def _margins(text: str) -> tuple[str, str, str]:
    """The text of a link between what must stand outside of it: white space and line breaks."""
    bare = text.strip(_MARGIN)
    start = text.find(bare)
    lead, trail = text[:start], text[start + len(bare) :]
    return lead, bare.replace(BREAK, " "), trail


def _brackets_balanced(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket == "[" else -1
        if depth < 0:
            return False
    return depth == 0


def _image(state: State, element: HtmlElement, run: list[str]) -> None:
    run.append(image(state, element))


def _break(state: State, element: HtmlElement, run: list[str]) -> None:
    run.append(BREAK)
    content(state, element, run)


def _span(state: State, element: HtmlElement, run: list[str]) -> None:
    name = element.get("class")
    if name:
        if _PERMALINK_CLASS.search(name) or is_citation_backlink(element):
            return
        if _formula_class(state, element, name, run):
            return
    if not len(element) and not element.text:
        state.pending = element.get("id") or state.pending
        return
    content(state, element, run)


def _superscript(state: State, element: HtmlElement, run: list[str]) -> None:
    inner: list[str] = []
    content(state, element, inner)
    text = "".join(inner)
    if "footnote" in (element.get("class") or "") and (note := _BRACKETED_PIECE.fullmatch(text)):
        run.append(note.group(1))
        return
    before = next((part[-1] for part in reversed(run) if part), "")
    if _EXPONENT.match(text.strip()) and (before.isalnum() or before == ")"):
        run.append("^" + text.strip())
    else:
        run.append(text)


def _ruby_text(state: State, element: HtmlElement, run: list[str]) -> None:
    # Parentheses of our own: <rp> holds those of browsers without ruby, and is skipped.
    inner: list[str] = []
    content(state, element, inner)
    if text := "".join(inner).strip():
        run.append(f"({text})")


def _quotation(state: State, element: HtmlElement, run: list[str]) -> None:
    run.append("“")
    content(state, element, run)
    run.append("”")


def _button(state: State, element: HtmlElement, run: list[str]) -> None:
    says = " ".join(
        filter(None, (element.get(name) for name in ("class", "title", "aria-label", "data-clipboard-text")))
    )
    if _COPY.search(says) or element.get("data-clipboard-text") or element.get("data-clipboard-target"):
        return
    if _COPY.search(text_of(element)) and element.getparent().find(".//pre") is not None:
        return
    content(state, element, run)


def _math(state: State, element: HtmlElement, run: list[str]) -> None:
    if found := formula(element):
        run.append(state.keep(found))


def _script(state: State, element: HtmlElement, run: list[str]) -> None:
    """MathJax 2 keeps the source of a formula in a script; no other script is text."""
    if found := script_formula(element):
        run.append(state.keep(found))


def _vector_image(_state: State, element: HtmlElement, run: list[str]) -> None:
    words = [" ".join(text_of(text).split()) for text in element.iter("{*}text", "text")]
    if any(words):
        run.append(" " + " ".join(filter(None, words)) + " ")


HANDLERS: dict[object, Handler] = {
    "a": _link,
    "b": _emphasis(marks.STRONG_OPEN, marks.STRONG_CLOSE),
    "strong": _emphasis(marks.STRONG_OPEN, marks.STRONG_CLOSE),
    "em": _emphasis(marks.EM_OPEN, marks.EM_CLOSE),
    "i": _emphasis(marks.EM_OPEN, marks.EM_CLOSE),
    "del": _emphasis(marks.DEL_OPEN, marks.DEL_CLOSE),
    "s": _emphasis(marks.DEL_OPEN, marks.DEL_CLOSE),
    "strike": _emphasis(marks.DEL_OPEN, marks.DEL_CLOSE),
    "code": _code,
    "tt": _code,
    "kbd": _code,
    "samp": _code,
    "img": _image,
    "br": _break,
    "span": _span,
    "sup": _superscript,
    "rt": _ruby_text,
    "q": _quotation,
    "button": _button,
    "math": _math,
    "mjx-container": _math,
    "script": _script,
    "svg": _vector_image,
}
