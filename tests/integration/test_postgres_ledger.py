"""A whole crawl, and one of a changed site, with PostgreSQL as the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from faulty_crawls import AFTER, Harbour, make_harbour

if TYPE_CHECKING:
    from mock_site import MockSite
    from postgres_server import PostgresServer
    from product import Workspace

pytestmark = [
    pytest.mark.requires("postgres"),
    # pg8000 leaves the socket of a connection that failed to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


@pytest.fixture
def harbour(site: MockSite, workspace: Workspace, postgres: PostgresServer) -> Harbour:
    workspace.environment["WRAC_LEDGER"] = postgres.database()
    return make_harbour(site, workspace)


def test_crawl_recrawl_and_what_reads_the_ledger(harbour: Harbour, postgres: PostgresServer) -> None:
    assert not (harbour.workspace.data / "ledger.sqlite").exists()
    harbour.change()
    harbour.crawl("kill before ledger.record 1")
    harbour.assert_no_page_is_absent()
    harbour.crawl()
    harbour.assert_is_after()
    states = postgres.sql("select state, count(*) from pages where point_ids <> '' group by state", "ledger")
    assert states == f"live|{len(AFTER)}"
    for command in (("status",), ("check",), ("explain", harbour.site.url + "/docs/berths.html")):
        done = harbour.workspace.wrac(*command)
        assert done.code == 0, done


def test_a_server_that_is_away_is_named_before_any_work(workspace: Workspace, site: MockSite) -> None:
    workspace.environment["WRAC_LEDGER"] = "postgresql://me:s3cret@127.0.0.1:9/ledger"
    workspace.write_site(site.url + "/docs/")
    refused = workspace.crawl()
    assert refused.code == 5, refused
    assert "127.0.0.1:9" in refused.everything
    assert "cannot be reached" in refused.everything
    assert "s3cret" not in refused.everything
    assert "Traceback" not in refused.everything
