"""Caps in tokens and money that no run exceeds: what a call may cost at most is set aside before it is made."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from wrac.errors import ConfigError, WracError
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llm.prices import Price

ZERO = Decimal(0)


class BudgetExhausted(WracError):
    """The next call could pass a cap: it was not made. The message names the cap."""


@dataclass(frozen=True, slots=True)
class Cap:
    """A limit of one scope; None where there is none. Tokens count input and output together."""

    scope: str
    """``page``, ``run`` or ``site``, for messages."""
    tokens: int | None = None
    money: Decimal | None = None
    """US dollars."""


@dataclass(slots=True)
class Budget:
    """What one scope has spent and may spend; a scope inside another spends from both. Safe between threads.

    The worst case of a call (its input and its output limit) is reserved before the call and settled by the bill after
    it, so that calls under way at once cannot pass a cap together.
    """

    cap: Cap
    price: Price | None
    parent: Budget | None = None
    spent: Usage = Usage()
    _reserved_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def money(self) -> Decimal | None:
        """US dollars spent; None where the model has no known price."""
        return self.price.of(self.spent) if self.price else None

    def require_price(self, model: str) -> None:
        """Raises ``ConfigError`` where money is capped or counted and the model has no known price."""
        if self.price is None:
            raise ConfigError(
                f"the price of the model {model} is not known: name it in wrac.toml "
                f'([prices."{model}"] input = ..., output = ... in dollars per million tokens) '
                "or set allow_unpriced = true"
            )

    @contextmanager
    def call(self, input_tokens: int, output_limit: int) -> Iterator[_Bill]:
        """Reserves a call's worst case, and settles it by what ``bill.usage`` holds at the end.

        Raises ``BudgetExhausted`` before the call where the worst case does not fit a cap of this or an outer scope.
        """
        worst = Usage(input_tokens=input_tokens, output_tokens=output_limit)
        chain = list(self._chain())
        held: list[Budget] = []
        bill = _Bill()
        try:
            for budget in chain:
                budget.reserve(worst)
                held.append(budget)
            yield bill
        finally:
            for budget in held:
                budget.settle(worst, bill.usage)

    def _chain(self) -> Iterator[Budget]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget.parent

    def reserve(self, worst: Usage) -> None:
        """Sets the worst case of a call aside. Raises ``BudgetExhausted`` where it does not fit."""
        with self._lock:
            pending = self._reserved_tokens + _size(worst)
            if self.cap.tokens is not None and _size(self.spent) + pending > self.cap.tokens:
                raise BudgetExhausted(f"the {self.cap.scope} cap of {self.cap.tokens:,} tokens is reached")
            if self.cap.money is not None and self.price is not None:
                # Reserved tokens are counted at the dearer rate, which can only overstate them.
                dearest = max(self.price.input, self.price.output) * self._reserved_tokens / 1_000_000
                if self.price.of(self.spent) + dearest + self.price.of(worst) > self.cap.money:
                    raise BudgetExhausted(f"the {self.cap.scope} cap of ${self.cap.money} is reached")
            self._reserved_tokens = pending

    def settle(self, worst: Usage, billed: Usage) -> None:
        """Puts the bill of a call in the place of its worst case."""
        with self._lock:
            self._reserved_tokens -= _size(worst)
            self.spent += billed


@dataclass(slots=True)
class _Bill:
    usage: Usage = Usage()


def _size(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens
