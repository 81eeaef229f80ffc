"""The one door for documents: whatever the bytes are, Markdown with an account of pages and of what was left out.

Kinds are told by content. In the calling process a document is only guarded (``conversion.drac.guard``: directories
are read, members unpacked into nothing). It is converted in a confined process (``conversion.drac.sandbox``), which
imports converters when they are needed, so that a crawl of HTML pages loads none of them.
"""

from __future__ import annotations

import atexit
import json
import pickle
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from conversion.drac.confinement import ProcessLimits
from conversion.drac.detect import NORMALISED, DocumentKind
from conversion.drac.guard import DEFAULT_LIMITS, GuardLimits, guarded_kind
from conversion.drac.normalize import OfficeSuite, Source, as_pdf, normalized, target_kind
from conversion.drac.sandbox import Sandbox
from conversion.office.records import OfficeOptions
from wrac.errors import ConversionFailed
from wrac.records import Anchor, MarkdownDocument, PageMetadata, PageSpan, Removal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import PdfOptions

_MODULES = {
    DocumentKind.PDF: ("conversion.pdf",),
    DocumentKind.DOCX: ("conversion.office.docx",),
    DocumentKind.PPTX: ("conversion.office.pptx",),
    DocumentKind.XLSX: ("conversion.office.xlsx",),
}
_GOOD_PAGES = frozenset({"text", "ocr", "empty", "transcribed", "repaired", "replaced"})


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """Bounds and settings of a conversion. Can be pickled."""

    guard: GuardLimits = DEFAULT_LIMITS
    process: ProcessLimits = field(default_factory=ProcessLimits)
    suite: OfficeSuite = field(default_factory=OfficeSuite)
    office: OfficeOptions = field(default_factory=OfficeOptions)
    pdf: PdfOptions | None = None
    """None for the defaults of ``conversion.pdf``."""


