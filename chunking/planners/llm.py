"""The planner that asks a language model, about identifiers only (W-RAC's semantic planning).

What comes back can only move cuts: it is expanded to unit ids, repaired against the tree, and held to the window.
Whatever goes wrong with a model, its question is planned by rule and the plan says so; a model never fails a page.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chunking.headings import Outline
from chunking.limits import WindowLimits
from chunking.planners.abreast import abreast
from chunking.planners.asking import VERSION, Asker, Outcome, PlanCache, PlanningOptions
from chunking.planners.excerpts import Question, halves, is_decided, questions_of, stretches_of
from chunking.planners.figures import PlanningFigures
from chunking.planners.kept import NOT_ASKED, blocks_of
from chunking.planners.prompt import PROMPT_VERSION, messages
from chunking.planners.rule import RulePlanner
from chunking.planners.settle import settle
from chunking.planners.wire import reply_text, stretch_lines
from chunking.repair import repair
from chunking.sections import segments
from llm.budget import Budget, Cap
from wrac.records import ChunkPlan, Usage, Violation
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from chunking.planners.excerpts import Stretch
    from chunking.planners.kept import Block
    from chunking.sections import Segment
    from llm.guarded import Chat
    from wrac.records import Group, UnitTree

__all__ = ["Forecast", "LLMPlanner", "PlanCache", "PlanningOptions"]

BY_RULE = "planned-by-rule"
"""Opens the violation of a question that the model could not answer; the reason follows."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """One call that planning a tree would make."""

    messages: list[dict[str, str]]
    reply: str
    """What the model would answer, were it to plan as the rules do."""
    cached: bool = False
    """The plan cache holds the real reply: no call is made."""


class LLMPlanner:
    """Plans by a chat model behind any OpenAI-compatible server. Safe to share between threads."""

    version = VERSION
    """Of program and prompt: whatever would make the same model plan otherwise."""

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
        self._asker = Asker(client, limits, options, cache, self.figures)
        self.name = self._asker.name
        self._budget = budget or Budget(Cap("run"), price=None)
        self._page_cap = page_cap
        self._cache = cache
        self._rule = RulePlanner(limits)

    def plan(
        self, tree: UnitTree, on_bill: Callable[[Usage], None] | None = None, *, kept: Sequence[Group] = ()
    ) -> ChunkPlan:
        """A lossless plan in order. ``planner`` names the rules where no part of it is the model's or kept.

        ``on_bill`` is told the usage of each call as soon as it is billed, from the thread that made the call. Groups
        of ``kept`` (``chunking.delta``) stand in the plan as they are, and nothing is asked about them.
        """
        outline = Outline(tree)
        by_rule = self._rule.plan(tree, kept=kept)
        blocks = blocks_of(outline, segments(outline), kept)
        stretches = [s for block in blocks for s in self._stretches(block)]
        held = {block.parts[0].first for block in blocks if block.is_kept}
        open_stretches = [s for s in stretches if s[0].first not in held and not is_decided(s, self.limits)]
        if not open_stretches:
            self.figures.count(calls_saved=1)
            return replace(by_rule, planner=self.name) if held else by_rule
        questions = self._questions(outline, open_stretches)
        budget = Budget(self._page_cap, self._budget.price, self._budget, on_bill=on_bill)
        outcomes = abreast(
            lambda question: self._asker.decide(outline, question, budget), questions, self.options.concurrency
        )
        return self._assembled(outline, stretches, held, questions, outcomes, by_rule)

    def _stretches(self, block: Block) -> list[Stretch]:
        return [block.parts] if block.is_kept else stretches_of(block.parts, self.limits)

    def stop(self, reason: str) -> None:
        """No further call is made; what is not answered yet is planned by rule, as not asked for this reason."""
        self._asker.stop(reason)

    def questions(self, tree: UnitTree) -> list[list[dict[str, str]]]:
        """The messages of all calls that planning the tree would make, none of them made."""
        return [forecast.messages for forecast in self.forecast(tree)]

    def forecast(self, tree: UnitTree) -> list[Forecast]:
        """All calls that planning the tree would make, none of them made. No model, key or server is needed."""
        outline = Outline(tree)
        stretches = [s for s in stretches_of(segments(outline), self.limits) if not is_decided(s, self.limits)]
        forecasts = []
        for question in self._questions(outline, stretches):
            text = self._asker.text(outline, question)
            known = self._cache is not None and self._cache.get(self._asker.key(outline, question, text)) is not None
            forecasts.append(Forecast(messages(self.limits, text), self._rule_reply(outline, question), known))
        return forecasts

    def _rule_reply(self, outline: Outline, question: Question) -> str:
        """The rules' own cuts, in the words of a reply."""
        beginnings, alias = [], 1
        for stretch in question.stretches:
            for run in self._rule.runs(outline, stretch):
                beginnings.append(alias)
                alias += run[-1].end - run[0].first
        return reply_text(beginnings)

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
            too_large = (
                count_tokens(self._asker.text(outline, question)) > 1.1 * options.input_budget
                or self._asker.needed(question) > options.output_budget
            )
            if too_large and (pair := halves(outline, question)):
                waiting += pair[::-1]
            else:
                ready.append(question)
        return ready

    def _assembled(
        self,
        outline: Outline,
        stretches: Sequence[Stretch],
        held: Collection[int],
        questions: Sequence[Question],
        outcomes: Sequence[Outcome],
        by_rule: ChunkPlan,
    ) -> ChunkPlan:
        """The plan out of certain groups, the model's, and the rules' where a question failed.

        ``held`` are the first units of the stretches that are kept groups.
        """
        usage = sum((outcome.usage for outcome in outcomes), Usage())
        asked = {part.first: outcome for q, outcome in zip(questions, outcomes, strict=True) for part in q.parts}
        arrays: list[tuple[str, ...]] = []
        ruled: list[Violation] = []
        waiting: dict[int, deque[tuple[str, ...]]] = {}
        for stretch in stretches:
            outcome = asked.get(stretch[0].first)
            ids = _ids(outline, stretch)
            if outcome is None:
                arrays.append(ids)
            elif outcome.fault:
                arrays += [_ids(outline, run) for run in self._rule.runs(outline, stretch)]
                ruled.append(Violation(f"{NOT_ASKED if outcome.unasked else BY_RULE}: {outcome.fault}", ids))
            else:
                arrays += _due(outline, stretch, waiting.setdefault(id(outcome), deque(outcome.arrays)))
        arrays += [array for rest in waiting.values() for array in rest]
        procedures = frozenset().union(*(outcome.procedures for outcome in outcomes))
        groups, repairs = repair(outline.tree, arrays)
        settled = settle(outline, groups, stretches, procedures, self.limits, self._rule, held)
        self.figures.answered(outcomes=[o.fault for o in outcomes], changed=settled != by_rule.groups)
        source = self.name if held or any(not outcome.fault for outcome in outcomes) else by_rule.planner
        return ChunkPlan(settled, source, PROMPT_VERSION, usage, (*repairs, *ruled))


def _due(outline: Outline, stretch: Stretch, waiting: deque[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Takes the arrays up to the first that begins after the stretch: a model's own disorder stays what it is."""
    due: list[tuple[str, ...]] = []
    while waiting:
        begins = next((outline.position[i] for i in waiting[0] if i in outline.position), -1)
        if begins >= stretch[-1].end:
            break
        due.append(waiting.popleft())
    return due


def _ids(outline: Outline, run: Sequence[Segment]) -> tuple[str, ...]:
    return tuple(outline.units[i].id for i in range(run[0].first, run[-1].end))
