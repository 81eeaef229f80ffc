"""Documents of every kind for a model that looks at pages: as PDF first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversion.documents import DocumentOptions, convert_document
from conversion.drac.asking import TranscriptionOptions
from conversion.drac.batches import TranscriptStatus
from conversion.drac.detect import DocumentKind
from conversion.drac.guard import guarded_kind
from conversion.drac.normalize import Source, as_pdf
from conversion.drac.transcribe import Transcription, transcribe_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversion.drac.batches import PageCache
    from conversion.drac.figures import TranscriptionFigures
    from llm.budget import Budget
    from llm.guarded import Chat

_DEFAULTS = TranscriptionOptions()
_DOCUMENT = DocumentOptions()


@dataclass(frozen=True, slots=True)
class Printed:
    """A document as PDF."""

    kind: DocumentKind
    """What it was before."""
    pdf: bytes


def printed(data: bytes, url: str, options: DocumentOptions = _DOCUMENT) -> Printed:
    """The document as PDF, by LibreOffice where it is none.

    Raises ``UnsupportedContent`` for kinds that are not read and ``ConversionFailed`` for all else, LibreOffice missing
    included.
    """
    kind = guarded_kind(data, url, options.guard)
    if kind is DocumentKind.PDF:
        return Printed(kind, data)
    (result,) = as_pdf([Source(url, data, kind)], options.suite)
    if isinstance(result, Exception):
        raise result
    return Printed(kind, result)


def transcribe_printed(
    data: bytes,
    url: str,
    *,
    client: Chat,
    options: TranscriptionOptions = _DEFAULTS,
    document: DocumentOptions = _DOCUMENT,
    budget: Budget | None = None,
    cache: PageCache | None = None,
    figures: TranscriptionFigures | None = None,
    halted: Callable[[], str] = str,
) -> Transcription:
    """As ``transcribe_document``, for every kind of document.

    Where nothing of the model is believed, the document is what the converter of its own format makes of it: that knows
    more than the pages show.
    """
    source = printed(data, url, document)
    done = transcribe_document(
        source.pdf,
        url,
        client=client,
        options=options,
        document=document,
        budget=budget,
        cache=cache,
        figures=figures,
        halted=halted,
    )
    if source.kind is DocumentKind.PDF:
        return done
    if all(page.status is TranscriptStatus.REPLACED for page in done.pages):
        return replace(done, converted=convert_document(data, url, document))
    return replace(done, converted=replace(done.converted, kind=source.kind))
