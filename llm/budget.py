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
    from collections.abc import Callable, Iterator

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
    it, so that calls under way at once cannot pass a cap together. Inner scopes may be of other models: a call counts
    by the price of the scope that it is made in.
    """

    cap: Cap
    price: Price | None
    parent: Budget | None = None
    spent: Usage = Usage()
    dollars: Decimal = ZERO
    """US dollars spent, as far as prices are known."""
    on_bill: Callable[[Usage], None] | None = None
    """Called with the usage of every call as soon as it is known, from the thread that made the call."""
    _reserved_tokens: int = 0
    _reserved_dollars: Decimal = ZERO
    _settled: threading.Condition = field(default_factory=threading.Condition, repr=False)

    @property
    def money(self) -> Decimal | None:
        """US dollars spent; None where the model has no known price."""
        return self.dollars if self.price else None

    def require_price(self, model: str) -> None:
        """Raises ``ConfigError`` where the model has no known price."""
        if self.price is None:
            raise ConfigError(
                f"the price of the model {model} is not known: name it in wrac.toml "
                f'([prices."{model}"] input = ..., output = ... in dollars per million tokens) '
                "or set allow_unpriced = true"
            )

    @contextmanager
    def call(self, input_tokens: int, output_limit: int) -> Iterator[_Bill]:
        """Reserves a call's worst case, and settles it by what ``bill.usage`` holds at the end.

        Where the worst case fits only without what calls under way have reserved, their bills are awaited. Raises
        ``BudgetExhausted`` before the call where it does not fit a cap of this or an outer scope at all.
        """
        worst = Usage(input_tokens=input_tokens, output_tokens=output_limit)
        held: list[Budget] = []
        bill = _Bill()
        try:
            for budget in self._chain():
                budget.reserve(worst, self.price)
                held.append(budget)
            yield bill
        finally:
            for budget in held:
                budget.settle(worst, bill.usage, self.price)

    def charge(self, usage: Usage, price: Price | None) -> None:
        """Counts what was billed for other work, by another model, against this scope and those around it."""
        for budget in self._chain():
            with budget._settled:  # noqa: SLF001 - of the same class
                budget.spent += usage
                budget.dollars += _dollars(usage, price)

    def _chain(self) -> Iterator[Budget]:
        budget: Budget | None = self
        while budget is not None:
            yield budget
            budget = budget.parent

    def reserve(self, worst: Usage, price: Price | None) -> None:
        """Sets the worst case of a call aside, once it fits. Raises ``BudgetExhausted`` where it cannot fit."""
        with self._settled:
            while (reached := self._exceeded(worst, price, self._reserved_tokens, self._reserved_dollars)) is not None:
                # Scopes are reserved inside out by every call, so whoever holds this scope does not wait for us.
                if not self._reserved_tokens or self._exceeded(worst, price, 0, ZERO) is not None:
                    raise BudgetExhausted(f"the {self.cap.scope} cap of {reached} is reached")
                self._settled.wait()
            self._reserved_tokens += _size(worst)
            self._reserved_dollars += _dollars(worst, price)

    def _exceeded(self, worst: Usage, price: Price | None, tokens: int, dollars: Decimal) -> str | None:
        """The limit that the call could pass beside what is reserved, in words."""
        cap = self.cap
        if cap.tokens is not None and _size(self.spent) + tokens + _size(worst) > cap.tokens:
            return f"{cap.tokens:,} tokens"
        if cap.money is not None and self.dollars + dollars + _dollars(worst, price) > cap.money:
            return f"${cap.money}"
        return None

    def settle(self, worst: Usage, billed: Usage, price: Price | None) -> None:
        """Puts the bill of a call in the place of its worst case."""
        with self._settled:
            self._reserved_tokens -= _size(worst)
            self._reserved_dollars -= _dollars(worst, price)
            self.spent += billed
            self.dollars += _dollars(billed, price)
            self._settled.notify_all()
        if self.on_bill is not None and billed != Usage():
            self.on_bill(billed)


@dataclass(slots=True)
class _Bill:
    usage: Usage = Usage()


def _size(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _dollars(usage: Usage, price: Price | None) -> Decimal:
    return price.of(usage) if price else ZERO
