"""Transcription of documents as the settings describe it: model, price, caps, and the pages that were paid for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.drac.asking import TranscriptionOptions
from ingest.bill import cap, known_price, refuse_dollars
from llm.budget import Budget, Cap
from llm.chat import ChatClient
from llm.images import image_cost
from wrac.errors import ConfigError
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.ledger import Ledger
    from llm.prices import Price
    from wrac.config import Settings


UNREAD = frozenset({Outcome.FAILED, Outcome.EMPTY})
"""Outcomes of documents that a model which looks at pages may still read."""


def transcription_options(settings: Settings) -> TranscriptionOptions:
    """How pages are asked for by the settings. Raises ``ConfigError`` for an unknown way to count pictures."""
    return TranscriptionOptions(
        batch=settings.transcriber_batch_pages,
        workers=settings.transcriber_concurrency,
        output_tokens=settings.transcriber_output_tokens,
        image_cost=image_cost(settings.transcriber_model, settings.transcriber_image_tokens),
        page_cap=cap("page", settings.max_page_tokens, settings.max_page_dollars),
    )


def open_transcriber(settings: Settings, environment: Mapping[str, str]) -> ChatClient:
    """The transcriber's model. Raises ``ConfigError`` for a key that is missing, before anything is asked."""
    key = settings.transcriber_api_key_env
    named = "transcriber_api_key_env" in settings.model_fields_set
    if settings.transcriber_base_url and named and not environment.get(key):
        raise ConfigError(f"the environment variable {key} (transcriber_api_key_env) is not set: export it")
    return ChatClient(
        settings.transcriber_model,
        settings.transcriber_base_url,
        key,
        environment,
        timeout=settings.transcriber_timeout,
        max_retries=settings.transcriber_retries,
        base_url_key="transcriber_base_url",
        image_tokens=transcription_options(settings).image_cost.tokens,
    )


def require_transcriber_price(settings: Settings) -> Price | None:
    """The transcriber's price. Raises ``ConfigError`` where it is not known and need be."""
    model = settings.transcriber_model
    price = known_price(model, settings)
    if price is None and not settings.allow_unpriced:
        Budget(Cap("run"), None).require_price(model)
    if price is None:
        refuse_dollars(model, settings, "page", "run", "site")
    return price


class LedgerPageCache:
    """Pages that were paid for, in the ledger. Implements ``conversion.drac.batches.PageCache``."""

    def __init__(self, ledger: Ledger, page_id: str = "") -> None:
        """``page_id`` is that of a crawled document: what was paid for it goes when it is erased."""
        self._ledger = ledger
        self._page_id = page_id

    def get(self, key: str) -> str | None:
        """The stored page, or None."""
        return self._ledger.bills.find_transcript(key)

    def put(self, key: str, page: str) -> None:
        """The page survives a process that is killed right afterwards."""
        # JSON escapes NUL and lone surrogates, which databases do not take.
        self._ledger.bills.keep_transcript(key, page, self._page_id)