@dataclass(frozen=True, slots=True)
class PageResult:
    """How one page, slide or sheet ended."""

    page: int
    """1-based."""
    status: str
    """``text``, ``ocr``, ``empty`` (``conversion.pdf.PageStatus``), ``transcribed``, ``repaired`` and ``replaced``
    (``conversion.drac.batches.TranscriptStatus``) are good; the others of the two are not."""
    detail: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether everything readable on it is in the Markdown."""
        return self.status in _GOOD_PAGES


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """A document as Markdown."""

    kind: DocumentKind
    """What it was, before anything wrote it anew."""
    document: MarkdownDocument
    metadata: PageMetadata
    removals: tuple[Removal, ...]
    pages: tuple[PageResult, ...] = ()
    """Empty where the format knows no pages."""

    @property
    def pages_total(self) -> int:
        """Pages of the document."""
        return len(self.pages)

    @property
    def pages_ok(self) -> int:
        """Pages of which everything readable is in the Markdown."""
        return sum(page.is_ok for page in self.pages)


_DEFAULTS = DocumentOptions()


def convert_document(data: bytes, url: str, options: DocumentOptions = _DEFAULTS) -> ConvertedDocument:
    """The document as Markdown, by the deterministic converters.

    ``url`` names it in messages and resolves its links; its ending is not looked at. Raises ``UnsupportedContent`` for
    kinds that are not read (encrypted, EPUB, e-mail, archives), ``NothingExtracted`` where no text stands on any page,
    and ``ConversionFailed`` with one reason for all else.
    """
    (result,) = convert_documents([(url, data)], options)
    if isinstance(result, Exception):
        raise result
    return result


def convert_documents(
    documents: Sequence[tuple[str, bytes]], options: DocumentOptions = _DEFAULTS
) -> list[ConvertedDocument | Exception]:
    """Many documents, (URL, bytes) each, in the order given; a failure is a value and costs no other document.

    Those that LibreOffice must write anew go through it in batches, which costs a fraction of one call for each.
    """
    kinds = [_kind_or_error(data, url, options) for url, data in documents]
    anew = [index for index, kind in enumerate(kinds) if kind in NORMALISED or kind is DocumentKind.IMAGE]
    results: dict[int, ConvertedDocument | Exception] = {}
    usual = dict(zip(anew, _in_usual_form([(documents[i], kinds[i]) for i in anew], options), strict=True))
    for index, ((url, data), kind) in enumerate(zip(documents, kinds, strict=True)):
        source = usual.get(index, data)
        if isinstance(kind, Exception) or isinstance(source, Exception):
            results[index] = kind if isinstance(kind, Exception) else source  # type: ignore[assignment]
            continue
        try:
            results[index] = _confined(source, url, kind, options)
        except Exception as error:  # noqa: BLE001 (handed to whoever asked for this document)
            results[index] = error
    return [results[index] for index in range(len(documents))]


def _kind_or_error(data: bytes, url: str, options: DocumentOptions) -> DocumentKind | Exception:
    try:
        return guarded_kind(data, url, options.guard)
    except Exception as error:  # noqa: BLE001 (the same)
        return error


def _in_usual_form(
    documents: list[tuple[tuple[str, bytes], Any]], options: DocumentOptions
) -> list[bytes | ConversionFailed]:
    """Old and open formats as those of today; pictures as PDF."""
    sources = [Source(url, data, kind) for (url, data), kind in documents]
    pictures = [source for source in sources if source.kind is DocumentKind.IMAGE]
    others = [source for source in sources if source.kind is not DocumentKind.IMAGE]
    done = iter(normalized(others, options.suite))
    drawn = iter(as_pdf(pictures, options.suite))
    return [next(drawn) if source.kind is DocumentKind.IMAGE else next(done) for source in sources]


def _confined(data: bytes, url: str, kind: DocumentKind, options: DocumentOptions) -> ConvertedDocument:
    read_as = DocumentKind.PDF if kind is DocumentKind.IMAGE else target_kind(kind)
    request = pickle.dumps((data, url, read_as, options))
    modules = ("conversion.documents", *_MODULES[read_as])
    answer = _sandbox().run(request, url, limits=options.process, modules=modules)
    return replace(_decoded(answer, url), kind=kind)


@cache
def _sandbox() -> Sandbox:
    sandbox = Sandbox("conversion.documents:answer")
    atexit.register(sandbox.close)
    return sandbox


# ---------------------------------------------------------------- in the confined process


def answer(request: bytes) -> bytes:
    """The conversion of a pickled request, as JSON. Called in the confined process only."""
    data, url, kind, options = pickle.loads(request)  # noqa: S301 (from our own parent)
    return json.dumps(asdict(convert_here(data, url, kind, options))).encode()


def convert_here(data: bytes, url: str, kind: DocumentKind, options: DocumentOptions = _DEFAULTS) -> ConvertedDocument:
    """The conversion of a guarded PDF, DOCX, PPTX or XLSX in this very process: for measuring and for tests."""
    if kind is DocumentKind.PDF:
        return _pdf(data, url, options)
    if kind is DocumentKind.DOCX:
        from conversion.office.docx import convert_docx as convert  # noqa: PLC0415
    elif kind is DocumentKind.PPTX:
        from conversion.office.pptx import convert_pptx as convert  # noqa: PLC0415
    elif kind is DocumentKind.XLSX:
        from conversion.office.xlsx import convert_xlsx as convert  # noqa: PLC0415
    else:
        raise ConversionFailed(f"{url}: a document of kind {kind} is to be normalised first", stage="convert")
    done = convert(data, url, options.office)
    failed = dict(done.failed)
    pages = tuple(
        PageResult(number, "failed" if number in failed else "text", failed.get(number, ""))
        for number in range(1, done.pages + 1)
    )
    return ConvertedDocument(kind, done.document, done.metadata, done.removals, pages)


def _pdf(data: bytes, url: str, options: DocumentOptions) -> ConvertedDocument:
    from conversion.pdf import PdfOptions, convert_pdf  # noqa: PLC0415

    done = convert_pdf(data, url, options.pdf or PdfOptions())
    pages = tuple(PageResult(report.page, str(report.status), report.detail) for report in done.pages)
    return ConvertedDocument(
        DocumentKind.PDF, done.document, PageMetadata(title=done.document.title), done.removals, pages
    )


# ---------------------------------------------------------------- back from the confined process


def _decoded(answer: bytes, url: str) -> ConvertedDocument:
    """The record that ``answer`` wrote. Raises ``ConversionFailed`` where it is none."""
    try:
        fields = json.loads(answer)
        metadata = {**fields["metadata"], "breadcrumb": (), "alternates": ()}
        text = fields["document"]
        return ConvertedDocument(
            kind=DocumentKind(fields["kind"]),
            document=MarkdownDocument(
                **{
                    **text,
                    "anchors": tuple(Anchor(**anchor) for anchor in text["anchors"]),
                    "pages": tuple(PageSpan(**span) for span in text["pages"]),
                }
            ),
            metadata=PageMetadata(**metadata),
            removals=tuple(Removal(**{**removal, "holds": tuple(removal["holds"])}) for removal in fields["removals"]),
            pages=tuple(PageResult(**page) for page in fields["pages"]),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise ConversionFailed(
            f"{url}: the document was converted to a record that cannot be read", stage="convert"
        ) from error
