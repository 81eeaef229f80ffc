"""What a planning call carries: terse lines of aliases out to the model, places of cuts back.

Out, one line a unit::

    ctx: Handbook > Administration
    u1 ## 6 Backups
    =u2 paragraph 41 The backup tool copies every table that ...
    u3 list 88 Full: copies everything; Incremental: ...
    =u4 code 120 $ backup --full
    --
    u5 ## 4 Restoring

``=`` forbids a cut before its line: a heading is never parted from what it leads, nor a procedure or lead-in inside.
``--`` is a cut that is certain. Back: ``{"c": [1, 3, 5], "p": []}`` - the number of the unit that each chunk begins
with, and those among them whose chunk is one procedure. A number a chunk is the least that says a plan: 33 % of the
output tokens of ranges are saved, and no unit can be left out or named twice. Ranges (``"u1-u2"``) and lists of aliases
are read too. Aliases live inside one call; nothing but known aliases is believed (``chunking.repair``).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from chunking.headings import heading_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chunking.headings import Outline
    from chunking.planners.excerpts import Question, Stretch
    from wrac.records import Unit

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "c": {"type": "array", "items": {"type": "integer"}},
        "p": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["c", "p"],
    "additionalProperties": False,
}
"""Strict mode of structured outputs: every property required, none added, no bounds (they are not portable)."""

_ALIAS = re.compile(r"\s*u?(\d{1,9})\s*")
_RANGE = re.compile(r"\s*u?(\d{1,9})\s*(?:(?:-|–|\.\.|:)\s*u?(\d{1,9})\s*)?")


class Preview(StrEnum):
    """How much of a unit's text a planning call shows."""

    NONE = "none"
    HEADINGS = "headings"
    WORDS = "words"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed reply; ``groups`` holds arrays of unit ids, unknown aliases as they came."""

    groups: tuple[tuple[str, ...], ...]
    procedures: frozenset[int]
    """Indices into ``groups``."""


class UnreadableReply(ValueError):
    """The reply holds no plan; its message says what is wrong in words that a model can act on."""


def question_text(outline: Outline, question: Question, preview: Preview, words: int) -> str:
    """The question as text. Alias ``uN`` is the N-th unit of the question, from 1."""
    lines = [f"ctx: {' > '.join(question.context)}"] if question.context else []
    alias = 1
    for number, stretch in enumerate(question.stretches):
        if number:
            lines.append("--")
        lines += stretch_lines(outline, stretch, preview, words, alias)
        alias += stretch[-1].end - stretch[0].first
    return "\n".join(lines)


def stretch_lines(outline: Outline, stretch: Stretch, preview: Preview, words: int, alias: int = 1) -> list[str]:
    """One line a unit, aliases counted on from ``alias``."""
    starts = {part.first for part in stretch}
    return [
        f"{'' if index in starts else '='}u{alias + offset} {_described(outline, outline.units[index], preview, words)}"
        for offset, index in enumerate(range(stretch[0].first, stretch[-1].end))
    ]


def reply_text(beginnings: Sequence[int], procedures: Sequence[int] = ()) -> str:
    """A reply as the schema asks for, written as models write it."""
    return json.dumps({"c": list(beginnings), "p": list(procedures)})


def parse_answer(outline: Outline, question: Question, reply: str) -> Answer:
    """The plan in a reply, fenced or wrapped in prose or not. Raises ``UnreadableReply``."""
    data = _json_object(reply)
    chunks = data.get("c", data.get("chunks"))
    if not isinstance(chunks, list):
        raise UnreadableReply('the reply has no array "c"')
    ids = [outline.units[i].id for part in question.parts for i in range(part.first, part.end)]
    numbers = [number for item in chunks if (number := _number(item)) is not None]
    if len(numbers) == len(chunks):
        groups = _between(numbers, _certain_cuts(question), ids)
    else:
        groups = tuple(tuple(_expanded(item, ids)) for item in chunks)
    flags = data.get("p", [])
    named = {_number(flag) for flag in flags} if isinstance(flags, list) else set()
    flagged = {unit_id for number, unit_id in enumerate(ids, 1) if number in named}
    return Answer(groups, frozenset(i for i, group in enumerate(groups) if group and group[0] in flagged))


def _described(outline: Outline, unit: Unit, preview: Preview, words: int) -> str:
    text = outline.tree.text_of(unit)
    if unit.is_heading:
        shown = "" if preview is Preview.NONE else " ".join(heading_text(text).split())
        return f"{'#' * unit.level} {unit.tokens} {shown}".rstrip()
    if preview is Preview.FULL:
        shown = " ".join(text.split())
    elif preview is Preview.WORDS:
        shown = " ".join(text[: 24 * words].split()[:words])
    else:
        shown = ""
    return f"{unit.kind.value} {unit.tokens} {shown}".rstrip()


def _json_object(reply: str) -> dict[str, Any]:
    """The first JSON object in the reply; an array at the top counts as its chunks."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"[{\[]", reply):
        try:
            data, _ = decoder.raw_decode(reply, match.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
        if isinstance(data, list):
            return {"c": data}
    raise UnreadableReply("the reply is not JSON")


def _number(item: object) -> int | None:
    """The number of one alias, None for whatever else."""
    match = _ALIAS.fullmatch(item) if isinstance(item, str) else None
    if match:
        return int(match[1])
    return item if type(item) is int else None


def _certain_cuts(question: Question) -> set[int]:
    """Aliases of the units that a stretch begins with."""
    sizes = [stretch[-1].end - stretch[0].first for stretch in question.stretches]
    return {1 + before for before in accumulate(sizes[:-1], initial=0)}


def _between(beginnings: Sequence[int], certain: set[int], ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The units from each beginning to the next, those that are certain added. Unknown ones come last, together."""
    unknown = tuple(str(number) for number in beginnings if not 1 <= number <= len(ids))
    if len(unknown) == len(beginnings):
        return (unknown,) if unknown else ()
    cuts = sorted(certain | {number for number in beginnings if 1 <= number <= len(ids)})
    groups = tuple(tuple(ids[first - 1 : end - 1]) for first, end in pairwise([*cuts, len(ids) + 1]))
    return (*groups, unknown) if unknown else groups


def _expanded(item: object, ids: Sequence[str]) -> Iterator[str]:
    """Unit ids of one range, or of a list of them."""
    if isinstance(item, list):
        for inner in item:
            yield from _expanded(inner, ids) if not isinstance(inner, list) else [repr(inner)[:80]]
        return
    if type(item) is int:
        item = str(item)
    if not isinstance(item, str):
        yield repr(item)[:80]
        return
    for piece in item.split(","):
        if not (match := _RANGE.fullmatch(piece)):
            yield piece.strip()[:80]
            continue
        first, last = int(match[1]), int(match[2] or match[1])
        step = 1 if first <= last else -1
        inside = range(max(1, min(first, len(ids))), max(1, min(last, len(ids))) + step, step)
        if not 1 <= first <= len(ids) or not 1 <= last <= len(ids):
            yield piece.strip()[:80]
        yield from (ids[i - 1] for i in inside if ids)
