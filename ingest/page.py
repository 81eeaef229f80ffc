"""One page through all stages, as a pure function: clean -> convert -> parse -> plan -> assemble.

Whatever a page holds, the result is one outcome with its reason, never an exception.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chunking import assemble, build_tree
from conversion import markdown_document
from filters import clean_page
from filters.links import base_url, find_directives, find_links
from filters.parse import decode, parse_html
from filters.survey import take_survey
from ingest.documents import DocumentPage, converted, document_pages, pages_in_words
from ingest.markdown_links import markdown_links
from ingest.page_records import PageRecord
from ingest.sniff import BodyKind, body_kind, media_type, why_unread
from wrac.errors import LoginWall, NothingExtracted, PageError, UnsupportedContent
from wrac.language_tags import primary_subtag
from wrac.records import (
    Directives,
    Link,
    MarkdownDocument,
    Outcome,
    PageMetadata,
    PageOutcome,
    Removal,
)
from wrac.urls import normalize_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversion.documents import ConvertedDocument
    from ingest.page_settings import PageSettings
    from wrac.records import CleanedPage, FetchedPage

    ConvertDocument = Callable[[bytes, str], ConvertedDocument]

_REASON_LENGTH = 300


@dataclass(frozen=True, slots=True)
class ProcessedPage:
    """What became of one fetched page."""

    outcome: PageOutcome
    """INDEXED where there is a record to publish."""
    canonical: str = ""
    """The canonical that the page declares, normalised; empty where it declares none or itself."""
    directives: Directives = field(default_factory=Directives)
    metadata: PageMetadata = field(default_factory=PageMetadata)
    links: tuple[Link, ...] = ()
    record: PageRecord | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    """Time of each stage that ran."""


def process_page(
    page: FetchedPage,
    settings: PageSettings,
    clock: Callable[[], float] = time.perf_counter,
    *,
    previous: PageRecord | None = None,
    convert_document: ConvertDocument = converted,
) -> ProcessedPage:
    """What became of the page. Total: every fault of a page is an outcome with stage and reason.

    Sections that are as in ``previous``, the page's record before, keep their chunks. ``convert_document`` makes
    Markdown of a document's bytes and URL; it may raise ``PageError``.
    """
    work = _Work(page, settings, clock, previous, convert_document)
    try:
        return work.run()
    except LoginWall as error:
        return work.ended(Outcome.LOGIN_WALL, str(error))
    except NothingExtracted as error:
        return work.ended(Outcome.EMPTY, str(error))
    except UnsupportedContent as error:
        return work.ended(Outcome.UNSUPPORTED, str(error))
    except PageError as error:
        return work.ended(Outcome.FAILED, f"{error.stage}: {error.reason}: {error}")
    except Exception as error:  # noqa: BLE001 (a page may break anything; it must not stop the others)
        return work.ended(Outcome.FAILED, f"{work.stage}: {type(error).__name__}: {error}")


class _Work:
    """One page on its way: where it stands, and what is known of it so far."""

    def __init__(
        self,
        page: FetchedPage,
        settings: PageSettings,
        clock: Callable[[], float],
        previous: PageRecord | None,
        convert_document: ConvertDocument,
    ) -> None:
        self.page = page
        self._convert_document = convert_document
        self.previous = previous
        self.settings = settings
        self.url = normalize_url(page.final_url) or page.final_url
        self.stage = "sniff"
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._since = clock()
        self._directives = Directives()
        self._metadata = PageMetadata()
        self._links: tuple[Link, ...] = ()
        self._canonical = ""

    def run(self) -> ProcessedPage:
        kind = body_kind(self.page.body, self.page.content_type, self.page.final_url)
        if kind.is_document or (kind is BodyKind.IMAGE and self._is_named_picture()):
            return self._document()
        if kind is BodyKind.HTML:
            return self._html()
        if kind is BodyKind.MARKDOWN:
            return self._markdown()
        if kind is BodyKind.EMPTY:
            return self.ended(Outcome.EMPTY, "the body is empty")
        why = why_unread(self.page.body, self.page.content_type, self.page.final_url)
        return self.ended(Outcome.UNSUPPORTED, why)

    def _is_named_picture(self) -> bool:
        """Whether the page is a file on disk that is called a picture: folders are looked through for none."""
        return self.page.status == 0 and media_type(self.page.content_type).startswith("image/")

    def _html(self) -> ProcessedPage:
        self._enter("clean")
        try:
            cleaned = clean_page(self.page, self.settings.rules)
        except (NothingExtracted, LoginWall):
            self._rescue_links()
            raise
        self._learn(cleaned)
        if (stop := self._unwanted()) is not None:
            return stop
        self._enter("convert")
        document = self.settings.html_converter.convert(cleaned)
        return self._chunked(document, cleaned.removals)

    def _markdown(self) -> ProcessedPage:
        self._enter("convert")
        text = decode(self.page.body, self.page.content_type)
        document = markdown_document(text)
        self._links = markdown_links(document.text, self.page.final_url)
        self._metadata = PageMetadata(title=document.title)
        self._learn_headers()
        return self._unwanted() or self._chunked(document, ())

    def _document(self) -> ProcessedPage:
        self._learn_headers()
        if (stop := self._unwanted()) is not None:
            return stop
        self._enter("convert")
        made = self._convert_document(self.page.body, self.page.final_url)
        # What it was, before LibreOffice wrote it anew: that is what a reader opens and filters by.
        document = replace(made.document, source_kind=str(made.kind))
        self._metadata = made.metadata
        self._links = markdown_links(document.text, self.page.final_url)
        return self._unwanted() or self._chunked(document, made.removals, document_pages(made))

    def _learn_headers(self) -> None:
        """What HTTP says of a body that cannot say it itself."""
        nothing = take_survey(parse_html(b"<html></html>", "text/html"))
        self._directives = find_directives(nothing, self.page.robots_tag)
        self._canonical = self._other(self.page.link_canonical)

    def _learn(self, cleaned: CleanedPage) -> None:
        self._metadata = cleaned.metadata
        self._directives = cleaned.directives
        self._links = cleaned.links
        self._canonical = self._other(cleaned.metadata.canonical)

    def _rescue_links(self) -> None:
        """A page without content, e.g. a bare menu, still leads to others."""
        survey = take_survey(parse_html(self.page.body, self.page.content_type))
        self._links = find_links(survey, base_url(survey, self.page.final_url))
        self._directives = find_directives(survey, self.page.robots_tag)

    def _other(self, canonical: str) -> str:
        target = normalize_url(canonical) if canonical else ""
        return "" if target == self.url else target

    def _unwanted(self) -> ProcessedPage | None:
        """The end of a page that must not be indexed."""
        if self._directives.noindex and self.settings.obey_robots:
            return self.ended(Outcome.NOINDEX, "the page asks not to be indexed (robots: noindex)")
        language = primary_subtag(self._metadata.language)
        if self.settings.languages and language and language not in self.settings.languages:
            wanted = ", ".join(self.settings.languages)
            return self.ended(Outcome.LANGUAGE, f"the page is in {language}, the site profile asks for {wanted}")
        return None

    def _chunked(
        self, document: MarkdownDocument, removals: tuple[Removal, ...], pages: tuple[DocumentPage, ...] = ()
    ) -> ProcessedPage:
        self._enter("parse")
        tree = build_tree(document, self.settings.limits)
        self._enter("plan")
        planning = self.settings.planning
        kept = self.previous.groups_for(tree, planning, self.settings.limits) if self.previous else ()
        plan = self.settings.planner.plan(tree, kept=kept)
        self._enter("assemble")
        chunks = assemble(tree, plan)
        if not chunks:
            return self.ended(Outcome.EMPTY, pages_in_words(pages) or "no content was left after cleaning")
        record = PageRecord(
            url=self.url,
            metadata=self._metadata,
            removals=removals,
            document=document,
            units=tree.units,
            fusions=tree.fusions,
            plan=plan,
            chunks=chunks,
            planning=planning,
            pages=pages,
        )
        return self.ended(Outcome.INDEXED, "", record)

    def ended(self, outcome: Outcome, reason: str, record: PageRecord | None = None) -> ProcessedPage:
        """The page's end, with all that is known of it."""
        self._enter("")
        return ProcessedPage(
            outcome=PageOutcome(self.url, outcome, " ".join(reason.split())[:_REASON_LENGTH]),
            canonical=self._canonical,
            directives=self._directives,
            metadata=self._metadata,
            links=self._links,
            record=record,
            seconds=self.seconds,
        )

    def _enter(self, stage: str) -> None:
        now = self._clock()
        self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + now - self._since
        self.stage, self._since = stage, now
