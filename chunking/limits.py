"""How large a chunk may be, in o200k tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """The token window of a chunk. ``maximum`` is exceeded only by a procedure or an atom."""

    target: int = 170
    """What joined neighbours aim at."""
    minimum: int = 80
    """Below this a section joins a neighbour where one fits."""
    maximum: int = 400

    def __post_init__(self) -> None:
        if not 0 <= self.minimum <= self.target <= self.maximum or self.maximum < 1:
            raise ValueError(
                f"token window {self.minimum}/{self.target}/{self.maximum}: "
                "needs 0 <= minimum <= target <= maximum and a maximum of at least 1"
            )
