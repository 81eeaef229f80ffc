"""Intervals, fidelity, bills."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evaluation.bills import Bill, change
from evaluation.contrasts import contrasts
from evaluation.corpora.ragmc import Query
from evaluation.fidelity import Fidelity, fidelity
from evaluation.intervals import paired_interval
from evaluation.measures import MEASURES, PRIMARY
from evaluation.scores import MethodScores, QueryScore
from wrac.records import Usage


def scores(values: dict[str, tuple[str, float]]) -> MethodScores:
    return MethodScores(
        tuple(QueryScore(Query("o", "k", text, ()), doc, {"m": v}) for text, (doc, v) in values.items()), ()
    )


def test_an_interval_is_of_the_queries_of_both():
    one = scores({"a": ("d1", 1.0), "b": ("d2", 1.0), "c": ("d3", 0.0)})
    other = scores({"a": ("d1", 0.0), "b": ("d2", 0.5), "z": ("d9", 1.0)})
    found = paired_interval(one, other, "m")
    assert found.difference == 0.75
    assert (found.low, found.high) == (0.5, 1.0)  # draws are of two documents: both of one, or one of each


def test_documents_are_drawn_whole():
    one = scores({"a": ("d1", 1.0), "b": ("d1", 0.0)})
    other = scores({"a": ("d1", 0.0), "b": ("d1", 0.0)})
    found = paired_interval(one, other, "m")
    assert (found.low, found.difference, found.high) == (0.5, 0.5, 0.5)


def test_a_few_documents_make_no_interval():
    """However large the difference: four documents that all say the same are not evidence; five are."""
    for documents, known in ((4, False), (5, True)):
        one = scores({str(place): (str(place), 1.0) for place in range(documents)})
        other = scores({str(place): (str(place), 0.0) for place in range(documents)})
        better, worse = paired_interval(one, other, "m"), paired_interval(other, one, "m")
        assert (better.difference, worse.difference) == (1.0, -1.0)
        assert (better.is_above, better.is_below, worse.is_above, worse.is_below) == (known, False, False, known)


def asked(values: dict[tuple[str, str], float]) -> MethodScores:
    """Seven documents of each organisation and type, each with one question of the value."""
    return MethodScores(
        tuple(
            QueryScore(Query(org, kind, f"{kind} {n}", ()), f"{kind}{n}", dict.fromkeys(MEASURES, value))
            for (org, kind), value in values.items()
            for n in range(7)
        ),
        (),
    )


def test_rows_are_contrasted_by_type_and_by_organisation():
    one = asked({("A", "Boolean"): 1.0, ("A", "Temporal"): 0.25, ("B", "Temporal"): 0.5})
    other = asked({("A", "Boolean"): 0.5, ("A", "Temporal"): 0.75, ("B", "Temporal"): 0.5})
    found = contrasts({"one": one, "other": other}, "other")
    assert list(found) == ["one"]
    differences = {
        **{kind: part[PRIMARY].difference for kind, part in found["one"].by_kind.items()},
        **{name: part[PRIMARY].difference for name, part in found["one"].by_organisation.items()},
        "all": found["one"].overall[PRIMARY].difference,
    }
    assert differences == {"Boolean": 0.5, "Temporal": -0.25, "A": 0.0, "B": 0.0, "all": 0.0}
    assert found["one"].kinds_better == ("Boolean",)
    assert found["one"].by_kind["Boolean"][PRIMARY].documents == 7
    assert found["one"].by_kind["Temporal"][PRIMARY].documents == 14
    assert contrasts({"one": one}, "other") == {}


def test_fidelity_counts_words_kept_and_invented():
    found = fidelity("The lamp burns. The gate opens.", ["Gates > The lamp burns", "The gate closes"])
    # kept: the (2), lamp, burns, gate; produced: gates the lamp burns the gate closes; invented: gates, closes
    assert found == Fidelity(source=6, kept=5, produced=7, invented=2)
    assert found.kept_share == pytest.approx(5 / 6)
    assert found.invented_share == pytest.approx(2 / 7)


def test_bills_add_up_and_are_priced_without_discount():
    bill = Bill(1, Usage(600_000, 500_000, 10_000, 1), 0, 1.5) + Bill(2, Usage(400_000, 0, 90_000, 1), 1, 0.5)
    assert bill == Bill(3, Usage(1_000_000, 500_000, 100_000, 2), 1, 2.0)
    assert bill.money("gpt-4.1") == Decimal("2.8")  # 1 M at $2 and 0.1 M at $8
    assert bill.money("gemini-2.5-pro") == Decimal("2.25")  # 1 M at $1.25 and 0.1 M at $10


def test_change():
    assert change(15, 100) == pytest.approx(-0.85)
    assert str(change(1, 0)) == "nan"
