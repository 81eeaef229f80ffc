"""Each kind of fault in a transcript is seen, and what readers may do is no fault."""

from __future__ import annotations

import pytest

from conversion.drac.verify import EXACT, OCR, Reference, verify

PAGE = """Returns policy Goods may be returned within 30 days of delivery. Refunds are paid in 5 working days.
Plan Fee Term Basic 10 1 year Plus 25 2 years Prime 40 3 years
The office does not charge for exchanges. 7"""
TABLE = """| Plan | Fee | Term |
| --- | --- | --- |
| Basic | 10 | 1 year |
| Plus | 25 | 2 years |
| Prime | 40 | 3 years |"""
REFERENCE = Reference(PAGE, optional="7", markdown=TABLE)
GOOD = """# Returns policy

Goods may be returned within **30 days** of delivery. Refunds are paid in 5 working days.

Plan: Basic; Fee: 10; Term: 1 year.

Plan: Plus; Fee: 25; Term: 2 years.

Plan: Prime; Fee: 40; Term: 3 years.

The office does not charge for exchanges."""


def faults(markdown: str, reference: Reference = REFERENCE) -> str:
    return "; ".join(verify(markdown, reference).faults())


def test_a_faithful_transcript_has_no_fault() -> None:
    verdict = verify(GOOD, REFERENCE)

    assert (verdict.invented, verdict.lost, verdict.numbers) == ((), (), ())
    assert (verdict.merged, verdict.scattered) == (0, 0)
    assert faults(GOOD) == ""


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("within **30 days**", "within **90 days**", "2 numbers differ (-30 +90"),
        ("Goods may be returned", "Goods must be returned", "1 words that are not on the page (must)"),
        ("may be returned within", "may not be returned within", "1 words that are not on the page (not)"),
        ("does not charge", "does charge", "1 words of the page are missing (not)"),
        (
            "Refunds are paid in 5 working days.",
            "",
            "6 words of the page are missing (days",
        ),
        ("Plan: Plus; Fee: 25; Term: 2 years.", "", "missing (plus"),
        ("Fee: 25; Term: 2 years.", "Fee: 40; Term: 2 years.", "2 numbers differ (-25 +40"),
        ("\n\nPlan: Plus;", " and Plan: Plus;", "1 lines hold more than one row"),
        ("The office", "Members enjoy free shipping.\n\nThe office", "4 words"),
        ("The office", "Goods may be returned within delivery.\n\nThe office", "6 words that are not on the page"),
    ],
)
def test_a_fault_is_seen_and_said(right: str, wrong: str, said: str) -> None:
    assert right in GOOD

    assert said in faults(GOOD.replace(right, wrong))


def test_values_in_the_wrong_rows_are_seen_though_all_words_are_there() -> None:
    swapped = GOOD.replace("Fee: 10", "Fee: ##").replace("Fee: 25", "Fee: 10").replace("Fee: ##", "Fee: 25")

    assert "2 rows of tables are torn apart" in faults(swapped)


def test_numbers_that_change_places_in_running_text_are_seen() -> None:
    swapped = GOOD.replace("30 days", "## days").replace("in 5 ", "in 30 ").replace("##", "5")

    assert "2 numbers differ (~5 ~30" in faults(swapped)


def test_words_over_line_ends_ligatures_and_glued_cells_are_the_same_words() -> None:
    page = Reference("The of\ufb01ce is avail- able for infor\u00adma- tion. OrganisationName Room e\u2010mail")

    assert faults("The office is available for information.\n\nOrganisation: x; Name", page).startswith("1 words that")
    assert faults("The office is available for information. Organisation Name. Room, e-mail", page) == ""


def test_running_heads_may_stand_or_be_left_out() -> None:
    page = Reference("Annual report 2024 The year was good. 12", optional="Annual report 2024 12")

    assert faults("The year was good.", page) == ""
    assert faults("Annual report 2024\n\nThe year was good.", page) == ""


def test_rows_that_go_on_may_repeat_the_heads_of_the_page_before() -> None:
    page = Reference("Plus 25 Prime 40", carried="Plan | Fee")

    assert faults("Plan: Plus; Fee: 25.\n\nPlan: Prime; Fee: 40.", page) == ""
    assert "plan" in faults("Plan: Plus; Fee: 25.\n\nPlan: Prime; Fee: 40.", Reference("Plus 25 Prime 40"))


def test_markup_links_code_and_list_numbers_are_no_words() -> None:
    page = Reference("1. Open the app. 2. Run wrac crawl. See the manual.")
    markdown = "1. Open the app.\n2. Run:\n```sh\nwrac crawl\n```\n\nSee the [manual](https://docs.example/a_b_9.html)."

    assert faults(markdown.replace("Run:", "Run"), page) == ""


def test_a_page_read_by_ocr_may_differ_in_letters_but_not_in_a_paragraph() -> None:
    page = Reference(" ".join(["The commlttee approves every applicatlon within thirty days of its receipt."] * 4))
    right = "\n\n".join(["The committee approves every application within thirty days of its receipt."] * 4)
    invented = (
        right + "\n\nMembers who renew early receive a complimentary upgrade, airport lounge access and priority."
    )

    assert verify(right, page, OCR).faults(OCR) == ()
    assert verify(right, page, EXACT).faults(EXACT) != ()
    assert "not on the page" in "; ".join(verify(invented, page, OCR).faults(OCR))


def test_an_empty_transcript_has_lost_the_page() -> None:
    assert "words of the page are missing" in faults("")
