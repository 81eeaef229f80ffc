"""A page whose URL changed is found under the new one, or still under the old one; never under none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from faulty_crawls import AFTER, BEFORE, Harbour, make_harbour, page

if TYPE_CHECKING:
    from mock_site import MockSite
    from product import Workspace


@pytest.fixture
def harbour(site: MockSite, workspace: Workspace) -> Harbour:
    return make_harbour(site, workspace)


def test_a_page_that_moved_without_an_edit_is_not_lost(harbour: Harbour) -> None:
    """A redirect to the same text: the copy must not be left to a page that is withdrawn in the same run."""
    harbour.change()
    harbour.site.routes["/docs/silt.html"] = page("dredging")
    harbour.crawl()
    found = harbour.paths()
    assert set(found) >= BEFORE & AFTER
    assert {"/docs/dredging.html", "/docs/silt.html"} & set(found), (
        "neither the old nor the new URL is in the collection"
    )
    assert harbour.violations() == []
