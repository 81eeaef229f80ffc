"""What planning by the model would cost, counted on the very messages that would be sent, none of them sent.

Input tokens are those of the messages (o200k; another vendor's tokenizer may count some percent more or less) and what
a chat format adds. Cached tokens are the static rules in front, from the second call on, in the 128-token steps of
servers that cache prompts of at least 1,024 tokens: the best case, so money is a range. Output tokens are those of the
rules' own plan in the words of a reply; what a model thinks before it answers, and repair calls, come on top.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind
from ingest.bill import REMOTE, known_price
from ingest.gather import find_record
from ingest.ledger.rows import PageState
from ingest.planning import make_planner
from ingest.sniff import may_be_document
from ingest.transcription import UNREAD
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal
    from typing import Any, NoReturn

    from chunking import WindowLimits
    from chunking.planners.llm import LLMPlanner, PlanCache
    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord
    from wrac.config import Settings

_CHAT_TOKENS = 3
"""What the chat format adds to a conversation, and to each of its messages."""
_CACHED_FROM, _CACHED_STEP = 1_024, 128
_WEB_KINDS = ("html", "markdown")
_ESTIMATED_STATES = (PageState.GATHERED, PageState.LIVE, PageState.HELD)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What planning, and embedding where a server bills it, would cost."""

    pages: int
    asked: int
    """Pages that need the model."""
    paid: int
    """Calls whose replies were paid for before, and are not made."""
    planning: Usage
    """``cached_tokens`` is the best case."""
    embedding: Usage
    """Nothing where the embedder is local."""
    lowest: Decimal | None
    """US dollars for planning where all of ``cached_tokens`` are cached; None where the price is not known."""
    highest: Decimal | None
    """The same where none is."""
    embedding_dollars: Decimal | None
    as_of: str
    """Date of the planner's price; ``configured`` for a user's own, empty where it is not known."""


class _Nobody:
    """A model that is named and never asked."""

    def __init__(self, model: str) -> None:
        self.model = model

    def ask(self, messages: Sequence[Mapping[str, Any]], **options: object) -> NoReturn:  # noqa: ARG002
        """Never called."""
        raise AssertionError("an estimate asks nobody")


def forecasting_planner(settings: Settings, limits: WindowLimits, cache: PlanCache | None = None) -> LLMPlanner:
    """A planner for forecasts alone: it needs neither key nor server."""
    return make_planner(settings, limits, _Nobody(settings.planner_model), cache=cache)


def estimate(records: Iterable[PageRecord], planner: LLMPlanner, settings: Settings) -> Estimate:
    """What it would cost to plan these pages by the model, and to embed their chunks."""
    pages = asked = calls = paid = fresh = cached = output = embedded = 0
    bills_embedding = settings.embedder.startswith(REMOTE)
    for record in records:
        pages += 1
        if bills_embedding:
            embedded += sum(count_tokens(chunk.embed_text) for chunk in record.chunks)
        forecasts = planner.forecast(record.tree)
        asked += bool(forecasts)
        for forecast in forecasts:
            if forecast.cached:
                paid += 1
                continue
            sizes = [count_tokens(message["content"]) for message in forecast.messages]
            fresh += sum(sizes) + _CHAT_TOKENS * (1 + len(sizes))
            cached += _cacheable(sizes[0]) if calls else 0
            output += count_tokens(forecast.reply)
            calls += 1
    planning = Usage(fresh, cached, output, calls)
    embedding = Usage(input_tokens=embedded)
    price = known_price(settings.planner_model, settings)
    embedding_price = known_price(settings.embedder.removeprefix(REMOTE), settings)
    return Estimate(
        pages=pages,
        asked=asked,
        paid=paid,
        planning=planning,
        embedding=embedding,
        lowest=price.of(planning) if price else None,
        highest=price.of(Usage(fresh, 0, output, calls)) if price else None,
        embedding_dollars=embedding_price.of(embedding) if embedding_price else None,
        as_of=price.as_of if price else "",
    )


def gathered_records(
    ledger: Ledger, archive: Archive, site: str, documents: list[PageRow] | None = None
) -> Iterator[PageRecord]:
    """The pages of a site that earlier runs gathered, from the archive; damaged ones are passed over.

    ``documents`` gets the rows of those that are no web pages.
    """
    for state in _ESTIMATED_STATES:
        for row in ledger.pages.in_state(site, state):
            if (record := find_record(archive, row.record)) is not None:
                if documents is not None and record.document.source_kind not in _WEB_KINDS:
                    documents.append(row)
                yield record


def document_bodies(
    ledger: Ledger, archive: Archive, site: str, gathered: Iterable[PageRow]
) -> Iterator[tuple[str, bytes]]:
    """URL and body of the documents that were gathered, and of those that only a model may read, as scans are."""
    unread = [row for row in ledger.pages.in_state(site, PageState.MET) if row.outcome in UNREAD and row.body_digest]
    for row in [*gathered, *unread]:
        with suppress(Damaged, ValueError):
            body = archive.get(Kind.BODY, row.body_digest)
            if may_be_document(body):
                yield row.url, body


def _cacheable(prefix: int) -> int:
    return prefix // _CACHED_STEP * _CACHED_STEP if prefix >= _CACHED_FROM else 0
