"""Telling somebody: a command or a webhook gets a small JSON object when a crawl fails or a site grows stale.

What is sent holds no secret and no content. A hook that fails or hangs is told of and changes nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wrac.exit_codes import ExitCode
from wrac.net import DialPolicy, parse_address
from wrac.urls import DEFAULT_PORTS, request_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wrac.notify import NotifySettings

VERSION = 1
"""Of what is sent; fields are only ever added."""


class Event(StrEnum):
    """What happened."""

    FAILURE = "failure"
    """A crawl ended with another exit code than 0."""
    LOSS_GUARD = "loss-guard"
    """A publish was stopped because it would have lost too much."""
    STALE = "stale"
    """No crawl of the site has come to a good end for too long."""


@dataclass(frozen=True, slots=True)
class Notification:
    """One event, as it is sent."""

    event: Event
    site: str
    at: str
    """ISO 8601, UTC."""
    reason: str
    run: int | None = None
    exit_code: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    pages: Mapping[str, int] = field(default_factory=dict)
    """URLs of the run by outcome."""
    reports: tuple[str, ...] = ()
    """Paths of the run's reports."""

    def as_json(self) -> bytes:
        """One JSON object in UTF-8."""
        shown = asdict(self) | {"version": VERSION, "reason": without_credentials(self.reason)}
        return json.dumps(shown).encode()


def event_of(exit_code: int) -> Event | None:
    """What the end of a crawl is told as; None where it is not."""
    if exit_code == ExitCode.LOSS_GUARD:
        return Event.LOSS_GUARD
    return Event.FAILURE if exit_code else None


def notify(settings: NotifySettings, notification: Notification, environment: Mapping[str, str]) -> list[str]:
    """The command and the webhook of the settings got the notification; returns what went wrong, a sentence each."""
    body = notification.as_json()
    problems: list[str] = []
    if settings.command:
        problems += _run(settings.command, body, settings.timeout)
    webhook = settings.webhook
    if name := settings.webhook_env:
        webhook = environment.get(name, "")
        if not request_url(webhook):
            problems.append(f"webhook: {name} is not set to an http or https URL (webhook_env in [notify])")
            webhook = ""
    if webhook:
        problems += _post(webhook, body, settings.timeout)
    return [f"the notification ({notification.event}, {notification.site}) failed: {each}" for each in problems]


def _run(command: tuple[str, ...], body: bytes, seconds: float) -> Iterator[str]:
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's own command, as a list
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        yield f"command {command[0]!r} cannot be started: {error.strerror or error}"
        return
    with process:
        try:
            _, errors = process.communicate(body, seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            yield f"command {command[0]!r} took longer than {seconds:g} s and was killed"
            return
    if process.returncode:
        said = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        yield f"command {command[0]!r} ended with {process.returncode}{': ' + said if said else ''}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """A redirect is an answer like any other error status: nobody named its target."""


def _post(url: str, body: bytes, seconds: float) -> Iterator[str]:
    host = urlsplit(url).hostname
    outcome: list[str] = []
    sender = threading.Thread(target=lambda: outcome.append(_sent(url, body, seconds)), daemon=True)
    sender.start()
    # The client's own limit holds for each read of a socket; a server may drip.
    sender.join(seconds)
    problem = outcome[0] if outcome else f"no answer within {seconds:g} s"
    if problem:
        yield f"webhook at {host}: {problem}"  # its path is often a secret


def _sent(url: str, body: bytes, seconds: float) -> str:
    """What went wrong; empty where the webhook took it."""
    headers = {"Content-Type": "application/json", "User-Agent": "wrac"}
    request = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310 - http or https, checked
    try:
        if refusal := _refusal(request):
            return refusal
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=seconds):
            return ""
    except urllib.error.HTTPError as error:
        with error:
            return f"it answered {error.code}"
    except urllib.error.URLError as error:
        return str(error.reason)
    except (OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - nothing that a hook does may end a crawl
        return type(error).__name__


def _refusal(request: urllib.request.Request) -> str:
    """Why the address is not dialled: to name a host is consent to private addresses, not to a cloud's metadata."""
    parts = urlsplit(request.full_url)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if parts.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return ""  # the proxy looks the name up and decides
    addresses = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    by_name = () if parse_address(host) else (host,)
    # The next step that the refusal names is one for profiles.
    return DialPolicy.of((request.full_url,), by_name).refusal(host, port, addresses).partition("; ")[0]
