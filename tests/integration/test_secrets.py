"""Credentials reach the site that they are for, and nothing else: no log, no ledger, no archive, no other host."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from mock_pages import START, handbook
from mock_site import MockSite, Reply, Request, redirect
from product import SECRET

if TYPE_CHECKING:
    from product import Workspace

TOKEN = "Bearer tests-41c7-token-never-to-be-seen"


def holders(workspace: Workspace, secret: str) -> list[str]:
    import zstandard

    found = []
    for file in workspace.folder.rglob("*"):
        if not file.is_file():
            continue
        data = file.read_bytes()
        if file.suffix == ".zst":
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        if secret.encode() in data or base64.b64encode(secret.encode()) in data:
            found.append(str(file.relative_to(workspace.folder)))
    return found


def test_header_from_the_environment(site: MockSite, workspace: Workspace) -> None:
    open_routes = handbook(site.url)

    def guarded(path: str) -> object:
        def answer(request: Request) -> Reply:
            if request.headers.get("authorization") != TOKEN:
                return Reply("<h1>Who are you?</h1>", status=401)
            route = open_routes[path]
            return route(request) if callable(route) else route

        return answer

    with MockSite() as elsewhere:
        elsewhere.routes = handbook(elsewhere.url)
        site.routes = {path: guarded(path) if path.startswith("/docs/") else open_routes[path] for path in open_routes}
        site.routes["/docs/berths.html"] = redirect(elsewhere.url + "/docs/berths.html")
        workspace.environment["DOCS_TOKEN"] = TOKEN
        workspace.write_site(site.url + START, auth={"header_env": {"Authorization": "DOCS_TOKEN"}})
        run = workspace.crawl("-L", "DEBUG")
        assert run.code in (0, 3), run
        assert workspace.outcome(site.url + "/docs/install.html") == "indexed"
        leaked = [request for request in elsewhere.log.requests if "authorization" in request.headers]
        assert leaked == [], "the token went to another host"
    assert holders(workspace, TOKEN) == []
    assert holders(workspace, SECRET) == []


def test_a_variable_that_is_not_set_is_named_before_any_request(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    workspace.write_site(site.url + START, auth={"header_env": {"Authorization": "NOT_SET_ANYWHERE"}})
    run = workspace.crawl()
    assert run.code == 2, run
    assert "NOT_SET_ANYWHERE" in run.everything
    assert site.targets == []


def test_a_password_in_the_url_is_not_repeated(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = handbook(site.url)
    url = site.url.replace("http://", "http://clerk:hunter2-never-seen@") + START
    run = workspace.crawl("-a", f"url={url}")
    assert run.code == 2, run
    assert "[auth]" in run.everything
    assert "hunter2-never-seen" not in run.everything
    assert site.targets == []
    assert holders(workspace, "hunter2-never-seen") == []
