"""A measured figure beside its goal, and the table that shows them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a report. A figure without a goal is never a miss."""

    name: str
    value: float
    least: float | None = None
    """The goal is this or more."""
    most: float | None = None
    """The goal is this or less."""
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the goal is met; a value that is no number meets none."""
        low = self.least is None or self.value >= self.least
        high = self.most is None or self.value <= self.most
        return low and high

    @property
    def goal(self) -> str:
        """The goal in words, empty where there is none."""
        parts = []
        if self.least is not None:
            parts.append(f">= {self.least:g}")
        if self.most is not None:
            parts.append(f"<= {self.most:g}")
        return " and ".join(parts)


def more(name: str, value: float, unit: str = "") -> Figure:
    """A figure of which more is better; how much is asked for is the floors' business (``gate.floors``)."""
    return Figure(name, value, least=-math.inf, unit=unit)


def less(name: str, value: float, unit: str = "") -> Figure:
    """A figure of which less is better."""
    return Figure(name, value, most=math.inf, unit=unit)


def show(title: str, figures: Sequence[Figure]) -> None:
    """Prints the figures as a table under ``title``."""
    width = max((len(f.name) for f in figures), default=4)
    print(f"\n{title}\n{'-' * len(title)}")
    for figure in figures:
        mark = "" if not figure.goal else ("ok" if figure.met else "MISSED")
        value = f"{figure.value:,.0f}" if figure.value == int_or_nan(figure.value) else f"{figure.value:.3f}"
        print(f"{figure.name:<{width}}  {value:>12} {figure.unit:<12} {figure.goal:<22} {mark}".rstrip(), flush=True)


def int_or_nan(value: float) -> float:
    """``value`` rounded to a whole number, or itself where it has none (inf, nan)."""
    return value if value != value or abs(value) == float("inf") else float(round(value))


def exit_code(figures: Iterable[Figure], *, strict: bool) -> int:
    """1 where a goal is missed and the caller asked to be told, else 0."""
    return int(strict and any(not figure.met for figure in figures))
