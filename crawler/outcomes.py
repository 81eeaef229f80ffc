"""What a response or a failed request means for its URL: one outcome and a reason that a person can act on."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)

from crawler.middlewares.dial_guard import AddressRefused
from crawler.middlewares.robots import RobotsDenied
from wrac.exit_codes import INCOMPLETE_OUTCOMES
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

_TLS_REASONS = (
    ("certificate verify failed", "the certificate is not trusted"),
    ("VerificationError", "the certificate is for another host"),
    ("wrong version number", "the server does not speak TLS on this port"),
    ("unsafe legacy renegotiation", "the server only offers outdated TLS"),
)

START_FAILURES = INCOMPLETE_OUTCOMES | {
    Outcome.GONE,
    Outcome.EMPTY,
    Outcome.ROBOTS_DENIED,
    Outcome.LOGIN_WALL,
    Outcome.OUT_OF_SCOPE,
    Outcome.UNSUPPORTED,
}
"""Outcomes of a start page from which no crawl can begin."""


def failure_outcome(error: BaseException) -> tuple[Outcome, str]:
    """Outcome and reason of a request that got no response."""
    match error:
        case RobotsDenied():
            return Outcome.ROBOTS_DENIED, str(error)
        case AddressRefused():
            return Outcome.UNREACHABLE, str(error)
        case StopDownload():
            return Outcome.UNSUPPORTED, _stopped(error)
        case DownloadCancelledError():
            return Outcome.TOO_LARGE, "larger than max_body_mib of the site profile"
        case IgnoreRequest() if "DOWNLOAD_MAXSIZE" in str(error):
            return Outcome.TOO_LARGE, "larger than max_body_mib of the site profile after decompression"
        case CannotResolveHostError():
            return Outcome.UNREACHABLE, "host not found"
        case DownloadConnectionRefusedError():
            return Outcome.UNREACHABLE, "connection refused"
        case DownloadTimeoutError():
            return Outcome.UNREACHABLE, "timed out"
        case ResponseDataLossError():
            return Outcome.UNREACHABLE, "the connection ended before the page did"
    return Outcome.UNREACHABLE, _connection_reason(error)


def status_outcome(status: int) -> tuple[Outcome, str] | None:
    """Outcome and reason of a response by its status alone; None where its body decides."""
    if 200 <= status < 300 and status != HTTPStatus.NO_CONTENT:
        return None
    label = _status_label(status)
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return Outcome.GONE, label
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED):
        return Outcome.LOGIN_WALL, label
    if status in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        return Outcome.EMPTY, label
    return Outcome.HTTP_ERROR, label


def _status_label(status: int) -> str:
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _stopped(error: StopDownload) -> str:
    response = error.response
    kind = response.headers.get(b"Content-Type", b"") if response is not None else b""
    return f"content type {(kind or b'').decode('latin-1').partition(';')[0].strip() or 'unknown'}"


def _connection_reason(error: BaseException) -> str:
    """TLS failures by what is wrong, everything else by the innermost error."""
    errors = list(_causes(error))
    text = " ".join(f"{type(item).__name__} {item!r}" for item in errors)
    for mark, reason in _TLS_REASONS:
        if mark in text:
            return f"TLS failure: {reason}"
    if "SSL" in text or "tls" in text.lower():
        return "TLS failure"
    inner = errors[-1]
    return " ".join(str(inner).split()) or type(inner).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it wraps (Twisted lists failures in ``reasons``) and what caused it, outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        reasons = getattr(error, "reasons", None)
        error = reasons[0].value if reasons else error.__cause__
