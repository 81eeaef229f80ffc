"""SIGKILL at every border between archive, ledger and collection; the next run mends what was left."""

import multiprocessing
import signal

import killed_crawl
import pytest
from qdrant_client import QdrantClient

from ingest.ledger import Ledger
from ingest.ledger.rows import PageState

PAGES = 6
PROCESSES = multiprocessing.get_context("forkserver")
# Each crawl is forked from a process that has imported this much, which saves seconds; the fork server of Python 3.11
# knows the working directory and no other path, so the module of the tests itself cannot be among it.
PROCESSES.set_forkserver_preload(["ingest.run", "indexing.store", "qdrant_client.local.qdrant_local"])


def crawl(data, version, point="", number=0):
    """Texts that were embedded."""
    log = data / "embedded.log"
    log.touch()
    before = len(log.read_text().splitlines())
    process = PROCESSES.Process(target=killed_crawl.main, args=(str(data), version, point, number))
    process.start()
    process.join(60)
    assert process.exitcode == (-signal.SIGKILL if point else 0)
    return log.read_text().splitlines()[before:]


def stored(data):
    """URL -> texts in the collection."""
    client = QdrantClient(path=str(data / "qdrant"))
    try:
        if not client.collection_exists("docs"):
            return {}, set()
        points, _ = client.scroll("docs", limit=1000)
        found = {}
        for point in points:
            found.setdefault(point.payload["url"], []).append(point.payload["page_content"])
        return found, {str(point.id) for point in points}
    finally:
        client.close()


def check_whole(data, version):
    texts, ids = stored(data)
    assert sorted(texts) == [f"https://docs.test/{n}.html" for n in range(PAGES)]
    assert all(len(found) == 1 for found in texts.values()), "a page has a stale or a second point"
    assert all(f"year {version}" in found[0] for found in texts.values())
    with Ledger(f"sqlite:///{data}/ledger.sqlite") as ledger:
        live = list(ledger.pages.in_state("docs", PageState.LIVE))
        run = ledger.runs.last("docs")
    assert len(live) == PAGES
    assert {point for row in live for point in row.point_ids} == ids
    assert run.state.value == "finished"


FIRST = [
    ("before:flush", 3),
    ("after:flush", 3),
    ("before:keep", 2),
    ("after:keep", 2),
    ("after:embed", 1),
    ("before:upsert", 2),
    ("after:upsert", 2),
    ("before:record", 1),
    ("after:record", 1),
    ("before:complete", 1),
]


@pytest.mark.parametrize("kill", FIRST, ids=[f"{kill[0]} {kill[1]}" for kill in FIRST])
def test_a_first_crawl_killed_anywhere(tmp_path, kill):
    embedded = crawl(tmp_path, "1900", *kill)
    embedded += crawl(tmp_path, "1900")
    check_whole(tmp_path, "1900")
    assert len(set(embedded)) == PAGES
    if not kill[0].endswith("keep"):  # killed there, the batch at work is embedded again
        assert len(embedded) == PAGES, "a text was embedded twice"


LATER = [
    ("after:flush", 3),
    ("after:embed", 1),
    ("after:upsert", 2),
    ("before:delete", 1),
    ("after:delete", 2),
    ("before:record", 1),
    ("after:record", 1),
    ("before:complete", 1),
]


@pytest.mark.parametrize("kill", LATER, ids=[f"{kill[0]} {kill[1]}" for kill in LATER])
def test_a_later_crawl_killed_anywhere_never_hides_a_page(tmp_path, kill):
    crawl(tmp_path, "1900")
    crawl(tmp_path, "1950", *kill)
    texts, _ = stored(tmp_path)
    assert len(texts) == PAGES, "a search misses a page"
    crawl(tmp_path, "1950")
    check_whole(tmp_path, "1950")
