"""What tokens cost: list prices with their dates, and a user's own."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.records import Usage

_DATE_SUFFIX = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}$")
_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: Decimal
    cached: Decimal
    output: Decimal
    as_of: str
    """ISO date of the price list; ``configured`` for a user's own."""

    def of(self, usage: Usage) -> Decimal:
        """US dollars for the usage; cached tokens are part of its input tokens (as servers report them)."""
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        return (fresh * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output) / _MILLION


def price_of(model: str, own: Mapping[str, Mapping[str, float]] | None = None) -> Price | None:
    """The model's price: the user's own before the list; None where neither names it.

    ``own`` maps a model to ``input``, ``output`` and, where it differs from input, ``cached``.
    """
    for name in dict.fromkeys((model, model.rpartition("/")[2], _DATE_SUFFIX.sub("", model.rpartition("/")[2]))):
        if own and name in own:
            return _own_price(name, own[name])
        if name in _list():
            entry = _list()[name]
            fresh, cached, output = (Decimal(str(entry[key])) for key in ("input", "cached", "output"))
            return Price(fresh, cached, output, str(entry["as_of"]))
    return None


def _own_price(model: str, entry: Mapping[str, float]) -> Price:
    try:
        fresh, output = Decimal(str(entry["input"])), Decimal(str(entry["output"]))
    except KeyError as missing:
        raise ConfigError(
            f"prices.{model}: {missing} is missing; give input and output in dollars per million tokens"
        ) from None
    return Price(fresh, Decimal(str(entry.get("cached", entry["input"]))), output, "configured")


@cache
def _list() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("llm").joinpath("prices.toml").read_text(encoding="utf-8"))
