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


def test_a_call_waits_for_bills_under_way_before_a_cap_is_called_reached():
    # Cap 300: the first call reserves 250 and is billed 120; the second needs 150, which fits only afterwards.
    budget = Budget(Cap("run", tokens=300), PRICE)
    reserved, done = threading.Event(), threading.Event()

    def first() -> None:
        with budget.call(100, 150) as bill:
            reserved.set()
            done.wait(5)
            bill.usage = Usage(100, 0, 20, 1)

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        reserved.wait(5)
        two = pool.submit(spend, budget, Usage(100, 0, 10, 1))
        with pytest.raises(TimeoutError):
            two.result(0.2)
        done.set()
        two.result(5)
        one.result(5)
    assert budget.spent == Usage(200, 0, 30, 2)


def test_other_work_counts_against_the_cap_at_its_own_price():
    cheap = Price(Decimal("0.02"), Decimal("0.02"), Decimal(0), "2026-01-01")
    run = Budget(Cap("run", money=Decimal("0.0011")), PRICE)
    run.charge(Usage(10_000, 0, 0, 1), cheap)  # 10,000 x 0.02 = 200 millionths
    spend(run, Usage(100, 0, 10, 1))  # at worst 600, in truth 280 millionths: 480 spent
    assert run.money == Decimal("0.00048")
    run.charge(Usage(10_000, 0, 0, 1), cheap)  # 680 spent; 600 more would pass 1,100
    with pytest.raises(BudgetExhausted, match="run cap"):
        spend(run, Usage(100, 0, 10, 1))


def test_each_bill_is_told_at_once():
    told = []
    budget = Budget(Cap("page"), PRICE, on_bill=told.append)
    spend(budget, Usage(100, 0, 10, 1))
    with pytest.raises(ValueError, match="broken"), budget.call(100, 50):
        raise ValueError("broken")
    assert told == [Usage(100, 0, 10, 1)]
