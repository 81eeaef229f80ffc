"""What the transcription of documents came to."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_COUNTS = ("pages", "checked", "transcribed", "repaired", "replaced", "unverified", "kept", "calls", "truncated")


@dataclass(slots=True)
class TranscriptionFigures:
    """Sums over documents. Safe between threads."""

    pages: int = 0
    """Pages that are not blank."""
    checked: int = 0
    """Pages whose transcript was compared with the page; those that were kept from before were compared then."""
    transcribed: int = 0
    """Believed as they came."""
    repaired: int = 0
    """Believed when the model was told what was wrong."""
    replaced: int = 0
    """By the deterministic conversion."""
    unverified: int = 0
    """With nothing to compare them with."""
    kept: int = 0
    """Among all of them, pages that were paid for before."""
    calls: int = 0
    truncated: int = 0
    """Replies that lacked pages, or were cut off."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Replaced pages by kind of reason."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def count(self, **more: int) -> None:
        """Adds to the sums, by their names."""
        with self._lock:
            for name, number in more.items():
                setattr(self, name, getattr(self, name) + number)

    def ended(self, status: str, reason: str = "") -> None:
        """One page ended as ``transcribed``, ``repaired``, ``replaced`` or ``unverified``."""
        with self._lock:
            self.pages += 1
            setattr(self, status, getattr(self, status) + 1)
            if reason:
                self.reasons[reason] += 1

    def as_dict(self) -> dict[str, Any]:
        """Counts by name, for JSON."""
        with self._lock:
            return {name: getattr(self, name) for name in _COUNTS} | {"reasons": dict(self.reasons)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> TranscriptionFigures:
        """What ``as_dict`` gave; what is missing counts as none."""
        return cls(**{name: int(data.get(name, 0)) for name in _COUNTS}, reasons=Counter(data.get("reasons", {})))

    def __add__(self, other: TranscriptionFigures) -> TranscriptionFigures:
        mine, theirs = self.as_dict(), other.as_dict()
        return TranscriptionFigures(
            **{name: mine[name] + theirs[name] for name in _COUNTS},
            reasons=Counter(mine["reasons"]) + Counter(theirs["reasons"]),
        )

    def in_words(self) -> str:
        """One line for a person."""
        kept = f" ({self.kept:,} of them paid for before)" if self.kept else ""
        unverified = f", {self.unverified:,} could not be checked" if self.unverified else ""
        return (
            f"{self.pages:,} pages{kept}, {self.checked:,} checked: {self.transcribed:,} transcribed, "
            f"{self.repaired:,} repaired, {self.replaced:,} replaced by the deterministic conversion{unverified}; "
            f"{self.calls:,} calls"
        )
