"""What of a document is worth a model's call, in excerpts that fit one.

Most cuts need no model: two segments that the window cannot hold together are parted, and a section that the window
holds whole stays whole. What is left in between is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.headings import heading_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunking.headings import Outline, Path
    from chunking.limits import WindowLimits
    from chunking.sections import Segment

Stretch = tuple["Segment", ...]
"""Neighbouring segments between two cuts that are certain."""


@dataclass(frozen=True, slots=True)
class Question:
    """One planning call's share of a document: stretches in reading order."""

    stretches: tuple[Stretch, ...]
    context: tuple[str, ...] = ()
    """Headings above the first segment that the question does not show, outermost first."""

    @property
    def parts(self) -> tuple[Segment, ...]:
        """All of its segments."""
        return tuple(part for stretch in self.stretches for part in stretch)


def stretches_of(parts: Sequence[Segment], limits: WindowLimits) -> list[Stretch]:
    """The segments, parted wherever two neighbours exceed the window together."""
    found: list[list[Segment]] = []
    for part in parts:
        if found and found[-1][-1].tokens + part.tokens <= limits.maximum:
            found[-1].append(part)
        else:
            found.append([part])
    return [tuple(stretch) for stretch in found]


def is_decided(stretch: Stretch, limits: WindowLimits) -> bool:
    """Whether the stretch is one group for certain: one segment, or one section that the window holds."""
    if len(stretch) == 1:
        return True
    one_topic = all(part.path == stretch[0].path and not part.opens_section for part in stretch[1:])
    return one_topic and sum(part.tokens for part in stretch) <= limits.maximum


def questions_of(outline: Outline, stretches: Sequence[Stretch], tokens: Sequence[int], budget: int) -> list[Question]:
    """The stretches in as few questions as fit ``budget``; ``tokens`` is what the lines of each come to."""
    shares: list[list[Stretch]] = []
    size = 0
    for stretch, count in zip(stretches, tokens, strict=True):
        if shares and size + count <= budget:
            shares[-1].append(stretch)
            size += count
        else:
            shares.append([stretch])
            size = count
    return [Question(tuple(share), _context(outline, share[0][0])) for share in shares]


def halves(outline: Outline, question: Question) -> tuple[Question, Question] | None:
    """The question in two, at the shallowest heading nearest its middle; None for a single segment.

    Two stretches are parted between them, where a cut is certain; one stretch inside, where no group can then span.
    """
    if len(question.stretches) > 1:
        middle = len(question.stretches) // 2
        left, right = question.stretches[:middle], question.stretches[middle:]
    else:
        (stretch,) = question.stretches
        if len(stretch) < 2:
            return None
        place = min(range(1, len(stretch)), key=lambda i: (*_depth(stretch[i]), abs(2 * i - len(stretch))))
        left, right = (stretch[:place],), (stretch[place:],)
    return Question(left, question.context), Question(right, _context(outline, right[0][0]))


def _depth(part: Segment) -> tuple[bool, int]:
    return not part.opens_section, len(part.path)


def _context(outline: Outline, part: Segment) -> tuple[str, ...]:
    above: Path = tuple(index for index in part.path if index < part.first)
    return tuple(" ".join(heading_text(outline.tree.text_of(outline.units[i])).split()) for i in above)
