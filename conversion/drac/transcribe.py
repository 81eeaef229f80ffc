"""``transcribe_document``: a PDF by a multimodal model, every page compared with what stands on it.

Pages are read, asked for and finished a few at a time: memory is bounded by the calls under way, whatever the length.
Nothing here fails for what a model does: the worst outcome of a page is its deterministic conversion.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from threading import Thread
from typing import TYPE_CHECKING

from conversion.documents import DocumentOptions, convert_document
from conversion.drac.asking import Asker, TranscriptionOptions
from conversion.drac.assemble import assemble
from conversion.drac.batches import VERSION, Batches, Witness
from conversion.drac.context import contexts, with_heads
from conversion.drac.figures import TranscriptionFigures
from conversion.drac.pages import left_out, read_pages, slices
from conversion.drac.prompt import PROMPT_VERSION
from conversion.drac.verify import Reference
from wrac.errors import ConversionFailed, NothingExtracted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conversion.documents import ConvertedDocument
    from conversion.drac.batches import PageCache, TranscribedPage
    from conversion.drac.context import Context
    from conversion.drac.pages import PageSource
    from llm.budget import Budget
    from llm.guarded import Chat
    from wrac.errors import PageError

_DEFAULTS = TranscriptionOptions()
_DOCUMENT = DocumentOptions()


@dataclass(frozen=True, slots=True)
class Transcription:
    """A document by the model, with an account of every page."""

    converted: ConvertedDocument
    """The same record as the deterministic conversion gives; each page with its status and the reason for it."""
    pages: tuple[TranscribedPage, ...]
    """The pages that the model was asked for, now or before."""
    figures: TranscriptionFigures

    @property
    def is_whole(self) -> bool:
        """False where pages wait for a model that could not be asked: transcribing again may do better."""
        return not any(page.unasked for page in self.pages)


def converter_name(model: str) -> str:
    """What a transcribed document is made with: program, thresholds, prompt and model."""
    return f"{VERSION} {PROMPT_VERSION} {model}"


def transcribe_document(
    pdf: bytes,
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
    """The PDF as Markdown by the model, page by page believed, repaired or replaced.

    Pages that ``cache`` holds are not paid for again. ``halted`` says why nothing is to be asked any more, and is empty
    while it may be. Raises ``PageError`` where the document cannot be read at all, as
    ``convert_document`` does; what the model or its server does is a page's status.
    """
    sums = figures or TranscriptionFigures()
    known = KnownDocument.of(pdf, url, document)
    asker = Asker(client, options, budget, sums, halted)
    batches = Batches(asker, known.contexts, known.witnesses, cache, sums)
    runs = runs_of_pages(pdf, url, known, options, document)
    try:
        done = sorted(_finished(runs, batches, options), key=lambda page: page.number)
    except BaseException:
        asker.stop("interrupted")
        raise
    for page in done:
        sums.ended(page.status.value, page.reason.split(" (", 1)[0])
    result = assemble(done, known.fallback, known.converted, known.statuses, converter_name(client.model))
    if not result.document.text:
        raise _without_text(known, done, url)
    return Transcription(result, tuple(done), sums)


def _without_text(known: KnownDocument, done: Sequence[TranscribedPage], url: str) -> PageError:
    """Why neither the converter nor the model gave any text, in that order."""
    failure = known.failure or NothingExtracted(f"{url}: no text on any of its pages", stage="convert")
    if not done:
        return failure
    page = next((page for page in done if page.unasked or page.reason), done[0])
    said = f"was not asked: {page.reason}" if page.unasked else f"gives none either: {page.reason or 'blank'}"
    return type(failure)(f"{failure}; the model {said}", stage=failure.stage, page_id=failure.page_id)


class KnownDocument:
    """What the deterministic conversion knows of a PDF: a fallback, a witness and a context for each page."""

    def __init__(self, converted: ConvertedDocument | None, failure: PageError | None) -> None:
        self.converted = converted
        self.failure = failure
        """Why there is no conversion, e.g. a scan without OCR: the model may still read it."""
        self.fallback = with_heads(slices(converted.document)) if converted else {}
        self.statuses = {page.page: page.status for page in converted.pages} if converted else {}
        self.contexts: dict[int, Context] = {}
        self.witnesses: dict[int, Witness] = {}
        self._optional = left_out(converted.removals) if converted else {}

    @classmethod
    def of(cls, pdf: bytes, url: str, options: DocumentOptions) -> KnownDocument:
        """Raises ``PageError`` where the document is refused."""
        try:
            return cls(convert_document(pdf, url, options), None)
        except (ConversionFailed, NothingExtracted) as failure:
            return cls(None, failure)

    def add(self, pages: Sequence[PageSource], total: int) -> None:
        """Pages were read: what they are compared with, and where they stand."""
        if not self.contexts:
            self.contexts.update(contexts(self.fallback, total))
        for page in pages:
            status = self.statuses.setdefault(page.number, page.status)
            by_ocr = status == "ocr"
            markdown = self.fallback.get(page.number, "")
            reference = Reference(
                markdown if by_ocr else page.text,
                self._optional.get(page.number, ""),
                "" if by_ocr else markdown,
                self.contexts[page.number].table,
            )
            self.witnesses[page.number] = Witness(reference, by_ocr)


def _finished(
    runs: Iterator[list[PageSource]], batches: Batches, options: TranscriptionOptions
) -> Iterator[TranscribedPage]:
    """Pages as they are finished. Not more of them are read than can be asked for at once, and one run more."""
    under_way: set[Future[list[TranscribedPage]]] = set()
    for pages in runs:
        stored = {page.number: batches.find(page) for page in pages}
        yield from filter(None, stored.values())
        for batch in in_batches([page for page in pages if stored[page.number] is None], options.batch):
            under_way.add(_in_thread(partial(batches.finish, batch)))
        while len(under_way) > options.workers:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    for future in under_way:
        yield from future.result()


def _in_thread(work: Callable[[], list[TranscribedPage]]) -> Future[list[TranscribedPage]]:
    """The work in a daemon thread: one of an executor would keep an interrupted process waiting for its server."""
    future: Future[list[TranscribedPage]] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 (raised again in whoever waits)
            future.set_exception(error)

    Thread(target=run, name="wrac-transcribe", daemon=True).start()
    return future


def runs_of_pages(
    pdf: bytes, url: str, known: KnownDocument, options: TranscriptionOptions, document: DocumentOptions
) -> Iterator[list[PageSource]]:
    """Runs of pages that a model can be asked for, with a picture and not blank; ``known`` learns of all of them."""
    first, total = 1, 1
    step = options.batch * options.workers
    while first <= total:
        run = read_pages(pdf, url, first, first + step - 1, document.process, document.pdf)
        total = run.total
        known.add(run.pages, total)
        yield [page for page in run.pages if page.picture]
        first += step


def in_batches(pages: Sequence[PageSource], size: int) -> Iterator[list[PageSource]]:
    """Neighbouring pages together, so many at most."""
    for _, group in groupby(enumerate(pages), key=lambda pair: pair[1].number - pair[0]):
        run = [page for _, page in group]
        for start in range(0, len(run), size):
            yield run[start : start + size]
