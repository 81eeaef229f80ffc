"""One batch of pages to one reply: budget, call, and why there is none. Safe between threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from conversion.drac.prompt import PROMPT_VERSION, messages, parse
from llm.budget import BudgetExhausted
from llm.chat import ContentRefused, Ending
from llm.images import Tiles
from llm.parts import input_size
from wrac.errors import ConfigError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conversion.drac.context import Context
    from conversion.drac.figures import TranscriptionFigures
    from conversion.drac.pages import PageSource
    from conversion.drac.prompt import Transcript
    from llm.budget import Budget
    from llm.chat import Reply
    from llm.images import ImageCost

MESSAGE_OVERHEAD_TOKENS = 64
"""What a server adds around the messages of a call, generously."""
FAILURES_IN_A_ROW = 3
"""A server that fails so often is not asked again: every failure has used up its retries."""


class Chat(Protocol):
    """What transcription needs of ``llm.chat.ChatClient``."""

    model: str

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_output_tokens: int,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "reply",
        cache_key: str = "",
    ) -> Reply:
        """One completion."""
        ...


@dataclass(frozen=True, slots=True)
class TranscriptionOptions:
    """How pages are asked for. The defaults are the paper's."""

    batch: int = 5
    """Pages of one call."""
    workers: int = 5
    """Calls under way at a time."""
    output_tokens: int = 8_192
    """Output of one call at most."""
    image_cost: ImageCost = field(default_factory=lambda: Tiles(85, 170))
    """How the model counts pictures; for budgets and estimates."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one question."""

    transcript: Transcript | None = None
    truncated: bool = False
    """The reply was cut off at its limit."""
    fault: str = ""
    """Why there is no reply."""
    unasked: bool = False
    """The fault lies outside of the pages, and a later run may well get an answer: a cap, a server that is away."""


class Asker:
    """Asks one model for pages, many batches at once."""

    def __init__(
        self,
        client: Chat,
        options: TranscriptionOptions,
        budget: Budget | None,
        figures: TranscriptionFigures,
        halted: Callable[[], str] = str,
    ) -> None:
        """``halted`` says why nothing is to be asked any more; empty while it may be."""
        self.stopped = ""
        """Why nothing is asked any more; empty while pages are asked for."""
        self.model = client.model
        self._client = client
        self._options = options
        self._budget = budget
        self._figures = figures
        self._halted = halted
        self._failures = 0
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(options.workers)

    def ask(self, pages: Sequence[PageSource], context: Context, complaint: str = "") -> Answer:
        """The transcript of the pages, or why there is none. Raises for nothing that a model or a server does."""
        if reason := self.stopped or self._halted():
            return Answer(fault=reason, unasked=True)
        try:
            reply = self._call(messages(pages, context, complaint))
        except BudgetExhausted as cap:
            return Answer(fault=str(cap), unasked=True)
        except TransientError as failure:
            with self._lock:
                self._failures += 1
                if self._failures >= FAILURES_IN_A_ROW:
                    self.stopped = self.stopped or f"{failure}; not asked again"
            return Answer(fault=str(failure), unasked=True)
        except ConfigError as failure:
            self.stopped = self.stopped or str(failure)
            return Answer(fault=self.stopped, unasked=True)
        except ContentRefused:
            return Answer(fault="the server refused the request")
        if reply.ending not in (Ending.COMPLETE, Ending.LENGTH):
            return Answer(fault=f"the reply ended with {reply.ending}")
        transcript = parse(reply.text, [page.number for page in pages])
        return Answer(transcript, truncated=reply.ending is Ending.LENGTH)

    def _call(self, asked: list[dict[str, Any]]) -> Reply:
        limit = self._options.output_tokens
        size = input_size(asked, self._options.image_cost.tokens) + MESSAGE_OVERHEAD_TOKENS
        with self._slots:
            if self._budget is None:
                reply = self._client.ask(asked, max_output_tokens=limit, cache_key=PROMPT_VERSION)
            else:
                with self._budget.call(size, limit) as bill:
                    reply = self._client.ask(asked, max_output_tokens=limit, cache_key=PROMPT_VERSION)
                    bill.usage = reply.usage
        self._failures = 0
        self._figures.count(calls=1)
        return reply
