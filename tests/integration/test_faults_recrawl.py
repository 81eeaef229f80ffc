"""A crawl of a changed site is stopped at a boundary between two stages; the next one makes all well.

Every boundary and every fault is tried by ``make soak`` (``tests/soak/test_every_fault.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from faulty_crawls import Harbour, make_harbour
from product import Workspace

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite


@pytest.fixture(scope="module")
def harbour(site: MockSite, embeddings: MockEmbeddings, tmp_path_factory: pytest.TempPathFactory) -> Harbour:
    return make_harbour(site, Workspace(tmp_path_factory.mktemp("harbour"), embeddings))


@pytest.mark.parametrize(
    "fault",
    [
        "kill after store.upsert 1",
        "kill before ledger.record 1",
        "full at ledger.write 2",
    ],
)
def test_the_next_crawl_makes_it_well(harbour: Harbour, fault: str) -> None:
    harbour.put_back()
    harbour.crawl(fault)
    harbour.assert_no_page_is_absent()
    harbour.crawl()
    harbour.assert_is_after()
