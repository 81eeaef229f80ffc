"""Caps are never passed, not by calls under way at once either."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from llm.budget import Budget, BudgetExhausted, Cap
from llm.prices import Price
from wrac.errors import ConfigError
from wrac.records import Usage

PRICE = Price(Decimal(2), Decimal("0.5"), Decimal(8), "2026-01-01")


def spend(budget: Budget, billed: Usage, limit: int = 50) -> None:
    with budget.call(billed.input_tokens, limit) as bill:
        bill.usage = billed


def test_the_bill_replaces_what_was_reserved():
    budget = Budget(Cap("run", tokens=200), PRICE)
    spend(budget, Usage(100, 0, 10, 1))
    assert budget.spent == Usage(100, 0, 10, 1)
    assert budget.money == Decimal("0.00028")  # 100 x 2 + 10 x 8 = 280 millionths
    with pytest.raises(BudgetExhausted, match="run cap of 200 tokens"):
        spend(budget, Usage(100, 0, 10, 1))  # 110 spent, 150 more at worst
    assert budget.spent.calls == 1


def test_a_call_that_fails_costs_nothing_and_frees_its_share():
    budget = Budget(Cap("run", tokens=150), PRICE)
    with pytest.raises(ValueError, match="broken"), budget.call(100, 50):
        raise ValueError("broken")
    spend(budget, Usage(100, 0, 10, 1))


def test_an_outer_cap_holds_over_all_inner_budgets():
    site = Budget(Cap("site", tokens=220), PRICE)
    spend(Budget(Cap("page"), PRICE, site), Usage(100, 0, 10, 1))
    with pytest.raises(BudgetExhausted, match="site cap"):
        spend(Budget(Cap("page"), PRICE, site), Usage(100, 0, 10, 1))
    assert site.spent == Usage(100, 0, 10, 1)


def test_money_is_capped_by_the_worst_case():
    budget = Budget(Cap("run", money=Decimal("0.0006")), PRICE)
    spend(budget, Usage(100, 0, 10, 1))  # reserves 100 x 2 + 50 x 8 = 600 millionths: just fits
    with pytest.raises(BudgetExhausted, match=r"run cap of \$0\.0006"):
        spend(budget, Usage(100, 0, 10, 1))


def test_calls_at_once_cannot_pass_the_cap_together():
    budget = Budget(Cap("run", tokens=1_000), PRICE)
    together = threading.Barrier(8)

    def one(_: int) -> bool:
        together.wait(5)
        try:
            spend(budget, Usage(100, 0, 100, 1), limit=100)
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(8)))
    assert budget.spent.input_tokens + budget.spent.output_tokens <= 1_000


def test_an_unknown_price_says_what_to_write():
    with pytest.raises(ConfigError, match=r'prices\."m"'):
        Budget(Cap("run"), None).require_price("m")
    Budget(Cap("run"), PRICE).require_price("m")
