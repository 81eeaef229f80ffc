"""Documents as nobody should publish them, through a whole crawl and from a folder: one clear outcome each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mock_pages import START, simple
from mock_site import Reply
from odd_documents import FAILED, INDEXED, ODD

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Finished, Row, Workspace

INCOMPLETE = 3
PAGE = "The harbour master answers letters within a week, whoever wrote them."


def assert_ended(rows: dict[str, Row], base: str, done: Finished, read: str = INDEXED) -> None:
    """Each as it must, those that can be read as ``read``, and nobody is told of a fault of the program."""
    wanted = {name: read if odd.outcome == INDEXED else odd.outcome for name, odd in ODD.items()}
    ended = {name: (rows[base + name].outcome, rows[base + name].reason) for name in ODD}
    wrong = {name: end for name, end in ended.items() if end[0] != wanted[name]}
    assert not wrong
    unsaid = {name: end for name, end in ended.items() if end[0] != read and ODD[name].says not in end[1]}
    assert not unsaid
    assert "Traceback" not in done.everything
    assert done.code == INCOMPLETE, done


def assert_holds(workspace: Workspace, base: str) -> None:
    """What can be read is in the collection, and nothing else is."""
    told: dict[str, str] = {}
    for point in workspace.points().values():
        told[point["url"]] = told.get(point["url"], "") + point["page_content"]
    for name, odd in ODD.items():
        assert (base + name in told) == (odd.outcome == INDEXED), name
        assert odd.outcome != INDEXED or odd.says in told[base + name], name


@pytest.mark.timeout(500)
def test_a_crawl_ends_each_with_one_outcome_and_loses_no_page(
    site: MockSite, workspace: Workspace, embeddings: MockEmbeddings
) -> None:
    site.forget()
    links = "".join(f'<li><a href="{name}">see</a></li>' for name in [*ODD, "letters.html"])
    site.routes = {
        START: simple("Start", f"<p>All that was ever put down about the harbour.</p><ul>{links}</ul>"),
        "/docs/letters.html": simple("Letters", f"<p>{PAGE}</p>"),
    } | {f"/docs/{name}": Reply(odd.data, content_type=odd.content_type) for name, odd in ODD.items()}
    workspace.write_site(site.url + START, sitemap=False)

    done = workspace.crawl()

    base = f"{site.url}/docs/"
    assert_ended(workspace.rows(), base, done)
    assert_holds(workspace, base)
    points = workspace.points()
    assert any(PAGE in point["page_content"] for point in points.values())
    embeddings.texts.clear()

    again = workspace.crawl()

    assert_ended(workspace.rows(), base, again, "unchanged")
    assert embeddings.texts == []
    assert workspace.points() == points
    failed = sum(odd.outcome == FAILED for odd in ODD.values())
    assert f"{failed} failed" in again.everything


@pytest.mark.timeout(500)
def test_a_folder_of_them_is_taken_in(workspace: Workspace, embeddings: MockEmbeddings) -> None:
    folder = workspace.folder / "notes"
    folder.mkdir()
    for name, odd in ODD.items():
        (folder / name).write_bytes(odd.data)
    (folder / "letters.md").write_text(f"# Letters\n\n{PAGE}\n", encoding="utf-8")

    done = workspace.wrac("ingest", "notes")

    assert_ended(workspace.rows(), "file:///", done)
    assert_holds(workspace, "file:///")
    points = workspace.points()
    assert any(PAGE in point["page_content"] for point in points.values())
    embeddings.texts.clear()

    again = workspace.wrac("ingest", "notes")

    assert_ended(workspace.rows(), "file:///", again, "unchanged")
    assert embeddings.texts == []
    assert workspace.points() == points
