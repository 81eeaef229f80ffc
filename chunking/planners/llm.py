"""The planner that asks a language model, about identifiers only (W-RAC's semantic planning).

What comes back can only move cuts: it is expanded to unit ids, repaired against the tree, and held to the window.
Whatever goes wrong with a model, its question is planned by rule and the plan says so; a model never fails a page.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chunking.headings import Outline
from chunking.limits import WindowLimits
from chunking.planners.excerpts import Question, halves, is_decided, questions_of, stretches_of
from chunking.planners.figures import PlanningFigures
from chunking.planners.prompt import PROMPT_VERSION, messages
from chunking.planners.rule import RulePlanner
from chunking.planners.settle import settle
from chunking.planners.wire import (
    REPLY_SCHEMA,
    Answer,
    Preview,
    UnreadableReply,
    parse_answer,
    question_text,
    stretch_lines,
)
from chunking.repair import repair
from chunking.sections import segments
from llm.budget import Budget, BudgetExhausted, Cap
from llm.chat import ContentRefused, Ending
from wrac.errors import ConfigError, TransientError
from wrac.ids import digest_of
from wrac.records import ChunkPlan, Usage, Violation
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from chunking.planners.excerpts import Stretch
    from chunking.sections import Segment
    from llm.chat import Reply
    from wrac.records import UnitTree

MESSAGE_OVERHEAD_TOKENS = 64
"""What a server adds around the messages of a call, generously."""
TOKENS_PER_UNIT = 24
"""What one unit can cost in a reply at most, were each a chunk of its own, generously."""
THINKING_TOKENS = 2_048
"""Allowed on top, for models that think before they answer."""
FAILURES_IN_A_ROW = 3
"""A server that fails so often is not asked again in this run: every failure has used up its retries."""


class Chat(Protocol):
    """What the planner needs of ``llm.chat.ChatClient``."""

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
    """Questions of one document under way at a time."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one question."""

    arrays: tuple[tuple[str, ...], ...] = ()
    procedures: frozenset[str] = frozenset()
    """First ids of groups that the model calls one procedure."""
    usage: Usage = Usage()
    fault: str = ""
    """Why the rules have to plan it; empty where the model did."""


