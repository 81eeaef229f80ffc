"""What the calls of a planner came to."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COUNTS = ("calls", "calls_saved", "cached", "repaired", "documents", "changed")


@dataclass(slots=True)
class PlanningFigures:
    """Sums over the life of a planner. Safe between threads."""

    calls: int = 0
    """Calls made, repair calls and halves included."""
    calls_saved: int = 0
    """Documents about which nothing was to be asked: the rules, or the plan before, had decided everything."""
    cached: int = 0
    """Questions answered from the plan cache."""
    repaired: int = 0
    """Replies that asked for the one repair call."""
    documents: int = 0
    """Documents that the model was asked about."""
    changed: int = 0
    """Among them, plans that differ from the rule plan."""
    by_rule: Counter[str] = field(default_factory=Counter)
    """Questions that went back to the rules, by reason."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def count(self, *, calls: int = 0, calls_saved: int = 0, cached: int = 0, repaired: int = 0) -> None:
        """Adds to the sums."""
        with self._lock:
            self.calls += calls
            self.calls_saved += calls_saved
            self.cached += cached
            self.repaired += repaired

    def answered(self, *, outcomes: Sequence[str], changed: bool) -> None:
        """One document is planned; ``outcomes`` holds the fault of each question, empty for none."""
        with self._lock:
            self.documents += 1
            self.changed += changed
            self.by_rule.update(fault for fault in outcomes if fault)

    def as_dict(self) -> dict[str, Any]:
        """Counts by name, for JSON."""
        with self._lock:
            return {name: getattr(self, name) for name in _COUNTS} | {"by_rule": dict(self.by_rule)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> PlanningFigures:
        """What ``as_dict`` gave; what is missing counts as none."""
        counts = {name: int(data.get(name, 0)) for name in _COUNTS}
        return cls(**counts, by_rule=Counter(data.get("by_rule", {})))

    def __add__(self, other: PlanningFigures) -> PlanningFigures:
        mine, theirs = self.as_dict(), other.as_dict()
        return PlanningFigures(
            **{name: mine[name] + theirs[name] for name in _COUNTS},
            by_rule=Counter(mine["by_rule"]) + Counter(theirs["by_rule"]),
        )

    def in_words(self) -> str:
        """One line for a person."""
        return (
            f"{self.calls:,} calls ({self.repaired:,} of them asked for repair), {self.cached:,} answers paid for "
            f"before, {self.calls_saved:,} pages that needed no call; {self.changed:,} of {self.documents:,} plans "
            f"differ from those of the rules"
        )

    def reasons(self) -> str:
        """How many questions went back to the rules and why; empty where none did."""
        return "; ".join(f"{count}: {reason}" for reason, count in self.by_rule.most_common())
