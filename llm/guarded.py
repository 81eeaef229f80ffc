"""A model behind its budget: so many calls at once, within the caps, and none to a server that keeps failing."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from llm.budget import BudgetExhausted
from llm.chat import ContentRefused
from llm.parts import input_size
from wrac.errors import ConfigError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from llm.budget import Budget
    from llm.chat import Reply

MESSAGE_OVERHEAD_TOKENS = 64
"""What a server adds around the messages of a call, generously."""
FAILURES_IN_A_ROW = 3
"""A server that fails so often is not asked again: every failure has used up its retries."""


class Chat(Protocol):
    """What is needed of ``llm.chat.ChatClient``."""

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
        """One completion. Raises ``TransientError``, ``ConfigError``, ``ContentRefused``."""
        ...


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why there is no reply."""

    reason: str
    is_passing: bool = False
    """It lies outside of the question, and a later run may well get a reply: a cap, a server that is away."""


class GuardedChat:
    """Asks one model for many threads at once."""

    def __init__(
        self,
        client: Chat,
        *,
        concurrency: int,
        image_tokens: Callable[[int, int], int] | None = None,
        halted: Callable[[], str] = str,
    ) -> None:
        """``halted`` says why nothing is to be asked any more; empty while it may be."""
        self.model = client.model
        self.stopped = ""
        """Why nothing is asked any more; empty while questions are asked."""
        self._client = client
        self._image_tokens = image_tokens
        self._halted = halted
        self._failures = 0
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(concurrency)

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        budget: Budget | None,
        *,
        max_output_tokens: int,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "reply",
        cache_key: str = "",
    ) -> Reply | NoReply:
        """The reply, however it ended, or why there is none. Raises for nothing that a model or a server does."""
        if reason := self.stopped or self._halted():
            return NoReply(reason, is_passing=True)

        call = partial(
            self._client.ask,
            messages,
            max_output_tokens=max_output_tokens,
            schema=schema,
            schema_name=schema_name,
            cache_key=cache_key,
        )
        try:
            with self._slots:
                if budget is None:
                    reply = call()
                else:
                    size = input_size(messages, self._image_tokens) + MESSAGE_OVERHEAD_TOKENS
                    with budget.call(size, max_output_tokens) as bill:
                        reply = call()
                        bill.usage = reply.usage
        except BudgetExhausted as cap:
            return NoReply(str(cap), is_passing=True)
        except ContentRefused:
            return NoReply("the server refused the request")
        except TransientError as failure:
            self._failed(str(failure))
            return NoReply(str(failure), is_passing=True)
        except ConfigError as failure:
            self.stop(str(failure))
            return NoReply(self.stopped, is_passing=True)
        self._failures = 0
        return reply

    def stop(self, reason: str) -> None:
        """Nothing is asked any more. The first reason stays."""
        self.stopped = self.stopped or reason

    def _failed(self, reason: str) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                self.stop(f"{reason}; not asked again")
