"""Which unit of a text is which unit of the text before: unchanged, edited in its place, or new.

Patience diff (Bram Cohen): what stands exactly once on both sides is an anchor, the longest run of anchors in order
holds, and what is left between two of them is looked at in the same way. Unlike a shortest edit script it never takes
one blank phrase of many for another, and it needs no time quadratic in the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

_MAX_DEPTH = 12
"""Rounds of looking between anchors; a text that needs more is made to waste time."""


class _Stretch(NamedTuple):
    """Places ``old`` to ``old_end`` and ``new`` to ``new_end``, ends exclusive."""

    old: int
    old_end: int
    new: int
    new_end: int
    depth: int = 0


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> dict[int, int]:
    """Place in ``old`` -> place in ``new`` of equal items, both ascending."""
    pairs: dict[int, int] = {}
    waiting = [_Stretch(0, len(old), 0, len(new))]
    while waiting:
        stretch = waiting.pop()
        stretch = _trimmed(old, new, stretch, pairs)
        if stretch.old == stretch.old_end or stretch.new == stretch.new_end or stretch.depth == _MAX_DEPTH:
            continue
        waiting += _between(_anchors(old, new, stretch), stretch)
    return dict(sorted(pairs.items()))


def replacements(pairs: dict[int, int], old_count: int, new_count: int) -> dict[int, int]:
    """Place in ``old`` -> place in ``new`` of what was replaced one by one: as many items went as came in one place."""
    found: dict[int, int] = {}
    before_old = before_new = -1
    for place_old, place_new in [*pairs.items(), (old_count, new_count)]:
        if place_old - before_old == place_new - before_new:
            found.update(zip(range(before_old + 1, place_old), range(before_new + 1, place_new), strict=True))
        before_old, before_new = place_old, place_new
    return found


def _trimmed(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch, pairs: dict[int, int]) -> _Stretch:
    """What is left of the stretch without its equal beginning and end, which are added to ``pairs``."""
    a, a_end, b, b_end, depth = stretch
    while a < a_end and b < b_end and old[a] == new[b]:
        pairs[a] = b
        a, b = a + 1, b + 1
    while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
        pairs[a_end] = b_end
    return _Stretch(a, a_end, b, b_end, depth)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch) -> list[tuple[int, int]]:
    """Items that stand once on both sides, as many of them as are in the same order on both."""
    a, a_end, b, b_end, _ = stretch
    in_old, in_new = Counter(old[a:a_end]), Counter(new[b:b_end])
    place = {new[i]: i for i in range(b, b_end) if in_new[new[i]] == 1}
    common = [(i, place[old[i]]) for i in range(a, a_end) if in_old[old[i]] == 1 and old[i] in place]
    return _longest_ascending(common)


def _longest_ascending(common: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part whose second numbers ascend; the first ones do already."""
    tops: list[int] = []
    top_index: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(common):
        pile = bisect_left(tops, place)
        before.append(top_index[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [place]
        top_index[pile : pile + 1] = [index]
    longest: list[tuple[int, int]] = []
    index = top_index[-1] if top_index else -1
    while index >= 0:
        longest.append(common[index])
        index = before[index]
    return longest[::-1]


def _between(anchors: Sequence[tuple[int, int]], stretch: _Stretch) -> Iterator[_Stretch]:
    """What lies between the anchors; each anchor opens what follows it."""
    if not anchors:
        return
    yield _Stretch(stretch.old, anchors[0][0], stretch.new, anchors[0][1], stretch.depth + 1)
    ends = [*anchors[1:], (stretch.old_end, stretch.new_end)]
    for (old, new), (old_end, new_end) in zip(anchors, ends, strict=True):
        yield _Stretch(old, old_end, new, new_end, stretch.depth + 1)
