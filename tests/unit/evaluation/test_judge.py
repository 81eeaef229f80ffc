"""Which chunk carries which fact."""

from __future__ import annotations

import math

import pytest

from evaluation.corpora.ragmc import StatedFact
from evaluation.judge import Judge, JudgedText, carries, carry_together, is_judgeable
from evaluation.reference import Reference

LOANS = """\
# Loans

## Fees

- **Processing fee:** 2% of the loan, at least ₹1,00,000
- *Late payment*: [call us](http://lodge.example/z(1)) within 30 days

## Steps

1. Visit a branch
2. Sign the form
"""
REFERENCE = Reference({"Loans.md": LOANS, "Cards.md": "# Cards\n\nA gold card has no annual fee."})


def fact(text: str, filename: str = "Loans.md"):
    return REFERENCE.fact(StatedFact(filename, text))


def text(said: str, filename: str = "Loans.md") -> JudgedText:
    return JudgedText.of(REFERENCE.document(filename), said)


def test_a_fact_that_stands_there_is_verbatim_whatever_its_marks():
    found = fact("Processing fee: 2% of the loan, at least ₹100,000")
    assert found.verbatim
    assert found.attainable == 1.0


def test_words_weigh_by_how_rare_they_are_among_paragraphs():
    # Paragraphs: "# Loans", "## Fees", the list, "## Steps", the steps, "# Cards", the card: 7. "fee" is in 3 of them.
    found = fact("fee form")
    assert found.weights == pytest.approx({"fee": math.log(1 + 7 / 4), "form": math.log(1 + 7 / 2)})


def test_a_paraphrase_is_measured_by_what_its_document_says():
    found = fact("Customers who are late should call within 30 days and sign a form")
    assert not found.verbatim
    missing = {"custom"}  # the stem of "customers"
    held = sum(weight for word, weight in found.weights.items() if word not in missing)
    assert found.attainable == pytest.approx(held / found.total)
    assert carries(text(LOANS), found)
    assert is_judgeable(found)


def test_a_fact_of_a_document_that_is_not_there_cannot_be_judged():
    found = fact("whatever it was", "Gone.md")
    assert found.attainable == 0.0
    assert not is_judgeable(found)


def test_the_judge_of_all_chunks_agrees_with_the_judge_of_one():
    found = fact("Processing fee: 2% of the loan, at least ₹100,000")
    body = "- **Processing fee:** 2% of the loan, at least ₹1,00,000"
    texts = [
        text("Loans > Fees\n" + body, "Loans.html"),
        text("Visit a branch"),
        text(body, "Cards.md"),  # verbatim counts in whatever document
        text("fee for processing a loan: least 100000, or 2"),  # the same words in the right document
        text("fee for processing a loan: least 100000, or 2", "Cards.md"),  # and in the wrong one
        text("Processing fee 2%"),
    ]
    expected = [True, False, True, True, False, False]
    assert Judge(texts).carriers(found).tolist() == expected
    assert [carries(one, found) for one in texts] == expected


def test_chunks_of_the_document_carry_a_fact_together():
    found = fact("Late payment: call us within 30 days. Visit a branch. Sign the form")
    one, other = text("Late payment: call us within 30 days"), text("Visit a branch, sign the form")
    assert not carries(one, found)
    assert not carries(other, found)
    assert carry_together([one, other], found)
    assert not carry_together([one, text("Visit a branch, sign the form", "Cards.md")], found)


def test_documents_of_the_same_words_are_one():
    twins = Reference({"A.md": "# One\n\ntwo", "B.md": "**One** two"})
    assert twins.document("B.md") == twins.document("A.html") == "a"
    assert twins.documents == {"a"}


def test_file_names_are_found_without_their_spaces():
    reference = Reference({"Zoom SUV.md": "x y"})
    assert reference.document("ZoomSUV.pdf") == "zoom suv"
    assert reference.document("Other.pdf") == "other"
