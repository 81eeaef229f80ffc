"""What transcribing a document would take: calls and tokens, counted on the very messages. Nothing is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from conversion.documents import DocumentOptions
from conversion.drac.asking import Asker, TranscriptionOptions
from conversion.drac.batches import Batches
from conversion.drac.figures import TranscriptionFigures
from conversion.drac.prompt import messages
from conversion.drac.rows import as_sentences
from conversion.drac.transcribe import KnownDocument, in_batches, runs_of_pages
from llm.parts import input_size
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.drac.batches import PageCache

_MARK_TOKENS = 7
"""The line that begins a page, and the one that ends a reply."""
_UNREAD_TOKENS = 500
"""What stands on a page that only the model can read: an ordinary page of text."""
_DEFAULTS = TranscriptionOptions()
_DOCUMENT = DocumentOptions()


@dataclass(frozen=True, slots=True)
class TranscriptionForecast:
    """What one or more documents would take, without retries."""

    documents: int = 0
    pages: int = 0
    kept: int = 0
    """Pages that were paid for before, stand twice, or are blank."""
    usage: Usage = Usage()

    def __add__(self, other: TranscriptionForecast) -> TranscriptionForecast:
        return TranscriptionForecast(
            self.documents + other.documents,
            self.pages + other.pages,
            self.kept + other.kept,
            self.usage + other.usage,
        )


@dataclass(slots=True)
class _Named:
    """A model that is not asked."""

    model: str

    def ask(self, *_: Any, **__: Any) -> NoReturn:
        """A forecast asks nothing."""
        raise NotImplementedError


def forecast_document(
    pdf: bytes,
    url: str,
    *,
    model: str,
    options: TranscriptionOptions = _DEFAULTS,
    document: DocumentOptions = _DOCUMENT,
    cache: PageCache | None = None,
    asked: set[str] | None = None,
) -> TranscriptionForecast:
    """Calls and tokens of ``transcribe_document`` on the PDF by a model of this name, which is not asked.

    ``asked`` has the keys of pages that documents before this one will have paid for; those of this one are added.
    Output is what the deterministic conversion found, rows as sentences; of pages that it cannot read, what a page of
    running text has. Raises ``PageError`` as that does.
    """
    known = KnownDocument.of(pdf, url, document)
    figures = TranscriptionFigures()
    asker = Asker(_Named(model), options, None, figures)
    batches = Batches(asker, known.contexts, known.witnesses, cache, figures)
    pages = fresh = output = calls = 0
    asked = set() if asked is None else asked
    for run in runs_of_pages(pdf, url, known, options, document):
        keys = {page.number: batches.key(page) for page in run}
        waiting = [page for page in run if keys[page.number] not in asked and batches.find(page) is None]
        asked.update(keys.values())
        for batch in in_batches(waiting, options.batch):
            fresh += input_size(messages(batch, known.contexts[batch[0].number]), options.image_cost.tokens)
            output += _reply_size([known.fallback.get(page.number) or page.text for page in batch])
            calls += 1
            pages += len(batch)
    total = len(known.statuses)
    return TranscriptionForecast(1, total, total - pages, Usage(fresh, 0, output, calls))


def _reply_size(pages: Sequence[str]) -> int:
    sizes = (count_tokens(as_sentences(page)) if page else _UNREAD_TOKENS for page in pages)
    return sum(sizes) + _MARK_TOKENS * (len(pages) + 1)