class LLMPlanner:
    """Plans by a chat model behind any OpenAI-compatible server. Safe to share between threads."""

    def __init__(
        self,
        client: Chat,
        *,
        limits: WindowLimits = WindowLimits(),
        options: PlanningOptions = PlanningOptions(),
        budget: Budget | None = None,
        page_cap: Cap = Cap("page"),
        cache: PlanCache | None = None,
    ) -> None:
        self.limits = limits
        self.options = options
        self.figures = PlanningFigures()
        self.name = f"llm/1 {client.model} {PROMPT_VERSION} {options.preview}:{options.preview_words}"
        self._client = client
        self._budget = budget or Budget(Cap("run"), price=None)
        self._page_cap = page_cap
        self._cache = cache
        self._rule = RulePlanner(limits)
        self._failures = 0
        self._stopped = ""
        self._lock = threading.Lock()

    def plan(self, tree: UnitTree) -> ChunkPlan:
        """A lossless plan in order. ``planner`` names the rules where no part of it is the model's."""
        outline = Outline(tree)
        by_rule = self._rule.plan(tree)
        stretches = stretches_of(segments(outline), self.limits)
        open_stretches = [s for s in stretches if not is_decided(s, self.limits)]
        if not open_stretches:
            self.figures.count(calls_saved=1)
            return by_rule
        questions = self._questions(outline, open_stretches)
        budget = Budget(self._page_cap, self._budget.price, self._budget)
        if len(questions) == 1:
            outcomes = [self._decide(outline, questions[0], budget)]
        else:
            with ThreadPoolExecutor(min(self.options.concurrency, len(questions))) as pool:
                outcomes = list(pool.map(lambda question: self._decide(outline, question, budget), questions))
        return self._assembled(outline, stretches, questions, outcomes, by_rule)

    def questions(self, tree: UnitTree) -> list[list[dict[str, str]]]:
        """The messages of all calls that planning the tree would make, none of them made (for an estimate)."""
        outline = Outline(tree)
        stretches = [s for s in stretches_of(segments(outline), self.limits) if not is_decided(s, self.limits)]
        return [messages(self.limits, self._text(outline, q)) for q in self._questions(outline, stretches)]

    def _questions(self, outline: Outline, stretches: Sequence[Stretch]) -> list[Question]:
        options = self.options
        sizes = [
            count_tokens("\n".join(stretch_lines(outline, s, options.preview, options.preview_words, 1_000)))
            for s in stretches
        ]
        waiting = questions_of(outline, stretches, sizes, options.input_budget)[::-1]
        ready: list[Question] = []
        while waiting:
            question = waiting.pop()
            too_large = count_tokens(self._text(outline, question)) > 1.1 * options.input_budget
            if (too_large or self._needed(question) > options.output_budget) and (pair := halves(outline, question)):
                waiting += pair[::-1]
            else:
                ready.append(question)
        return ready

    def _text(self, outline: Outline, question: Question) -> str:
        return question_text(outline, question, self.options.preview, self.options.preview_words)

    def _needed(self, question: Question) -> int:
        return sum(TOKENS_PER_UNIT * (part.end - part.first) for part in question.parts)

    def _decide(self, outline: Outline, question: Question, budget: Budget) -> _Outcome:
        """The model's groups for one question, or why there are none."""
        if self._stopped:
            return _Outcome(fault=self._stopped)
        text = self._text(outline, question)
        key = self._key(outline, question, text)
        if self._cache is not None and (stored := self._cache.get(key)) is not None:
            try:
                answer = parse_answer(outline, question, stored)
            except UnreadableReply:
                pass  # an entry that another version wrote; asked again
            else:
                self.figures.count(cached=1)
                return _accepted(answer, Usage())
        try:
            return self._asked(outline, question, text, key, budget)
        except BudgetExhausted as cap:
            return _Outcome(fault=str(cap))
        except ContentRefused:
            return _Outcome(fault="the server refused the request")
        except TransientError as failure:
            return self._failed(failure)
        except ConfigError as failure:
            self._stopped = str(failure)
            return _Outcome(fault=self._stopped)

    def _asked(self, outline: Outline, question: Question, text: str, key: str, budget: Budget) -> _Outcome:
        usage, fault, said = Usage(), "", ""
        for attempt in range(2):
            reply = self._call(question, messages(self.limits, text, fault, said), budget)
            usage += reply.usage
            if reply.ending is Ending.LENGTH:
                return self._in_halves(outline, question, budget, usage)
            if reply.ending is not Ending.COMPLETE:
                return _Outcome(usage=usage, fault=f"the reply ended with {reply.ending}")
            try:
                answer = parse_answer(outline, question, reply.text)
            except UnreadableReply as reason:
                fault, said = str(reason), reply.text
                self.figures.count(repaired=1 - attempt)
                continue
            if self._cache is not None:
                self._cache.put(key, reply.text)
            return _accepted(answer, usage)
        return _Outcome(usage=usage, fault=f"unreadable twice: {fault}")

    def _call(self, question: Question, asked: list[dict[str, str]], budget: Budget) -> Reply:
        limit = min(self.options.output_budget, THINKING_TOKENS + self._needed(question))
        size = sum(count_tokens(message["content"]) for message in asked) + MESSAGE_OVERHEAD_TOKENS
        with budget.call(size, limit) as bill:
            reply = self._client.ask(
                asked, max_output_tokens=limit, schema=REPLY_SCHEMA, schema_name="plan", cache_key=PROMPT_VERSION
            )
            bill.usage = reply.usage
        self._failures = 0
        self.figures.count(calls=1)
        return reply

    def _in_halves(self, outline: Outline, question: Question, budget: Budget, spent: Usage) -> _Outcome:
        """A reply that was cut off is never taken; the question was too large."""
        pair = halves(outline, question)
        if pair is None:
            return _Outcome(usage=spent, fault="the reply was cut off")
        outcomes = [self._decide(outline, half, budget) for half in pair]
        usage = spent + outcomes[0].usage + outcomes[1].usage
        if fault := outcomes[0].fault or outcomes[1].fault:
            return _Outcome(usage=usage, fault=fault)
        return _Outcome(outcomes[0].arrays + outcomes[1].arrays, outcomes[0].procedures | outcomes[1].procedures, usage)

    def _failed(self, failure: TransientError) -> _Outcome:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                self._stopped = f"{failure}; not asked again in this run"
        return _Outcome(fault=str(failure))

    def _key(self, outline: Outline, question: Question, text: str) -> str:
        digests = [outline.units[i].digest for part in question.parts for i in range(part.first, part.end)]
        limits = f"{self.limits.minimum}/{self.limits.target}/{self.limits.maximum}"
        return digest_of("plan", self.name, limits, text, *digests)

    def _assembled(
        self,
        outline: Outline,
        stretches: Sequence[Stretch],
        questions: Sequence[Question],
        outcomes: Sequence[_Outcome],
        by_rule: ChunkPlan,
    ) -> ChunkPlan:
        """The plan out of certain groups, the model's, and the rules' where a question failed."""
        usage = sum((outcome.usage for outcome in outcomes), Usage())
        asked = {part.first: outcome for q, outcome in zip(questions, outcomes, strict=True) for part in q.parts}
        arrays: list[tuple[str, ...]] = []
        ruled: list[Violation] = []
        done: set[int] = set()
        for stretch in stretches:
            outcome = asked.get(stretch[0].first)
            ids = _ids(outline, stretch)
            if outcome is None:
                arrays.append(ids)
            elif outcome.fault:
                arrays += [_ids(outline, run) for run in self._rule.runs(outline, stretch)]
                ruled.append(Violation(f"planned-by-rule: {outcome.fault}", ids))
            elif id(outcome) not in done:
                done.add(id(outcome))
                arrays += outcome.arrays
        procedures = frozenset().union(*(outcome.procedures for outcome in outcomes))
        groups, repairs = repair(outline.tree, arrays)
        settled = settle(outline, groups, stretches, procedures, self.limits, self._rule)
        self.figures.answered(outcomes=[o.fault for o in outcomes], changed=settled != by_rule.groups)
        source = self.name if any(not outcome.fault for outcome in outcomes) else by_rule.planner
        return ChunkPlan(settled, source, PROMPT_VERSION, usage, (*repairs, *ruled))


def _accepted(answer: Answer, usage: Usage) -> _Outcome:
    first = frozenset(answer.groups[i][0] for i in answer.procedures if answer.groups[i])
    return _Outcome(answer.groups, first, usage)


def _ids(outline: Outline, run: Sequence[Segment]) -> tuple[str, ...]:
    return tuple(outline.units[i].id for i in range(run[0].first, run[-1].end))
