"""Published plans as the answers of a model, so that our planning calls can be counted without one.

A replayed call is a real one but for the model: the planner decides what to ask, writes the prompt, reads and checks
the reply. What it cannot show is which plan a model would have made under our rules; the published one parts more
finely than our window asks for, so that the replies counted here are rather too long than too short.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from chunking.headings import Outline
from chunking.planners.excerpts import is_decided, stretches_of
from chunking.planners.wire import reply_text
from chunking.sections import segments
from llm.chat import Ending, Reply
from wrac.errors import ConfigError
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence

    from chunking.planners.llm import LLMPlanner
    from evaluation.repaired import RepairedPlan

REPLAYED_MODEL = "replay"
_UNIT_LINE = re.compile(r"=?u(\d+) ")
_CERTAIN_CUT = "--"


class ReplayChat:
    """Answers known questions, and bills them in o200k tokens as a server would. Safe between threads."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        """``answers`` maps the last message of a call to its reply."""
        self.model = REPLAYED_MODEL
        self._answers = answers

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_output_tokens: int,  # noqa: ARG002 - a replayed reply has the length that it has
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - and the shape
        schema_name: str = "reply",  # noqa: ARG002
        cache_key: str = "",  # noqa: ARG002 - whether a server caches the prefix cannot be known here
    ) -> Reply:
        """The reply to the last message. Raises ``ConfigError`` for a question that no published plan answers."""
        asked = str(messages[-1]["content"])
        if asked not in self._answers:
            raise ConfigError("no published plan answers this question: replay the documents that they were made for")
        reply = self._answers[asked]
        size = sum(count_tokens(str(message["content"])) for message in messages)
        return Reply(reply, Ending.COMPLETE, Usage(size, 0, count_tokens(reply), calls=1))


def add_answers(answers: MutableMapping[str, str], planner: LLMPlanner, plan: RepairedPlan) -> None:
    """Adds the replies to all calls that planning the document makes, by their last message."""
    outline = Outline(plan.tree)
    group_of = {unit_id: number for number, group in enumerate(plan.groups) for unit_id in group.unit_ids}
    asked: Iterator[int] = (
        index
        for stretch in stretches_of(segments(outline), planner.limits)
        if not is_decided(stretch, planner.limits)
        for index in range(stretch[0].first, stretch[-1].end)
    )
    for messages in planner.questions(plan.tree):
        text = messages[-1]["content"]
        answers[text] = _answer(_labelled(text, (group_of[outline.units[index].id] for index in asked)))


def _labelled(question: str, groups: Iterator[int]) -> Iterator[tuple[int, int] | None]:
    """Alias and group of each unit line; None at a certain cut."""
    for line in question.split("\n"):
        if line == _CERTAIN_CUT:
            yield None
        elif match := _UNIT_LINE.match(line):
            yield int(match[1]), next(groups)


def _answer(units: Iterable[tuple[int, int] | None]) -> str:
    """The alias that each run of one group begins with, as the prompt asks for it."""
    beginnings: list[int] = []
    last: int | None = None
    for unit in units:
        if unit is None:
            last = None
            continue
        alias, group = unit
        if group != last:
            beginnings.append(alias)
        last = group
    return reply_text(beginnings)
