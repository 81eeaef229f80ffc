"""Is a transcript what stands on the page? Words and numbers counted against the page's own text, in any order.

Counted, not aligned: a reader's order may differ from the file's, and rows become sentences that repeat the heads of
their columns. What counting alone would let pass is looked at line by line: a line that repeats the page's words
without a word left for it, and a line that holds two rows of a table.

The thresholds were found on 127 real PDF files and faults made in their transcripts: docs/decisions, 0036.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from conversion.drac.plain import is_number, lines, tokens
from conversion.drac.rows import tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conversion.drac.plain import Line

_SHOWN = 8
_LONGEST_JOIN = 3
"""Pieces of one word, hyphenated or set apart, at most."""
_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
"""Alone they are no words: what a text layer says of a sign that its font does not name, such as that of a currency."""
_WHOLE = 0.9
"""Share of repeated words from which a line says nothing of its own."""
_LEAST = 4
"""Words of such a line at least: shorter ones repeat without meaning harm."""
_ROW = 0.15
"""Share of repeated words from which a line is a row of a table."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What may differ before a page is not believed. Counts are absolute, shares are of the page's words."""

    invented: int = 0
    invented_share: float = 0.0
    lost: int = 0
    lost_share: float = 0.0
    numbers: int = 0
    """Numbers that stand on one side only."""
    rows: int = 0
    """Lines that hold two rows of a table, and rows that no line holds together."""
    similar: bool = False
    """Whether words a letter or two apart are the same word, as they are where a machine read the reference."""


EXACT = Tolerance()
"""Against a text layer."""
OCR = Tolerance(invented=4, invented_share=0.04, lost=4, lost_share=0.05, numbers=4, rows=4, similar=True)
"""Against what OCR read, which errs itself."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What stands on a page."""

    text: str
    """In the file's own order."""
    optional: str = ""
    """Running heads, page numbers and the like: may be left out."""
    markdown: str = ""
    """The page by the deterministic conversion: what is known of its tables."""
    carried: str = ""
    """Heads of a table that goes on from the page before."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a transcript differs from its page."""

    words: int
    """Of the page."""
    invented: tuple[str, ...]
    """Words that stand in the transcript only, or in a line without a word of its own."""
    lost: tuple[str, ...]
    """Words that stand on the page only."""
    numbers: tuple[str, ...]
    """Numbers that stand on one side only: ``+10`` in the transcript, ``-10`` on the page; ``~10`` stands elsewhere."""
    merged: int
    """Lines that hold two rows of a table."""
    scattered: int
    """Rows of a table whose cells stand in the transcript, but in no line together."""

    def faults(self, tolerance: Tolerance = EXACT) -> tuple[str, ...]:
        """What is wrong with it, in words, for a log and for the model; empty where it is believed."""
        found = []
        if len(self.invented) > max(tolerance.invented, tolerance.invented_share * self.words):
            found.append(f"{len(self.invented)} words that are not on the page ({_some(self.invented)})")
        if len(self.lost) > max(tolerance.lost, tolerance.lost_share * self.words):
            found.append(f"{len(self.lost)} words of the page are missing ({_some(self.lost)})")
        if len(self.numbers) > tolerance.numbers:
            signs = "- is missing, + is invented, ~ stands elsewhere"
            found.append(f"{len(self.numbers)} numbers differ ({_some(self.numbers)}; {signs})")
        if self.merged > tolerance.rows:
            found.append(f"{self.merged} lines hold more than one row of a table")
        if self.scattered > tolerance.rows:
            found.append(f"{self.scattered} rows of tables are torn apart or mixed up")
        return tuple(found)


def verify(markdown: str, page: Reference, tolerance: Tolerance = EXACT) -> Verdict:
    """Compares the transcript of a page with what stands on it, in linear time."""
    written = lines(markdown)
    optional = Counter(tokens(page.optional))
    everything = tokens(page.text)
    required = _without(everything, optional)
    out = list(chain.from_iterable(line.tokens for line in written))
    given, said = Counter(required), Counter(out)
    lost, extra = given - said, said - given
    _cancel_ordinals(lost, written)
    _cancel_joins(required, lost, extra)
    _cancel_joins(out, extra, lost)
    _cancel_glued(lost, extra)
    if tolerance.similar:
        _cancel_similar(lost, extra)
        lost = Counter({token: count for token, count in lost.items() if len(token) > 1})  # bullets, read as letters
    extra -= optional
    for ligature in _LIGATURES:
        lost.pop(ligature, None)
    heads = _heads(page)
    fresh = [token for token in extra.elements() if not given[token] and token not in heads]
    repeated = Counter({token: count for token, count in extra.items() if count > 0 and given[token]})
    invented = [*fresh, *_unsupported(written, repeated, heads)]
    merged, scattered = _rows(written, page.markdown, said)
    return Verdict(
        words=len(required),
        invented=tuple(t for t in invented if not is_number(t)),
        lost=tuple(t for t in lost.elements() if not is_number(t)),
        numbers=(
            *(f"-{t}" for t in lost.elements() if is_number(t)),
            *(f"+{t}" for t in invented if is_number(t)),
            *(f"~{t}" for t in _displaced(written, everything, set(repeated) | heads)),
        ),
        merged=merged,
        scattered=scattered,
    )


def _heads(page: Reference) -> frozenset[str]:
    """Words that rows may repeat: heads of the page's tables, and of one that goes on from the page before."""
    known = chain.from_iterable(table.head for table in tables(page.markdown))
    return frozenset(token for text in (*known, page.carried) for token in tokens(text))


