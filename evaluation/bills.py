"""What a method's model calls come to: tokens, money, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm.prices import price_of
from wrac.records import Usage

if TYPE_CHECKING:
    from decimal import Decimal

PRICED_MODELS = ("gpt-4.1", "gemini-2.5-pro")
"""The papers' models."""


@dataclass(frozen=True, slots=True)
class Bill:
    """The calls of one method for the documents of one organisation, or of several."""

    documents: int = 0
    usage: Usage = Usage()
    saved: int = 0
    """Documents that needed no call."""
    seconds: float = 0.0
    """As measured; whether a model's latency is part of it is the method's to say."""

    def __add__(self, other: Bill) -> Bill:
        return Bill(
            self.documents + other.documents,
            self.usage + other.usage,
            self.saved + other.saved,
            self.seconds + other.seconds,
        )

    def money(self, model: str) -> Decimal:
        """US dollars at the model's list price, without any discount for cached input, which depends on the server."""
        price = price_of(model)
        if price is None:
            raise KeyError(model)
        return price.of(Usage(self.usage.input_tokens, 0, self.usage.output_tokens, self.usage.calls))


def change(new: float, old: float) -> float:
    """Relative change from ``old`` to ``new``: -0.9 is 90 % less; not a number where there is nothing to compare."""
    return new / old - 1 if old else float("nan")
