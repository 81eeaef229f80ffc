"""One batch of pages to one transcript, or why there is none. Safe between threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversion.drac.prompt import PROMPT_VERSION, messages, parse
from llm.budget import Budget, Cap
from llm.chat import Ending
from llm.guarded import GuardedChat, NoReply
from llm.images import Tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conversion.drac.context import Context
    from conversion.drac.figures import TranscriptionFigures
    from conversion.drac.pages import PageSource
    from conversion.drac.prompt import Transcript
    from llm.guarded import Chat
    from llm.images import ImageCost


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
    page_cap: Cap = Cap("page")
    """What one page may bill, its second transcript included; pages of one call share what all of them may."""


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
        self.model = client.model
        self._chat = GuardedChat(
            client, concurrency=options.workers, image_tokens=options.image_cost.tokens, halted=halted
        )
        self._options = options
        self._budget = budget
        self._figures = figures

    def budget_for(self, pages: int) -> Budget | None:
        """What transcribing so many pages may bill to its end, inside the caps around it; None for anything."""
        cap, around = self._options.page_cap, self._budget
        if cap == Cap(cap.scope):
            return around
        together = Cap(
            cap.scope if pages == 1 else f"{pages}-page",
            None if cap.tokens is None else cap.tokens * pages,
            None if cap.money is None else cap.money * pages,
        )
        return Budget(together, around.price if around else None, around)

    def ask(self, pages: Sequence[PageSource], context: Context, budget: Budget | None, complaint: str = "") -> Answer:
        """The transcript of the pages, or why there is none. Raises for nothing that a model or a server does."""
        reply = self._chat.ask(
            messages(pages, context, complaint),
            budget,
            max_output_tokens=self._options.output_tokens,
            cache_key=PROMPT_VERSION,
        )
        if isinstance(reply, NoReply):
            return Answer(fault=reply.reason, unasked=reply.is_passing)
        self._figures.count(calls=1)
        if reply.ending not in (Ending.COMPLETE, Ending.LENGTH):
            return Answer(fault=f"the reply ended with {reply.ending}")
        transcript = parse(reply.text, [page.number for page in pages])
        return Answer(transcript, truncated=reply.ending is Ending.LENGTH)

    def stop(self, reason: str) -> None:
        """Nothing is asked any more."""
        self._chat.stop(reason)
