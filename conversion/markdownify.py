"""``MarkdownifyConverter``: BeautifulSoup and markdownify behind the same protocol.

A site may choose it (``converter = "markdownify"``), and it is the independent oracle of the congruence tests: both
converters must find the same words, headings and code on simple pages.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import lxml.html
from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from conversion.html.code import verbatim
from conversion.html.escapes import code_span
from conversion.html.inline import is_permalink
from conversion.html.languages import language
from conversion.html.links import Links
from conversion.html.marks import anchor_mark, take_anchors, visible, without_anchors
from wrac.errors import ConversionFailed
from wrac.ids import digest, page_id
from wrac.records import Anchor, MarkdownDocument

if TYPE_CHECKING:
    from wrac.records import CleanedPage

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLANK_LINES = re.compile(r"\n{3,}")
_FENCES = re.compile("`{3,}")


class MarkdownifyConverter:
    """Markdown as markdownify writes it, with code, tables and links mended where it loses content."""

    name = "markdownify/1"

    def convert(self, page: CleanedPage) -> MarkdownDocument:
        """Markdown of the page, headings anchored. Raises ``ConversionFailed``."""
        fragments: list[str] = []
        try:
            soup = BeautifulSoup(lxml.html.tostring(page.root, encoding="unicode", with_tail=False), "lxml")
            _anchor_headings(soup, fragments)
            writer = _Writer(Links(page.url, page.base_url))
            text, places = take_anchors(_BLANK_LINES.sub("\n\n", writer.convert_soup(soup)).strip())
        except RecursionError as error:
            raise _failed(page, "its elements are nested too deeply for markdownify; use converter = 'html'") from error
        if not text:
            raise _failed(page, "the main content holds no text")
        text += "\n"
        first = soup.find(_HEADINGS)
        return MarkdownDocument(
            text=text,
            title=page.metadata.title or (without_anchors(first.get_text(" ", strip=True)) if first else ""),
            source_kind="html",
            converter=self.name,
            digest=digest(text),
            anchors=tuple(Anchor(offset, fragments[index]) for offset, index in places),
        )


def _failed(page: CleanedPage, why: str) -> ConversionFailed:
    return ConversionFailed(f"{page.url}: {why}", stage="convert", page_id=page_id(page.metadata.canonical or page.url))


def _anchor_headings(soup: BeautifulSoup, fragments: list[str]) -> None:
    """Puts a mark in front of each heading that can be linked to, and takes its permalink out."""
    for heading in soup.find_all(_HEADINGS):
        inner = heading.find(id=True) or heading.find("a", attrs={"name": True})
        section = heading.parent if heading.parent is not None and heading.parent.name == "section" else None
        fragment = (
            heading.get("id") or (inner and (inner.get("id") or inner.get("name"))) or (section and section.get("id"))
        )
        for link in heading.find_all("a"):
            if is_permalink(lxml.html.fragment_fromstring(str(link))):
                link.decompose()
        if isinstance(fragment, str) and fragment and heading.get_text(strip=True):
            fragments.append(fragment)
            heading.insert(0, anchor_mark(len(fragments) - 1))


class _Writer(MarkdownConverter):  # type: ignore[misc]  # markdownify carries no types
    """markdownify with what it loses put right; its hooks are named after the tags they convert."""

    def __init__(self, links: Links) -> None:
        super().__init__(
            heading_style="atx",
            bullets="-",
            escape_misc=True,
            table_infer_header=False,
            strip_pre=None,
        )
        self._links = links

    def process_text(self, el: Any, parent_tags: Any = None) -> str:
        text = str(super().process_text(el, parent_tags=parent_tags))
        return text if "pre" in (parent_tags or ()) else text.replace("\xa0", " ")

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        el["href"] = self._links.absolute(str(el.get("href") or ""))
        if "title" in el.attrs:
            del el["title"]
        return str(super().convert_a(el, text, parent_tags))

    def convert_img(self, el: Tag, _text: str, parent_tags: set[str]) -> str:
        alternative = " ".join(str(el.get("alt") or "").split())
        if not alternative or "_inline" in parent_tags:
            return alternative
        return f"![{self.escape(alternative, parent_tags)}]({self._links.absolute(str(el.get('src') or ''))})"

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_noformat" in parent_tags:
            return text
        folded = " ".join(visible(el.get_text()).split())
        return code_span(folded) if folded else ""

    convert_kbd = convert_code
    convert_samp = convert_code
    convert_tt = convert_code

    def convert_pre(self, el: Tag, _text: str, parent_tags: set[str]) -> str:
        source = lxml.html.fragment_fromstring(str(el))
        code = verbatim(source)
        if not code.strip():
            return ""
        if "_inline" in parent_tags:
            return "<br>".join(code_span(line.strip()) for line in code.split("\n") if line.strip())
        longest = max((len(run) for run in _FENCES.findall(code)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n"

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "td" in parent_tags or "th" in parent_tags:
            return "<br>" + text
        return str(super().convert_br(el, text, parent_tags))

    def convert_td(self, el: Tag, text: str, **_: object) -> str:
        # escape_misc has escaped the pipes of plain text; those of code spans are still bare.
        cell = " ".join(re.sub(r"(?<!\\)\|", r"\\|", text).split())
        return f" {cell} |" * max(1, min(_whole(el.get("colspan")), 100))

    convert_th = convert_td

    def convert_hr(self, *_: object, **__: object) -> str:
        return "\n\n***\n\n"

    def convert_script(self, *_: object, **__: object) -> str:
        return ""

    convert_style = convert_script
    convert_template = convert_script
    convert_noscript = convert_script


def _language(element: Tag) -> str:
    """The language that the element or a wrapper names; the wrappers' tags are rebuilt without their content."""
    markup = str(element)
    for parent in list(element.parents)[:3]:
        if parent.name in (None, "[document]", "body", "html"):
            break
        classes = " ".join(filter(None, parent.get_attribute_list("class")))
        markup = f'<div class="{html.escape(classes)}">{markup}</div>'
    wrapped = lxml.html.fragment_fromstring(markup)
    found = wrapped if wrapped.tag == "pre" else wrapped.find(".//pre")
    return language(found) if found is not None else ""


def _whole(value: object) -> int:
    return int(value) if isinstance(value, str) and value.isdigit() else 1
