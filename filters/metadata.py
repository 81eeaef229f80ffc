"""What a page says about itself: title, language, dates, canonical URL, version, alternates."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from filters.breadcrumb import find_breadcrumb
from filters.links import absolute
from filters.structured import read_structured_data
from filters.text import text_of
from wrac.records import PageMetadata

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.survey import Survey

_CHANGED: Final = re.compile(r"last-?_?updated|last-?_?mod|revision-date|updated-at|dateModified", re.IGNORECASE)
_NEAR: Final = 4
_PERMALINK: Final = "¶#§\U0001f517\uf0c1 \u00a0"
_SEPARATOR: Final = re.compile(r"\s+[|\-–—·:»«•~/\\]\s+|\s*[|»·]\s*|:\s+|_")
_DANGLING: Final = re.compile(r"\s(?:--|[|\-–—:·»])$")
"""Behind it the page's own part of the title should stand."""
_NAMED_VERSION: Final = re.compile(
    r"\bv?(\d+(?:\.\d+)+[\w.+-]*)\b(?=\s*(?:documentation|docs|manual|ドキュメント|文档))", re.IGNORECASE
)
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$")

_PUBLISHED: Final = (
    "article:published_time",
    "datepublished",
    "dcterms.created",
    "dcterms.issued",
    "dc.date.issued",
    "publish-date",
    "date",
    "dc.date",
)
_MODIFIED: Final = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "revised",
    "docbuild:last-update",
)
_VERSIONS: Final = ("docsearch:version", "version", "doc-version", "product-version", "release")
_LANGUAGES: Final = (
    "content-language",
    "docsearch:language",
    "dc.language",
    "dcterms.language",
    "language",
    "og:locale",
)


def read_metadata(
    root: HtmlElement,
    survey: Survey,
    *,
    content: HtmlElement | None,
    url: str,
    base: str,
    header_canonical: str,
    generator: str,
) -> PageMetadata:
    """All facts, empty where the page says nothing. Dates are ISO 8601; a date that is none is left out.

    ``content`` is the content element that the page names, where it names one: its heading outranks the site's.
    """
    metas = _meta_values(survey)
    structured = read_structured_data(survey)
    raw_title = _document_title(survey) or metas.get("og:title", "") or metas.get("twitter:title", "")
    h1, h1_is_content = _headings(survey, content)
    title = page_title(
        raw_title, h1, metas.get("og:title", ""), metas.get("og:site_name", ""), h1_is_content=h1_is_content
    )
    canonical, alternates = _link_relations(survey, base)
    return PageMetadata(
        title=title,
        language=_language(root, metas, structured.language),
        description=metas.get("description", "") or metas.get("og:description", ""),
        published=_first_date(*(metas.get(name, "") for name in _PUBLISHED), structured.published),
        modified=_first_date(*(metas.get(name, "") for name in _MODIFIED), structured.modified, _changed_time(survey)),
        canonical=canonical or (absolute(url, header_canonical) if header_canonical else ""),
        version=_version(survey, metas, raw_title),
        generator=generator,
        breadcrumb=find_breadcrumb(survey, structured.breadcrumb, (title, h1, raw_title)),
        alternates=alternates,
    )


def page_title(raw: str, h1: str, og_title: str, site_name: str, *, h1_is_content: bool = True) -> str:
    """The page's own title: ``raw`` without the site's name where something on the page confirms the cut.

    What confirms it: the first heading or og:title is one end of ``raw`` (a heading outside of the content, which may
    be the site's name, only where it is the beginning); og:site_name is the other end; or the other end is what
    documentation generators write ("X 1.2 documentation").
    """
    raw, h1 = raw.strip(), h1.strip()
    if not raw or (_DANGLING.search(raw) and h1):
        return og_title or h1
    for own, either in ((h1, h1_is_content), (og_title, True)):
        if own and len(own) < len(raw) and _is_end(raw, own, either=either):
            return own
    cuts = list(_SEPARATOR.finditer(raw))
    if site_name:
        for cut in cuts:
            if raw[cut.end() :].casefold() == site_name.casefold():
                return raw[: cut.start()].strip()
            if raw[: cut.start()].casefold() == site_name.casefold():
                return raw[cut.end() :].strip()
    if (
        cuts
        and re.search(r"\b(documentation|docs|manual)$", raw, re.IGNORECASE)
        and not cuts[-1].group().startswith(":")
    ):
        return raw[: cuts[-1].start()].strip()
    return raw


