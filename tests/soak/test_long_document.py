"""Five hundred pages of real documents, killed in the middle of each of their two conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from killed_documents import Shelf, ToldVision, of_real_pages, on_a_shelf, on_a_site
from product import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite

pytestmark = pytest.mark.yardsticks
PAGES = 500
CALLS = 40
"""Answered before the second kill."""
ASKED_TWICE = 0.05
"""Share of right transcripts that may be taken for wrong, and are asked for once more."""


@pytest.fixture(scope="module")
def document(yardsticks: Path) -> tuple[bytes, dict[int, str]]:
    files = sorted((yardsticks / "ragmc" / "RAG-Multi-Corpus" / "datasets").glob("*/pdf/*.pdf"))
    return of_real_pages(files, PAGES)


@pytest.fixture
def vision(document: tuple[bytes, dict[int, str]]) -> Iterator[ToldVision]:
    with ToldVision(document[1]) as running:
        yield running
        running.go_on()


@pytest.fixture
def workspace(tmp_path: Path, embeddings: MockEmbeddings) -> Iterator[Workspace]:
    made = Workspace(tmp_path, embeddings)
    yield made
    made.stop_all()


def assert_killed_twice_and_paid_once(shelf: Shelf, vision: ToldVision) -> None:
    shelf.kill_in_conversion()
    assert vision.asked == []
    finished = shelf.kill_in_transcription(CALLS)
    assert 0 < finished < PAGES

    done = shelf.finish()

    assert done.code == 0, done
    asked = set(vision.asked)
    # The document has some pages twice: what was finished under one number is not asked for under the other.
    assert len(asked) <= PAGES - finished
    assert len(vision.asked) - len(asked) <= ASKED_TWICE * PAGES
    points = [point for point in shelf.workspace.points().values() if point["source_kind"] == "pdf"]
    assert {(point["pages_ok"], point["pages_total"]) for point in points} == {(PAGES, PAGES)}
    assert shelf.workspace.wrac("check").code == 0


def test_from_a_folder(workspace: Workspace, vision: ToldVision, document: tuple[bytes, dict[int, str]]) -> None:
    assert_killed_twice_and_paid_once(on_a_shelf(workspace, vision, document[0]), vision)


def test_through_a_crawl(
    workspace: Workspace, vision: ToldVision, document: tuple[bytes, dict[int, str]], site: MockSite
) -> None:
    assert_killed_twice_and_paid_once(on_a_site(workspace, vision, document[0], site), vision)


def test_the_estimate_is_within_a_tenth_of_the_bill(
    workspace: Workspace, vision: ToldVision, document: tuple[bytes, dict[int, str]]
) -> None:
    shelf = on_a_shelf(workspace, vision, document[0])

    done = shelf.finish()

    assert done.code == 0, done
    assert [shelf.expected["input_tokens"], shelf.expected["output_tokens"]] == pytest.approx(vision.billed, rel=0.1)
