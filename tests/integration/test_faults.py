"""One crawl over a page of each fault: every URL ends with one clear outcome, and the healthy ones are not lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from mock_faults import FAULTS, faults
from mock_pages import START
from product import Finished, Workspace

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite


@dataclass
class Crawled:
    site: MockSite
    workspace: Workspace
    run: Finished


@pytest.fixture(scope="module")
def crawled(site: MockSite, embeddings: MockEmbeddings, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    site.routes = faults()
    workspace = Workspace(tmp_path_factory.mktemp("faults"), embeddings)
    workspace.write_site(site.url + START, timeout=3.0, sitemap=False)
    return Crawled(site, workspace, workspace.crawl())


EXPECTED = {
    "/docs/": {"indexed"},
    "/docs/missing.html": {"gone"},
    "/docs/gone.html": {"gone"},
    "/docs/broken.html": {"http-error"},
    "/docs/busy.html": {"indexed"},
    "/docs/throttled.html": {"indexed"},
    "/docs/private/ledger.html": {"robots-denied"},
    "/docs/noindex.html": {"noindex"},
    "/docs/behind-noindex.html": {"indexed"},
    "/docs/xrobots.html": {"noindex"},
    "/docs/nofollow.html": {"indexed"},
    "/docs/ring-a.html": {"unreachable", "http-error", "redirected", "failed"},
    "/docs/members.html": {"redirected", "login-wall"},
    "/docs/manual.pdf": {"failed"},
    "/docs/form.docx": {"failed"},
    "/docs/huge.html": {"too-large"},
    "/docs/empty.html": {"empty"},
    "/docs/charset.html": {"indexed"},
    "/docs/binary.html": {"unsupported"},
    "/docs/malformed.html": {"indexed"},
    "/docs/deep.html": {"indexed"},
    "/docs/reset.html": {"unreachable"},
    "/docs/slow.html": {"unreachable"},
    "/docs/picture.png": {"unsupported"},
    "/docs/archive.zip": {"unsupported"},
}


@pytest.mark.parametrize("path", EXPECTED)
def test_outcome(crawled: Crawled, path: str) -> None:
    row = crawled.workspace.rows().get(crawled.site.url + path)
    assert row is not None, f"{path} is not in the ledger: {crawled.run}"
    assert row.outcome in EXPECTED[path], row
    assert row.reason or row.outcome in ("indexed", "redirected"), f"no reason: {row}"


def test_no_link_is_forgotten(crawled: Crawled) -> None:
    """Files that can hold no text for us may be told from their name; all else has a row."""
    known = crawled.workspace.rows()
    assert [path for path in FAULTS if crawled.site.url + path not in known] == []


def test_the_counts_of_the_run_add_up_to_its_urls(crawled: Crawled) -> None:
    (counts,) = crawled.workspace.query("select counts from runs")[-1]
    numbers = [int(number) for number in re.findall(r"\d+", counts)]
    assert sum(numbers) == len(crawled.workspace.rows())


def test_the_run_ends_and_says_that_pages_are_missing(crawled: Crawled) -> None:
    assert crawled.run.code == 3, crawled.run
    assert "Traceback" not in crawled.run.everything


def test_forbidden_and_nofollowed_pages_are_never_asked_for(crawled: Crawled) -> None:
    assert "/docs/private/ledger.html" not in crawled.site.targets
    assert "/docs/behind-nofollow.html" not in crawled.site.targets


def test_retry_after_is_waited_for(crawled: Crawled) -> None:
    for path in ("/docs/busy.html", "/docs/throttled.html"):
        times = [request.started for request in crawled.site.log.requests if request.path == path]
        assert len(times) == 2, path
        assert times[1] - times[0] >= 1.0, path


def test_a_failing_page_is_tried_a_few_times_only(crawled: Crawled) -> None:
    assert 1 <= crawled.site.times("/docs/broken.html") <= 4
    assert crawled.site.times("/docs/missing.html") == 1
    assert crawled.site.times("/docs/ring-a.html") <= 25


def test_the_wrong_charset_is_read_aright(crawled: Crawled) -> None:
    texts = [payload["page_content"] for payload in crawled.workspace.points().values()]
    assert [text for text in texts if "Café Zürich naïve façade" in text]


def test_text_of_broken_and_deep_markup_is_kept(crawled: Crawled) -> None:
    text = "\n".join(payload["page_content"] for payload in crawled.workspace.points().values())
    for words in ("Text at the bottom.", "cell three", "Text after the wreck", "3 < 4", "first", "second"):
        assert words in text.replace("\\", ""), words


def test_login_pages_and_binaries_are_not_in_the_collection(crawled: Crawled) -> None:
    payloads = crawled.workspace.points().values()
    assert not [p for p in payloads if "Password" in p["page_content"] or "PNG" in p["page_content"]]
    urls = {payload["metadata"]["url"] for payload in payloads}
    indexed = {crawled.site.url + path for path, outcomes in EXPECTED.items() if outcomes == {"indexed"}}
    assert urls == indexed


def test_fetched_documents_are_archived_for_the_branch_that_reads_them(crawled: Crawled) -> None:
    paths = ("/docs/manual.pdf", "/docs/form.docx")
    urls = ", ".join(f"'{crawled.site.url}{path}'" for path in paths)
    digests = crawled.workspace.query(f"select body_digest from pages where url in ({urls})")
    assert len(digests) == 2
    archived = {file.stem for file in (crawled.workspace.data / "archive").rglob("*.zst")}
    assert {digest for (digest,) in digests} <= archived