def _is_end(raw: str, own: str, *, either: bool) -> bool:
    folded, end = raw.casefold(), own.casefold()
    if folded.startswith(end):
        return _SEPARATOR.match(raw, len(own)) is not None
    return either and folded.endswith(end) and raw[: len(raw) - len(own)].rstrip()[-1:] in tuple("|-–—·:»")


def _meta_values(survey: Survey) -> dict[str, str]:
    values: dict[str, str] = {}
    for meta in survey.tagged("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or meta.get("http-equiv")
        if name:
            values.setdefault(name.strip().lower(), " ".join((meta.get("content") or "").split()))
    return values


def _document_title(survey: Survey) -> str:
    """Text of the title element in the head; a picture may hold titles of its own."""
    return next((text for text in map(text_of, survey.tagged("title")) if text), "")


def _headings(survey: Survey, content: HtmlElement | None) -> tuple[str, bool]:
    """Text of the first h1 of the content, else of the page, without its permalink; and whether the content has it."""
    inner = [] if content is None else list(content.iter("h1"))
    for elements, is_content in ((inner, True), (survey.tagged("h1"), content is None)):
        for h1 in elements:
            if text := text_of(h1).rstrip(_PERMALINK):
                return text, is_content
    return "", False


def _link_relations(survey: Survey, base: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    canonical = ""
    alternates: list[tuple[str, str]] = []
    for link in survey.tagged("link"):
        relations = (link.get("rel") or "").lower().split()
        href = link.get("href")
        if not href:
            continue
        if "canonical" in relations and not canonical:
            canonical = absolute(base, href)
        elif "alternate" in relations and link.get("hreflang"):
            target = absolute(base, href)
            if target:
                alternates.append((link.get("hreflang").strip().lower(), target))
    return canonical, tuple(dict.fromkeys(alternates))


def _language(root: HtmlElement, metas: dict[str, str], structured: str) -> str:
    declared = (root.get("lang"), root.get("xml:lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"))
    body = root.find("body")
    candidates = [*declared, None if body is None else body.get("lang"), *(metas.get(name) for name in _LANGUAGES)]
    for value in (*candidates, structured):
        tag = (value or "").split(",")[0].strip()
        if tag and _LANGUAGE.match(tag):
            return tag.replace("_", "-").lower()
    return ""


def _version(survey: Survey, metas: dict[str, str], raw_title: str) -> str:
    for name in _VERSIONS:
        if value := metas.get(name):
            return value
    if (marked := survey.by_id.get("projectnumber")) is not None and (text := text_of(marked)):
        return text
    named = _NAMED_VERSION.search(raw_title)
    return named.group(1) if named else ""


def _changed_time(survey: Survey) -> str:
    for time in survey.tagged("time"):
        around = [time, *islice(time.iterancestors(), _NEAR)]
        if time.get("datetime") and any(_CHANGED.search(element.get("class") or "") for element in around):
            return str(time.get("datetime"))
    return ""


def _first_date(*values: str) -> str:
    return next((date for date in map(iso_date, values) if date), "")


def iso_date(value: str) -> str:
    """``value`` as ISO 8601 where it is a date in ISO or RFC 5322 form, else empty."""
    text = value.strip()
    if not text:
        return ""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        try:
            return parsedate_to_datetime(text).isoformat()
        except ValueError:
            return ""
    return text if len(text) == len("2024-01-31") else parsed.isoformat()
