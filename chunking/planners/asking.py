"""One question to one outcome: cache, budget, call, one repair, halves - or the reason why the rules must plan it.

The order of checks is that of the reply's own worth: how it ended, whether it can be read, whether it can be believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chunking.planners.excerpts import halves
from chunking.planners.prompt import PROMPT_VERSION, messages
from chunking.planners.wire import REPLY_SCHEMA, Preview, UnreadableReply, parse_answer, question_text
from llm.chat import Ending
from llm.guarded import GuardedChat, NoReply
from wrac.ids import digest_of
from wrac.records import Usage

if TYPE_CHECKING:
    from chunking.headings import Outline
    from chunking.limits import WindowLimits
    from chunking.planners.excerpts import Question
    from chunking.planners.figures import PlanningFigures
    from chunking.planners.wire import Answer
    from llm.budget import Budget
    from llm.chat import Reply
    from llm.guarded import Chat

VERSION = f"llm/1 {PROMPT_VERSION}"
"""Of program and prompt; the first number is raised whenever the same replies would give other plans."""
TOKENS_PER_UNIT = 24
"""What one unit can cost in a reply at most, were each a chunk of its own, generously."""
THINKING_TOKENS = 2_048
"""Allowed on top, for models that think before they answer."""
_IN_HALVES = "cut off: ask in halves"
"""Kept in the place of a reply that was cut off, so that the question is not paid for again."""


class PlanCache(Protocol):
    """Replies that were paid for, by key. Safe between threads."""

    def get(self, key: str) -> str | None:
        """The stored reply, or None."""
        ...

    def put(self, key: str, reply: str) -> None:
        """Keeps a reply that was accepted."""
        ...


@dataclass(frozen=True, slots=True)
class PlanningOptions:
    """How a planning call looks."""

    preview: Preview = Preview.WORDS
    preview_words: int = 15
    input_budget: int = 12_000
    """Tokens of one question's lines at most; what is more goes into further questions, cut at headings."""
    output_budget: int = 16_384
    """Output tokens of one call at most (D-RAC)."""
    concurrency: int = 4
    """Calls under way at a time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question."""

    arrays: tuple[tuple[str, ...], ...] = ()
    procedures: frozenset[str] = frozenset()
    """First ids of groups that the model calls one procedure."""
    usage: Usage = Usage()
    fault: str = ""
    """Why the rules have to plan it; empty where the model did."""
    unasked: bool = False
    """The fault lies outside of the question, and a later run may well get an answer: a cap, a server that is away."""


class Asker:
    """Asks one model, many questions at once. Safe between threads."""

    def __init__(
        self,
        client: Chat,
        limits: WindowLimits,
        options: PlanningOptions,
        cache: PlanCache | None,
        figures: PlanningFigures,
    ) -> None:
        self.name = f"{VERSION} {client.model} {options.preview}:{options.preview_words}"
        self._chat = GuardedChat(client, concurrency=options.concurrency)
        self._limits = limits
        self._options = options
        self._cache = cache
        self._figures = figures

    def stop(self, reason: str) -> None:
        """Nothing is asked any more."""
        self._chat.stop(reason)

    def decide(self, outline: Outline, question: Question, budget: Budget) -> Outcome:
        """The model's groups for one question, or why there are none. Never raises for what a model or server does."""
        text = self.text(outline, question)
        key = self.key(outline, question, text)
        stored = self._cache.get(key) if self._cache is not None else None
        if stored == _IN_HALVES:
            return self._in_halves(outline, question, budget, Usage())
        if stored is not None:
            try:
                answer = parse_answer(outline, question, stored)
            except UnreadableReply:
                pass  # an entry that another version wrote; asked again
            else:
                self._figures.count(cached=1)
                return _accepted(answer, Usage())
        return self._asked(outline, question, text, key, budget)

    def text(self, outline: Outline, question: Question) -> str:
        """The lines of the question."""
        return question_text(outline, question, self._options.preview, self._options.preview_words)

    def key(self, outline: Outline, question: Question, text: str) -> str:
        """Names all that a reply depends on: units, prompt, model, preview and window."""
        digests = [outline.units[i].digest for part in question.parts for i in range(part.first, part.end)]
        limits = f"{self._limits.minimum}/{self._limits.target}/{self._limits.maximum}"
        return digest_of("plan", self.name, limits, text, *digests)

    @staticmethod
    def needed(question: Question) -> int:
        """Output tokens that the longest sensible reply takes."""
        return sum(TOKENS_PER_UNIT * (part.end - part.first) for part in question.parts)

    def _asked(self, outline: Outline, question: Question, text: str, key: str, budget: Budget) -> Outcome:
        usage, fault, said = Usage(), "", ""
        for attempt in range(2):
            reply = self._call(question, messages(self._limits, text, fault, said), budget)
            if isinstance(reply, NoReply):
                return Outcome(usage=usage, fault=reply.reason, unasked=reply.is_passing)
            usage += reply.usage
            if reply.ending is Ending.LENGTH:
                self._keep(key, _IN_HALVES)
                return self._in_halves(outline, question, budget, usage)
            if reply.ending is not Ending.COMPLETE:
                return Outcome(usage=usage, fault=f"the reply ended with {reply.ending}")
            try:
                answer = parse_answer(outline, question, reply.text)
            except UnreadableReply as reason:
                fault, said = str(reason), reply.text
                self._figures.count(repaired=1 - attempt)
                continue
            self._keep(key, reply.text)
            return _accepted(answer, usage)
        return Outcome(usage=usage, fault=f"unreadable twice: {fault}")

    def _call(self, question: Question, asked: list[dict[str, str]], budget: Budget) -> Reply | NoReply:
        limit = min(self._options.output_budget, THINKING_TOKENS + self.needed(question))
        reply = self._chat.ask(
            asked,
            budget,
            max_output_tokens=limit,
            schema=REPLY_SCHEMA,
            schema_name="plan",
            cache_key=PROMPT_VERSION,
        )
        if not isinstance(reply, NoReply):
            self._figures.count(calls=1)
        return reply

    def _in_halves(self, outline: Outline, question: Question, budget: Budget, spent: Usage) -> Outcome:
        """A reply that was cut off is never taken; the question was too large."""
        pair = halves(outline, question)
        if pair is None:
            return Outcome(usage=spent, fault="the reply was cut off")
        left, right = (self.decide(outline, half, budget) for half in pair)
        usage = spent + left.usage + right.usage
        if fault := left.fault or right.fault:
            return Outcome(usage=usage, fault=fault, unasked=left.unasked or right.unasked)
        return Outcome(left.arrays + right.arrays, left.procedures | right.procedures, usage)

    def _keep(self, key: str, reply: str) -> None:
        if self._cache is not None:
            self._cache.put(key, reply)


def _accepted(answer: Answer, usage: Usage) -> Outcome:
    first = frozenset(answer.groups[i][0] for i in answer.procedures if answer.groups[i])
    return Outcome(answer.groups, first, usage)
