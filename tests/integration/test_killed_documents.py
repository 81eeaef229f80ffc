"""A document that is killed on its way, twice: every page is paid for once and ends in the collection.

The longer form, from a folder and through a crawl, is a soak test (``tests/soak/test_long_document.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from killed_documents import ToldVision, on_a_shelf
from pdf_files import BOLD, Page, column, pdf, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from product import Workspace

PAGES = 40
CALLS = 3
"""Answered before the second kill; more are under way then."""
GOODS = ("hemp", "tar", "amber", "salt", "wax", "flax", "iron", "rye", "herring", "timber")


def lines(page: int) -> list[str]:
    goods = GOODS[page % len(GOODS)]
    return [
        f"In the year {page + 1500} the town took {page * 3 + 11} pennies for a barrel of {goods}.",
        f"Ships with {goods} lay at berth {page % 9 + 1} until they had been weighed and paid for.",
        f"Whoever hid {goods} from the weigher lost all of it to the hospital of the town.",
    ]


def chronicle() -> bytes:
    return pdf(
        [
            Page(text(72, 720, f"Tolls of {n + 1500}", size=18, font=BOLD) + column(72, 680, lines(n), leading=30))
            for n in range(1, PAGES + 1)
        ]
    )


TRUTH = {n: f"# Tolls of {n + 1500}\n\n" + "\n\n".join(lines(n)) for n in range(1, PAGES + 1)}


@pytest.fixture
def vision() -> Iterator[ToldVision]:
    with ToldVision(TRUTH) as running:
        yield running
        running.go_on()


@pytest.mark.timeout(500)
def test_it_is_taken_in_after_two_kills_and_no_finished_page_is_paid_for_twice(
    workspace: Workspace, vision: ToldVision
) -> None:
    shelf = on_a_shelf(workspace, vision, chronicle())
    shelf.kill_in_conversion()
    assert vision.asked == []
    finished = shelf.kill_in_transcription(CALLS)
    assert 0 < finished < PAGES

    done = shelf.finish()

    assert done.code == 0, done
    assert len(vision.asked) == len(set(vision.asked)) == PAGES - finished
    points = workspace.points().values()
    content = "\n".join(point["page_content"] for point in points)
    assert not [n for n in TRUTH if any(line not in content for line in lines(n))]
    assert {(point["pages_ok"], point["pages_total"]) for point in points} == {(PAGES, PAGES)}
    assert workspace.wrac("check").code == 0
    assert (shelf.expected["pages"], shelf.expected["calls"]) == (PAGES, PAGES // 5)
