"""What the calls of a planner came to."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True)
class PlanningFigures:
    """Sums over the life of a planner. Safe between threads."""

    calls: int = 0
    """Calls made, repair calls and halves included."""
    calls_saved: int = 0
    """Documents in which the rules had decided everything."""
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
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

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
