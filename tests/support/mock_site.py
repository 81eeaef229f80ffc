"""A real web server on the loopback interface, deterministic and bounded, that remembers every request.

    with MockSite(routes) as site:
        crawl(site.url + "/docs/")
        assert site.paths("/docs/install.html") == 1

A route is a ``Reply``, or a function from ``Request`` to ``Reply``; a path without a route is 404. Routes may be
replaced while the server runs. By itself: ``python tests/support/mock_site.py --port 8070`` serves the handbook.
"""

from __future__ import annotations

import argparse
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from pathlib import Path

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """One request as the server saw it."""

    path: str
    """Without the query."""
    query: dict[str, list[str]]
    target: str
    """Path and query, as sent."""
    headers: dict[str, str]
    """Names in lower case."""
    started: float
    """Seconds on the monotonic clock."""
    method: str = "GET"
    body: bytes = b""
    times: int = 1
    """How often this target has been asked for, this time included."""


@dataclass(frozen=True)
class Reply:
    """What the server answers, and how badly."""

    body: bytes | str = b""
    status: int = 200
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""
    last_modified: float = 0.0
    """POSIX time; 0 for none."""
    delay: float = 0.0
    """Seconds before the status line."""
    filler: int = 0
    """Bytes of filler sent after the body, made while sending."""
    reset: bool = False
    """The connection is torn down instead of an answer."""
    cut: bool = False
    """The connection is closed in the middle of the body."""


Route = Reply | Callable[[Request], Reply]


def redirect(target: str, status: int = 302) -> Reply:
    """A redirect to ``target``, which may be relative."""
    return Reply(status=status, headers=(("Location", target),))


def text(body: str, **options: Any) -> Reply:
    """A plain text answer (robots.txt)."""
    return Reply(body, content_type="text/plain; charset=utf-8", **options)


@dataclass
class Log:
    """What the server saw: requests in the order of their arrival, and the most it served at once."""

    requests: list[Request] = field(default_factory=list)
    statuses: list[tuple[str, int]] = field(default_factory=list)
    running: int = 0
    most_at_once: int = 0


class MockSite:
    """The server; a context manager, or ``start`` and ``stop``."""

    def __init__(
        self, routes: dict[str, Route] | None = None, *, certificate: Path | None = None, port: int = 0
    ) -> None:
        self.routes: dict[str, Route] = dict(routes or {})
        self.prefixes: dict[str, Route] = {}
        """Routes for all paths that begin so, asked after ``routes``, longest first."""
        self.log = Log()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.site = self
        self._tls = certificate is not None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """The port that the system chose."""
        return int(self._server.server_address[1])

    @property
    def host(self) -> str:
        """Address and port, as in a URL."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Root of the site, without a slash at the end."""
        return f"{'https' if self._tls else 'http'}://{self.host}"

    def start(self) -> MockSite:
        """The server answers from now on."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """The port is closed."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> MockSite:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def forget(self) -> None:
        """The log is empty."""
        with self._lock:
            self.log = Log()

    @property
    def targets(self) -> list[str]:
        """Path and query of every request, in order."""
        return [request.target for request in self.log.requests]

    def times(self, target: str) -> int:
        """How often this path and query was asked for."""
        return self.targets.count(target)

    def begin(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[Request, Reply]:
        """Writes the request down and finds its answer."""
        parts = urlsplit(target)
        with self._lock:
            self.log.running += 1
            self.log.most_at_once = max(self.log.most_at_once, self.log.running)
            request = Request(
                path=parts.path,
                query=parse_qs(parts.query),
                target=target,
                headers=headers,
                started=time.monotonic(),
                method=method,
                body=body,
                times=self.times(target) + 1,
            )
            self.log.requests.append(request)
        route = self.routes.get(parts.path)
        if route is None:
            fitting = [prefix for prefix in self.prefixes if parts.path.startswith(prefix)]
            route = self.prefixes[max(fitting, key=len)] if fitting else None
        if route is None:
            return request, Reply("<title>Not found</title><h1>Not found</h1>", status=404)
        return request, route(request) if callable(route) else route

    def end(self, request: Request, status: int) -> None:
        """Writes the answer down."""
        with self._lock:
            self.log.running -= 1
            self.log.statuses.append((request.target, status))


class _Server(ThreadingHTTPServer):
    site: MockSite
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, or refuses our certificate, is part of the game."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_GET(self) -> None:
        site = cast(_Server, self.server).site
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request, reply = site.begin(self.command, self.path, headers, body)
        status = reply.status
        try:
            status = self._answer(request, reply)
        finally:
            site.end(request, status)

    do_HEAD = do_POST = do_GET  # noqa: N815

    def _answer(self, request: Request, reply: Reply) -> int:
        time.sleep(reply.delay)
        if reply.reset:
            # RST instead of FIN: what a crashed peer or a middlebox sends.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return 0
        if _not_modified(request, reply):
            return self._head(304, reply, 0)
        content = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self._head(reply.status, reply, len(content) + reply.filler)
        if self.command == "HEAD":
            return reply.status
        if reply.cut:
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
            return reply.status
        self.wfile.write(content)
        for _ in range(0, reply.filler, 65_536):
            self.wfile.write(b"filler " * 9_362 + b"\n\n")
        return reply.status

    def _head(self, status: int, reply: Reply, length: int) -> int:
        self.send_response(status)
        if reply.content_type:
            self.send_header("Content-Type", reply.content_type)
        if reply.etag:
            self.send_header("ETag", reply.etag)
        if reply.last_modified:
            self.send_header("Last-Modified", formatdate(reply.last_modified, usegmt=True))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        return status

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silent: the log is ``MockSite.log``."""


def _not_modified(request: Request, reply: Reply) -> bool:
    if reply.status != 200:
        return False
    if asked := request.headers.get("if-none-match"):
        return bool(reply.etag) and asked == reply.etag
    if reply.last_modified and (since := request.headers.get("if-modified-since")):
        return parsedate_to_datetime(since).timestamp() >= int(reply.last_modified)
    return False


def main() -> None:
    """Serves the handbook until it is interrupted."""
    import mock_pages

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    with MockSite(port=parser.parse_args().port) as site:
        site.routes.update(mock_pages.handbook(site.url))
        sys.stdout.write(f"{site.url}{mock_pages.START}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
