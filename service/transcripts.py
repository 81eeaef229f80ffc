"""Documents by the multimodal model, for commands on files: pages that were paid for are kept in the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from conversion.drac.figures import TranscriptionFigures
from conversion.drac.forecast import TranscriptionForecast, forecast_document
from conversion.drac.printed import printed, transcribe_printed
from ingest.bill import cap, in_words, known_price
from ingest.documents_on_disk import read_file
from ingest.ledger import Ledger
from ingest.transcription import (
    LedgerPageCache,
    open_transcriber,
    require_transcriber_price,
    transcription_options,
)
from llm.budget import Budget
from service.documents import MAX_DOCUMENT_BYTES
from service.state import known_ledger
from wrac.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from decimal import Decimal

    from conversion.documents import ConvertedDocument
    from service.documents import SourceFile
    from wrac.config import Settings


@dataclass(frozen=True, slots=True)
class DocumentsEstimate:
    """What transcribing documents would come to."""

    model: str
    forecast: TranscriptionForecast
    unread: int
    """Documents that cannot be read at all."""
    dollars: Decimal | None
    """None where the model's price is not known."""
    as_of: str


def read_files(files: Iterable[SourceFile]) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each file; None for one that cannot be read."""
    for file in files:
        try:
            yield file.url or file.name, read_file(file.path, MAX_DOCUMENT_BYTES)
        except OSError:
            yield file.url or file.name, None


def estimate_documents(settings: Settings, documents: Iterable[tuple[str, bytes | None]]) -> DocumentsEstimate:
    """Counts calls and tokens on the very messages; pages that the ledger has are left out. Nothing is written."""
    options = transcription_options(settings)
    price = known_price(settings.transcriber_model, settings)
    found, unread = TranscriptionForecast(), 0
    asked: set[str] = set()
    with known_ledger(settings) as ledger:
        cache = LedgerPageCache(ledger) if ledger is not None else None
        for name, data in documents:
            if data is None:
                unread += 1
                continue
            try:
                found += forecast_document(
                    printed(data, name).pdf,
                    name,
                    model=settings.transcriber_model,
                    options=options,
                    cache=cache,
                    asked=asked,
                )
            except PageError:
                unread += 1
    dollars = price.of(found.usage) if price else None
    return DocumentsEstimate(settings.transcriber_model, found, unread, dollars, price.as_of if price else "")


class Transcripts:
    """One model for many documents; a context manager that holds its connections and the ledger."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        """Raises ``ConfigError`` where the model has no known price, or no key."""
        self._options = transcription_options(settings)
        run_cap = cap("run", settings.max_run_tokens, settings.max_run_dollars)
        self._budget = Budget(run_cap, require_transcriber_price(settings))
        self._figures = TranscriptionFigures()
        self._client = open_transcriber(settings, environment)
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        self._ledger = Ledger(settings.ledger_url)
        self.is_whole = True
        """False where pages of some document wait for a model that could not be asked."""

    def convert(self, data: bytes, url: str) -> ConvertedDocument:
        """The document as Markdown. Raises ``PageError`` as ``conversion.documents.convert_document`` does."""
        done = transcribe_printed(
            data,
            url,
            client=self._client,
            options=self._options,
            budget=self._budget,
            cache=LedgerPageCache(self._ledger),
            figures=self._figures,
        )
        self.is_whole = self.is_whole and done.is_whole
        return done.converted

    def summary(self) -> list[str]:
        """What was asked, what it cost, and why pages were replaced; a line each."""
        lines = [
            f"transcription: {self._figures.in_words()}",
            f"bill: {in_words(self._budget.spent, self._budget.money)}",
        ]
        reasons = "; ".join(f"{count}: {reason}" for reason, count in self._figures.reasons.most_common(5))
        if reasons:
            lines.append(f"repaired or replaced: {reasons}")
        if not self.is_whole:
            lines.append("pages wait for the model, which could not be asked for all: the same command goes on")
        return lines

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._ledger.close()
