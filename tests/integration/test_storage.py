"""The collection, the archive or the ledger cannot be used: one message, nothing lost, and the next run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest
from mock_pages import PAGES, START, handbook

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace

STORE = 5
RESUMABLE = 6


@pytest.fixture
def crawlable(site: MockSite, workspace: Workspace) -> Workspace:
    site.forget()
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    return workspace


def check_whole(site: MockSite, workspace: Workspace) -> None:
    urls = {payload["metadata"]["url"] for payload in workspace.points().values()}
    assert urls == {site.url + page.path for page in PAGES}


def test_collection_held_by_another_process(site: MockSite, crawlable: Workspace) -> None:
    """The message names the holder and the command that starts a server; the gathered pages are not fetched again."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(crawlable.data / "qdrant")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline().strip() == b"held"
        refused = crawlable.crawl()
        assert refused.code == STORE, refused
        assert str(holder.pid) in refused.everything, f"says which process: {refused}"
        assert "docker run" in refused.everything, f"says how to start a server: {refused}"
        assert "qdrant" in refused.everything
        assert "Traceback" not in refused.everything
        asked = crawlable.wrac("search", "anything")
        assert asked.code == STORE, asked
        assert str(holder.pid) in asked.everything
    finally:
        holder.communicate()
    fetched = {target for target in site.targets if target.startswith("/docs/")}
    site.forget()
    again = crawlable.crawl()
    assert again.code == 0, again
    check_whole(site, crawlable)
    assert not fetched & set(site.targets) or not fetched, "pages that were gathered are fetched again"


HOLD = textwrap.dedent("""
    import sys
    from qdrant_client import QdrantClient
    client = QdrantClient(path=sys.argv[1])
    print("held", flush=True)
    sys.stdin.read()
    client.close()
""")


def test_disk_full_in_the_archive(site: MockSite, crawlable: Workspace) -> None:
    """/dev/full gives ENOSPC to every write, which is what a full disk gives."""
    archive = crawlable.folder / "archive"
    limited = crawlable.folder / "limited.py"
    limited.write_text(FULL_DISK, encoding="utf-8")
    crawlable.environment["PYTHONPATH"] += os.pathsep + str(crawlable.folder)
    crawlable.environment |= {"WRAC_ARCHIVE": "fulldisk://" + str(archive), "FULL_DISK_AFTER": "4"}
    (crawlable.folder / "sitecustomize.py").write_text("import limited\n", encoding="utf-8")
    stopped = crawlable.crawl()
    assert stopped.code in (STORE, RESUMABLE), stopped
    assert "no space" in stopped.everything.casefold(), stopped
    assert "fulldisk" in stopped.everything or str(archive) in stopped.everything, "names the archive"
    assert "Traceback" not in stopped.everything, stopped
    crawlable.environment["FULL_DISK_AFTER"] = "1000000"
    again = crawlable.crawl()
    assert again.code == 0, again
    check_whole(site, crawlable)


FULL_DISK = textwrap.dedent("""
    import errno, os, pathlib
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    class FullDisk(LocalFileSystem):
        '''A folder on a disk that is full once it holds so many files.'''

        protocol = "fulldisk"

        def pipe_file(self, path, value, **options):
            target = pathlib.Path(self._strip_protocol(path))
            root = target.parents[2]
            if sum(1 for f in root.rglob("*") if f.is_file()) >= int(os.environ["FULL_DISK_AFTER"]):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(value)

        def _open(self, path, mode="rb", **options):
            if "w" in mode:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            return super()._open(path, mode, **options)

    fsspec.register_implementation("fulldisk", FullDisk, clobber=True)
""")


def test_a_damaged_archive_object_is_made_again(
    site: MockSite, crawlable: Workspace, embeddings: MockEmbeddings
) -> None:
    assert crawlable.crawl().code == 0
    before = set(crawlable.points())
    for file in (crawlable.data / "archive").rglob("*.zst"):
        file.write_bytes(file.read_bytes()[:10])
    again = crawlable.crawl()
    assert again.code == 0, again
    assert set(crawlable.points()) == before
    check_whole(site, crawlable)


def test_a_lost_collection_is_written_again_from_the_archive(
    site: MockSite, crawlable: Workspace, embeddings: MockEmbeddings
) -> None:
    """Somebody deleted the folder of the collection; nothing is paid for twice."""
    assert crawlable.crawl().code == 0
    before = set(crawlable.points())
    for file in sorted((crawlable.data / "qdrant").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    embeddings.texts.clear()
    again = crawlable.crawl()
    assert again.code == 0, again
    assert set(crawlable.points()) == before
    assert embeddings.texts == []


def test_a_server_that_does_not_answer_is_named(crawlable: Workspace) -> None:
    crawlable.environment["WRAC_STORE"] = "http://127.0.0.1:9"
    refused = crawlable.crawl()
    assert refused.code in (STORE, RESUMABLE), refused
    assert "127.0.0.1:9" in refused.everything
    assert "Traceback" not in refused.everything


def test_a_data_folder_that_cannot_be_written(crawlable: Workspace) -> None:
    blocked = crawlable.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    crawlable.environment["WRAC_DATA_DIR"] = str(blocked)
    refused = crawlable.crawl()
    assert refused.code in (2, STORE), refused
    assert str(blocked) in refused.everything
    assert "Traceback" not in refused.everything


def test_an_embedder_that_refuses_loses_no_page(
    site: MockSite, crawlable: Workspace, embeddings: MockEmbeddings
) -> None:
    """The endpoint is down while the pages are fetched; the next run embeds them without a further fetch."""
    good = crawlable.environment["WRAC_EMBEDDER_BASE_URL"]
    crawlable.environment["WRAC_EMBEDDER_BASE_URL"] = "http://127.0.0.1:9/v1"
    stopped = crawlable.crawl()
    assert stopped.code not in (0, 1), stopped
    assert "127.0.0.1:9" in stopped.everything, stopped
    assert "Traceback" not in stopped.everything, stopped
    crawlable.environment["WRAC_EMBEDDER_BASE_URL"] = good
    again = crawlable.crawl()
    assert again.code == 0, again
    check_whole(site, crawlable)
