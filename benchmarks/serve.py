"""Serves a folder of HTML files, or a generated site, over loopback until it is stopped.

    python -m benchmarks.serve FOLDER [--port 8080] [--no-validators]
    python -m benchmarks.serve --generated 5000

Prints the URL of the site once it answers. Symbolic links are followed, since packages share files by them.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.inputs import generated_page

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silent."""


class _WithoutValidators(_Files):
    def send_header(self, keyword: str, value: str) -> None:
        """Says nothing by which a client could ask whether a page changed."""
        if keyword != "Last-Modified":
            super().send_header(keyword, value)


class _Generated(_Files):
    def __init__(self, *args: Any, count: int, **options: Any) -> None:
        self.count = count
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2] or "0.html"
        number = int(name.removesuffix(".html")) if name.removesuffix(".html").isdigit() else -1
        found = 0 <= number < self.count
        body = generated_page(number, self.count) if found else b"no such page"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """A client that hangs up early is no news."""


@contextlib.contextmanager
def served(*arguments: object) -> Iterator[str]:
    """URL of a site served by a process of its own, so that its CPU time is nobody else's."""
    command = [sys.executable, "-m", "benchmarks.serve", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def main() -> None:
    """Serves until it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--generated", type=int, default=0, help="serve this many generated pages")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-validators", action="store_true", help="send no Last-Modified")
    args = parser.parse_args()
    if args.folder is None and not args.generated:
        parser.error("name a FOLDER or --generated COUNT")
    if args.generated:
        handler = partial(_Generated, count=args.generated)
    else:
        files = _WithoutValidators if args.no_validators else _Files
        handler = partial(files, directory=str(args.folder))
    with _Server(("127.0.0.1", args.port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever(0.05)


if __name__ == "__main__":
    main()
