"""List prices, a user's own, and money worked out by hand."""

from decimal import Decimal

import pytest

from llm.prices import price_of
from wrac.errors import ConfigError
from wrac.records import Usage


def test_the_bill_of_the_papers_run_at_gpt_4_1():
    # W-RAC on the whole corpus: 861,691 input tokens of which 226,048 cached, 52,816 output.
    # (635,643 x 2 + 226,048 x 0.5 + 52,816 x 8) / 1e6 = 1.271286 + 0.113024 + 0.422528
    price = price_of("gpt-4.1")
    assert price.of(Usage(861_691, 226_048, 52_816)) == Decimal("1.806838")


@pytest.mark.parametrize("name", ["gpt-4.1-2025-04-14", "openai/gpt-4.1", "gpt-4.1"])
def test_dated_and_prefixed_names_are_known(name):
    assert price_of(name).input == Decimal("2.0")


def test_both_models_of_the_papers_have_prices_with_dates():
    for name in ("gpt-4.1", "gemini-2.5-pro"):
        assert price_of(name).as_of.startswith("20")


def test_an_unknown_model_has_no_price():
    assert price_of("somebodys-model") is None
    assert price_of("gpt-4.1-unheard-of") is None


def test_a_price_of_ones_own_comes_first():
    own = {"gpt-4.1": {"input": 1.0, "output": 3.0}}
    price = price_of("gpt-4.1", own)
    assert (price.input, price.cached, price.output, price.as_of) == (1, 1, 3, "configured")


def test_half_a_price_is_a_configuration_error():
    with pytest.raises(ConfigError, match=r"prices\.mine.*output"):
        price_of("mine", {"mine": {"input": 1.0}})
