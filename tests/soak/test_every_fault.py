"""Every boundary between two stages, every kind of fault, in a first crawl and in one of a changed site."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from faulty_crawls import Harbour, make_harbour
from product import Workspace

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite

KILLS = [
    "kill before archive.put 2",
    "kill after archive.put 3",
    "kill before ledger.flush 2",
    "kill after ledger.flush 2",
    "kill before publisher.embed 1",
    "kill after publisher.embed 1",
    "kill after vectors.keep 1",
    "kill before publisher.publish 1",
    "kill before store.upsert 1",
    "kill after store.upsert 1",
    "kill before store.verify 1",
    "kill after store.verify 1",
    "kill before ledger.record 1",
    "kill after ledger.record 1",
    "kill before manifest.complete 1",
    "kill after manifest.complete 1",
]
"""Points that every crawl passes which has something to publish."""
LATER_KILLS = [
    "kill after store.upsert 2",
    "kill before store.delete 1",
    "kill after store.delete 1",
    "kill after store.delete 2",
    "kill before publisher.withdraw 1",
    "kill after publisher.withdraw 1",
    "kill before ledger.record 2",
]
"""Points that only a crawl of a changed site passes."""
FAULTS = [
    "full at archive.write 2",
    "full at ledger.write 1",
    "full at ledger.write 3",
    "locked at ledger.write 1",
    "locked at ledger.write 2",
    "full at client.upsert 1",
    "away at client.upsert 1",
    "away at client.upsert 2",
]
LATER_FAULTS = ["away at client.delete 1", "full at client.delete 2"]


@pytest.fixture(scope="module")
def harbour(site: MockSite, embeddings: MockEmbeddings, tmp_path_factory: pytest.TempPathFactory) -> Harbour:
    return make_harbour(site, Workspace(tmp_path_factory.mktemp("harbour"), embeddings))


@pytest.mark.parametrize("fault", KILLS + FAULTS)
def test_a_first_crawl(harbour: Harbour, fault: str) -> None:
    harbour.clear()
    harbour.crawl(fault)
    harbour.crawl()
    harbour.assert_is_before()


@pytest.mark.parametrize("fault", KILLS + LATER_KILLS + FAULTS + LATER_FAULTS)
def test_a_crawl_of_a_changed_site(harbour: Harbour, fault: str) -> None:
    harbour.put_back()
    harbour.crawl(fault)
    harbour.assert_no_page_is_absent()
    harbour.crawl()
    harbour.assert_is_after()


@pytest.mark.parametrize(
    "first", ["kill after store.upsert 1", "kill before ledger.record 1", "full at ledger.write 2"]
)
def test_one_fault_after_another(harbour: Harbour, first: str) -> None:
    """The crawl that goes on is stopped as well, further on; then the site changes back."""
    harbour.put_back()
    harbour.crawl(first)
    harbour.crawl("kill before manifest.complete 1")
    harbour.assert_no_page_is_absent()
    harbour.crawl()
    harbour.assert_is_after()


def test_a_crawl_that_is_killed_again_and_again_comes_to_its_end(harbour: Harbour) -> None:
    """Every run is killed a little further on than the one before, as under a memory limit that is too low."""
    harbour.clear()
    for number in range(1, 6):
        harbour.crawl(f"kill after ledger.flush {number}")
    harbour.crawl()
    harbour.assert_is_before()
    shutil.rmtree(harbour.workspace.data)