def _without(sequence: Sequence[str], left_out: Counter[str]) -> list[str]:
    """The words in order, less those that may be left out."""
    going = Counter(left_out)
    kept = []
    for token in sequence:
        if going[token] > 0:
            going[token] -= 1
        else:
            kept.append(token)
    return kept


def _cancel_ordinals(lost: Counter[str], written: Iterable[Line]) -> None:
    """The number before an item is written by the list; the page may show it."""
    for line in written:
        if line.ordinal and lost[line.ordinal] > 0:
            lost[line.ordinal] -= 1


def _cancel_joins(sequence: Sequence[str], pieces: Counter[str], wholes: Counter[str]) -> None:
    """Words that one side has in pieces and the other whole: hyphens at line ends, letters set apart, lost spaces."""
    if not +wholes:
        return
    for size in range(2, _LONGEST_JOIN + 1):
        for start in range(len(sequence) - size + 1):
            parts = sequence[start : start + size]
            whole = "".join(parts)
            needed = Counter(parts)
            if wholes[whole] > 0 and all(pieces[part] >= count for part, count in needed.items()):
                wholes[whole] -= 1
                pieces.subtract(needed)


def _cancel_glued(lost: Counter[str], extra: Counter[str]) -> None:
    """Words of two cells that the file sets without a space, and that a sentence parts."""
    for whole in list(lost.elements()):
        for cut in range(1, len(whole)):
            left, right = whole[:cut], whole[cut:]
            if extra[left] > 0 and extra[right] > (left == right):
                lost[whole] -= 1
                extra.subtract((left, right))
                break


def _cancel_similar(lost: Counter[str], fresh: Counter[str]) -> None:
    """Pairs of words that differ as a misread word does from the right one."""
    for word in list(fresh.elements()):
        for other in +lost:
            if abs(len(word) - len(other)) <= 2 and _alike(word, other):
                lost[other] -= 1
                fresh[word] -= 1
                break


def _alike(left: str, right: str) -> bool:
    """Whether a quarter of the letters at most must change (edit distance, of words of bounded length)."""
    if is_number(left) != is_number(right) or min(len(left), len(right)) < 3:
        return False
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1] <= max(1, max(len(left), len(right)) // 4)


def _unsupported(written: Sequence[Line], repeated: Counter[str], heads: frozenset[str]) -> list[str]:
    """Words that repeat the page more often than it says them, and that no table explains.

    Rows repeat the heads of their columns: words that the line above or below has, too, are no evidence, unless the
    line says nothing else. Where a word stands too often it is not told which copy is the wrong one: the line with the
    largest share of such words has it.
    """
    excess = Counter({token: count for token, count in repeated.items() if token not in heads})
    if not excess:
        return []
    suspects = []
    for index, line in enumerate(written):
        loose = [token for token in line.tokens if excess[token] > 0]
        if loose:
            suspects.append((len(loose) / len(line.tokens), index, loose))
    found: list[str] = []
    for share, index, loose in sorted(suspects, key=lambda suspect: (-suspect[0], suspect[1])):
        around = (*written[max(index - 1, 0) : index], *written[index + 1 : index + 2])
        near = {token for line in around for token in line.tokens}
        whole = share >= _WHOLE and len(loose) >= _LEAST
        for token in loose:
            # Rows repeat the heads of several columns: a single word that stands too often is none of them.
            if excess[token] > 0 and (whole or len(loose) == 1 or token not in near):
                excess[token] -= 1
                found.append(token)
    return found


def _displaced(written: Sequence[Line], source: Sequence[str], repeated: set[str]) -> list[str]:
    """Numbers of running text with neither the word before nor the word after of the page: two changed places.

    Lines of which much is repeated are rows of tables, where cells part what heads join; ``_rows`` looks at them.
    """
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for index, token in enumerate(source):
        if is_number(token):
            before.setdefault(token, set()).update(source[max(index - 1, 0) : index])
            after.setdefault(token, set()).update(source[index + 1 : index + 2])
    found = []
    for line in written:
        if sum(token in repeated for token in line.tokens) > _ROW * len(line.tokens):
            continue
        for left, token, right in zip(line.tokens, line.tokens[1:], line.tokens[2:], strict=False):
            if token in before and left not in before[token] and right not in after[token]:
                found.append(token)
    return found


def _rows(written: Sequence[Line], known: str, said: Counter[str]) -> tuple[int, int]:
    """Lines with two whole rows of a table, and rows that are all there but nowhere together."""
    merged = scattered = 0
    bags = [Counter(line.tokens) for line in written]
    holders: dict[str, list[int]] = {}
    for index, bag in enumerate(bags):
        for token in bag:
            holders.setdefault(token, []).append(index)
    for table in tables(known):
        rows = [Counter(chain.from_iterable(tokens(cell) for cell in row)) for row in table.rows]
        seen = Counter(token for row in rows for token in row)
        held: Counter[int] = Counter()
        for row in rows:
            own = [token for token in row if seen[token] < len(rows)]
            if len(own) < 2 or not row <= said:
                continue
            rarest = min(own, key=lambda token: len(holders.get(token, ())))
            places = [index for index in holders.get(rarest, ()) if row <= bags[index]]
            held.update(places)
            scattered += not places
        merged += sum(count > 1 for count in held.values())
    return merged, scattered


def _some(words: Sequence[str]) -> str:
    return " ".join(words[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
