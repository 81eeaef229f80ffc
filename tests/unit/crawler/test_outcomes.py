"""Failures and statuses as outcomes; file types; how a crawl ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http import Response

from crawler.extensions.ingest import CrawlEnd
from crawler.extensions.politeness import retry_after
from crawler.media import asset_suffix, is_asset_type
from crawler.middlewares.dial_guard import AddressRefused
from crawler.middlewares.robots import RobotsDenied
from crawler.outcomes import failure_outcome, status_outcome
from crawler.printable import printable
from crawler.report import exit_code, print_end, program, same_command
from ingest.bill import Bill
from wrac.errors import ConfigError, LossGuard, StoreLocked, TransientError
from wrac.records import Outcome

if TYPE_CHECKING:
    from pathlib import Path


class FakeFailure:
    def __init__(self, value: Exception) -> None:
        self.value = value


def wrapped(inner: Exception) -> Exception:
    """As Twisted and Scrapy wrap what went wrong on a connection."""
    outer = Exception("ResponseNeverReceived")
    outer.reasons = [FakeFailure(inner)]  # type: ignore[attr-defined]
    error = DownloadFailedError("failed")
    error.__cause__ = outer
    return error


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (RobotsDenied("forbidden by robots.txt"), Outcome.ROBOTS_DENIED, "robots.txt"),
        (AddressRefused("x resolves to 10.0.0.1"), Outcome.UNREACHABLE, "10.0.0.1"),
        (CannotResolveHostError("x"), Outcome.UNREACHABLE, "host not found"),
        (DownloadConnectionRefusedError("x"), Outcome.UNREACHABLE, "refused"),
        (DownloadTimeoutError("x"), Outcome.UNREACHABLE, "timed out"),
        (ResponseDataLossError("x"), Outcome.UNREACHABLE, "ended before"),
        (DownloadCancelledError("x"), Outcome.TOO_LARGE, "max_body_mib"),
        (IgnoreRequest("exceeded DOWNLOAD_MAXSIZE (1 B)"), Outcome.TOO_LARGE, "decompression"),
        (wrapped(Exception("certificate verify failed")), Outcome.UNREACHABLE, "certificate is not trusted"),
        (wrapped(Exception("SSL: wrong version number")), Outcome.UNREACHABLE, "does not speak TLS"),
        (wrapped(OSError("Connection reset by peer")), Outcome.UNREACHABLE, "reset by peer"),
        (RuntimeError(""), Outcome.UNREACHABLE, "RuntimeError"),
    ],
)
def test_failures(error: Exception, outcome: Outcome, words: str) -> None:
    got, reason = failure_outcome(error)
    assert got is outcome
    assert words in reason


def test_a_stopped_download_names_its_type() -> None:
    error = StopDownload()
    error.response = Response("https://example.org/", headers={"Content-Type": "image/png; x=y"})
    assert failure_outcome(error) == (Outcome.UNSUPPORTED, "content type image/png")


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, None),
        (203, None),
        (204, Outcome.EMPTY),
        (401, Outcome.LOGIN_WALL),
        (403, Outcome.HTTP_ERROR),
        (404, Outcome.GONE),
        (410, Outcome.GONE),
        (429, Outcome.HTTP_ERROR),
        (500, Outcome.HTTP_ERROR),
        (999, Outcome.HTTP_ERROR),
        (302, Outcome.HTTP_ERROR),
    ],
)
def test_statuses(status: int, outcome: Outcome | None) -> None:
    ended = status_outcome(status)
    assert (ended and ended[0]) == outcome
    assert ended is None or str(status) in ended[1]


def test_file_types() -> None:
    assert asset_suffix("https://example.org/a/b.PNG") == "png"
    assert asset_suffix("https://example.org/a/lib.tar.gz") == "gz"
    for page in ("a.html", "a.pdf", "a.docx", "a.md", "a", "a/", "v1.2", "a.php", "node.js.html", "get?file=a.png"):
        assert asset_suffix(f"https://example.org/{page}") == "", page
    assert is_asset_type("Image/PNG")
    assert is_asset_type("application/zip; x=y")
    for kind in ("text/html; charset=utf-8", "application/pdf", "", "application/octet-stream", "text/markdown"):
        assert not is_asset_type(kind), kind
    assert not is_asset_type("application/zip", "https://example.org/form.docx?v=2")
    assert is_asset_type("application/zip", "https://example.org/docx")
    assert is_asset_type("image/png", "https://example.org/form.docx")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 50.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(Response("https://example.org/", headers={"Retry-After": value}), now=10.0) == seconds


def test_hostile_text_is_one_harmless_line() -> None:
    assert printable("a\x1b[31mb\r\nERROR: forged\u202ec\x9b\u2028d") == "a [31mb ERROR: forged c d"


def ended(**values: Any) -> CrawlEnd:
    return CrawlEnd(**{"reason": "finished", "summary": summary(indexed=1), **values})


def summary(**outcomes: int) -> Any:
    counts = {Outcome(name.replace("_", "-")): count for name, count in outcomes.items()}
    return SimpleNamespace(outcomes=counts, kept={})


def spider(start_pages: int = 1, start_failures: int = 0) -> Any:
    return SimpleNamespace(start_pages=start_pages, start_failures=[None] * start_failures)


@pytest.mark.parametrize(
    ("end", "crawl", "code"),
    [
        (ended(), spider(), 0),
        (ended(summary=summary(indexed=1, gone=2, limit=3, robots_denied=1)), spider(), 0),
        (ended(summary=summary(indexed=1, failed=1)), spider(), 3),
        (ended(summary=summary(indexed=1, too_large=1)), spider(), 3),
        (ended(summary=summary(gone=1)), spider(0, 1), 4),
        (ended(summary=summary(empty=1, indexed=5)), spider(0, 1), 0),
        (ended(summary=summary(gone=1, indexed=5)), spider(1, 1), 0),
        (ended(reason="shutdown"), spider(), 6),
        (ended(gave_up="host"), spider(), 6),
        (ended(error=StoreLocked("x"), reason="StoreLocked", summary=None), spider(), 5),
        (ended(error=TransientError("x")), spider(), 6),
        (ended(error=LossGuard("x")), spider(), 7),
        (ended(error=LossGuard("x"), summary=summary(login_wall=1)), spider(0, 1), 4),
        (ended(error=ConfigError("x"), summary=None), spider(0, 0), 2),
        (ended(error=RuntimeError("x")), spider(), 1),
    ],
)
def test_exit_codes(end: CrawlEnd, crawl: Any, code: int) -> None:
    assert exit_code(end, crawl) == code


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"url": "http://x/?a=1&b", "delay": "0"}, "wrac crawl 'http://x/?a=1&b' --set delay=0"),
        ({"site": "handbook"}, "wrac crawl handbook"),
        ({"max_pages": "9", "keep": ".a b"}, "wrac crawl --set max_pages=9 --set 'keep=.a b'"),
        ({}, "wrac crawl"),
        ({"url": "https://me:s3cret@docs.example.org/"}, "wrac crawl https://docs.example.org/"),
        ({"url": "https://docs.example.org/v?token=s3cret&sid=1&a=2"}, "wrac crawl 'https://docs.example.org/v?a=2'"),
    ],
)
def test_the_same_command_works_without_a_checkout(
    arguments: dict[str, str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.report.program", lambda: "wrac")
    assert same_command(arguments) == command


def ended_summary(**values: Any) -> Any:
    figures = {"site": "x", "chunks": 7, "tokens": 70, "embedded": 0, "reused": 0, "seconds": {}, "waiting": 0}
    figures |= {"withdrawn": 0, "missing": 0, "kept": {}, "report": "", "transcription": None}
    told = {"collection": "docs", "place": "here", "notes": (), "planning": None, "bill": Bill(), "error": None}
    return SimpleNamespace(**{**figures, **told, "outcomes": {Outcome.INDEXED: 2}, **values})


def said(
    capsys: pytest.CaptureFixture[str], end: CrawlEnd, start_pages: int = 1, start_failures: tuple[Any, ...] = ()
) -> tuple[list[str], list[str]]:
    crawl = SimpleNamespace(
        profile=SimpleNamespace(name="x"),
        frontier=SimpleNamespace(passed_by=0),
        start_pages=start_pages,
        start_failures=start_failures,
    )
    print_end(end, crawl, {})  # type: ignore[arg-type]
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err.splitlines()


def test_the_summary_says_what_an_outcome_means_and_how_to_list_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.report.program", lambda: "wrac")
    outcomes = {Outcome.UNCHANGED: 2, Outcome.GONE: 1}
    out, err = said(capsys, ended(summary=ended_summary(outcomes=outcomes, collection="guide")))
    assert out[:2] == ["x: 3 URLs", "        2 unchanged"]
    assert out[2].startswith("        1 gone (")
    assert "Which they are: wrac status --site x --outcome gone" in out
    assert "0 texts embedded: no text is new" in out
    assert out[-1] == 'Next: wrac search --collection guide "how do I ..."'
    assert err == []


def test_an_interrupted_crawl_says_how_much_is_not_in_the_collection_yet(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = said(capsys, ended(reason="shutdown", summary=ended_summary(waiting=6)))
    assert err[0] == "Stopped before the end."
    assert err[1].startswith("6 of the pages above are not in the collection yet")


def test_a_crawl_that_read_nothing_shows_no_empty_figures(capsys: pytest.CaptureFixture[str]) -> None:
    failure = SimpleNamespace(url="https://x/", reason="host not found", outcome="unreachable")
    nothing = ended_summary(outcomes={Outcome.UNREACHABLE: 1}, chunks=0, tokens=0)
    out, err = said(capsys, ended(summary=nothing), start_pages=0, start_failures=(failure,))
    assert out == ["x: 1 URL", "        1 unreachable"]
    assert err == ["Error: the start page https://x/ gave nothing: host not found (unreachable)"]


def test_the_program_is_named_so_that_a_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "my venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "wrac"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    monkeypatch.setattr("sys.executable", str(programs / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert program() == "'my venv/bin/wrac'"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert program() == f"'{programs}/wrac'"
    monkeypatch.setenv("PATH", str(programs))
    assert program() == "wrac"
    (programs / "wrac").unlink()
    assert program() == "wrac"
