"""A start page that gives nothing ends the run with one message and one exit code, and indexes nothing."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from mock_certificate import write_certificate
from mock_pages import handbook
from mock_site import MockSite, Reply, redirect, text

if TYPE_CHECKING:
    from pathlib import Path

    from product import Finished, Workspace

UNREACHABLE = 4


def nothing_was_indexed(workspace: Workspace) -> bool:
    return not [row for row in workspace.rows().values() if row.outcome == "indexed"]


def check(run: Finished, workspace: Workspace, *words: str) -> None:
    assert run.code == UNREACHABLE, run
    assert "Traceback" not in run.everything, run
    for word in words:
        assert word.casefold() in run.everything.casefold(), f"{word!r} is not said: {run}"
    assert nothing_was_indexed(workspace)


def test_host_not_found(workspace: Workspace) -> None:
    run = workspace.crawl("-a", "url=http://no-such-host.invalid/docs/")
    check(run, workspace, "no-such-host.invalid")
    assert workspace.outcome("http://no-such-host.invalid/docs/") == "unreachable"


def test_connection_refused(workspace: Workspace) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refuses
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/docs/"
        workspace.write_site(url)
        run = workspace.crawl()
    check(run, workspace, "refused")
    assert workspace.outcome(url) == "unreachable"


def test_certificate_that_nobody_trusts(workspace: Workspace, tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path / "certificate.pem")
    with MockSite(certificate=certificate) as site:
        site.routes = handbook(site.url)
        workspace.write_site(site.url + "/docs/")
        run = workspace.crawl()
        check(run, workspace, "certificate")
        assert site.targets == [], "a page was asked for over a connection that cannot be trusted"
        assert workspace.outcome(site.url + "/docs/") == "unreachable"


@pytest.mark.parametrize(
    ("reply", "outcome", "word"),
    [
        (Reply("<h1>Not found</h1>", status=404), "gone", "404"),
        (Reply("<h1>Error</h1>", status=500), "http-error", "500"),
        (Reply(b""), "empty", "empty"),
        (redirect("/docs/"), None, "redirect"),
        (
            Reply('<title>Log in</title><form><input name=u><input type="password"></form><h1>Log in</h1>'),
            "login-wall",
            "log",
        ),
    ],
    ids=["404", "500", "zero bytes", "redirect loop", "login"],
)
def test_start_page_without_content(
    site: MockSite, workspace: Workspace, reply: Reply, outcome: str | None, word: str
) -> None:
    site.routes = {"/docs/": reply}
    workspace.write_site(site.url + "/docs/", sitemap=False)
    run = workspace.crawl()
    check(run, workspace, word, site.url + "/docs/")
    if outcome:
        assert workspace.outcome(site.url + "/docs/") == outcome


def test_robots_forbids_all(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = handbook(site.url) | {"/robots.txt": text("User-agent: *\nDisallow: /\n")}
    workspace.write_site(site.url + "/docs/")
    run = workspace.crawl()
    check(run, workspace, "robots.txt")
    assert workspace.outcome(site.url + "/docs/") == "robots-denied"
    assert not [target for target in site.targets if target.startswith("/docs/")]


def test_robots_that_cannot_be_read_forbids_as_the_standard_says(site: MockSite, workspace: Workspace) -> None:
    """RFC 9309, section 2.3.1.4: an unreachable robots.txt (5xx) means complete disallow."""
    site.forget()
    site.routes = handbook(site.url) | {"/robots.txt": text("oops", status=503)}
    workspace.write_site(site.url + "/docs/")
    run = workspace.crawl()
    check(run, workspace, "robots.txt")
    assert not [target for target in site.targets if target.startswith("/docs/")]


def test_an_address_that_may_not_be_dialled(workspace: Workspace) -> None:
    """A name that resolves to loopback is not the literal consent that an address is."""
    workspace.write_site("http://169.254.169.254/docs/", allow_private=[])
    run = workspace.crawl()
    assert run.code in (2, UNREACHABLE), run
    assert "169.254.169.254" in run.everything


def test_no_profile_says_what_to_write(workspace: Workspace) -> None:
    run = workspace.crawl()
    assert run.code == 2, run
    assert "sites/docs_site.toml" in run.everything
    assert "start_urls = [" in run.everything
    assert "Traceback" not in run.everything


def test_unknown_key_in_a_profile_is_named(workspace: Workspace) -> None:
    workspace.write_site("https://docs.example.org/", maxpages=3)
    run = workspace.crawl()
    assert run.code == 2, run
    assert "maxpages" in run.everything
    assert "docs_site.toml" in run.everything
    assert "Traceback" not in run.everything


def test_no_url_is_no_url(workspace: Workspace) -> None:
    run = workspace.crawl("-a", "url=ftp://docs.example.org/")
    assert run.code == 2, run
    assert "ftp://docs.example.org/" in run.everything
