"""Calls to Qdrant: repeated where that helps, and failures in our words."""

from __future__ import annotations

import sqlite3

import httpx
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from indexing.calls import ATTEMPTS, Calls
from wrac.errors import ConfigError, StoreError, TransientError


class Script:
    """A call that fails as told, then succeeds."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def answered(status: int) -> UnexpectedResponse:
    return UnexpectedResponse(status, "", b'{"status":{"error":"why"}}', httpx.Headers())


def unreachable() -> ResponseHandlingException:
    return ResponseHandlingException(httpx.ConnectError("refused"))


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def calls(waits: list[float]) -> Calls:
    return Calls("the server X", serial=False, key_variable="QDRANT_API_KEY", sleep=waits.append)


def test_what_passes_is_tried_again(calls: Calls, waits: list[float]) -> None:
    script = Script(unreachable(), answered(503), ResourceExhaustedResponse("slow down", 7))
    assert calls.run(script) == "done"
    assert waits == [0.5, 1.0, 7.0]


def test_a_server_that_stays_away_is_transient(calls: Calls) -> None:
    script = Script(*[unreachable() for _ in range(ATTEMPTS)])
    with pytest.raises(TransientError, match=r"server X cannot be reached \(ConnectError\): check that"):
        calls.run(script)
    assert script.times == ATTEMPTS


def test_an_overloaded_server_is_transient(calls: Calls) -> None:
    with pytest.raises(TransientError, match=r"answered 500: .*why"):
        calls.run(Script(*[answered(500)] * ATTEMPTS))


def test_a_refused_key_names_its_variable(calls: Calls) -> None:
    script = Script(answered(403))
    with pytest.raises(ConfigError, match=r"refused the key \(403\): check the variable QDRANT_API_KEY"):
        calls.run(script)
    assert script.times == 1


@pytest.mark.parametrize(
    "failure",
    [
        answered(400),
        answered(404),
        ValueError("no such thing"),
        sqlite3.OperationalError("disk full"),
        OSError(28, "x"),
    ],
)
def test_what_does_not_pass_is_said_at_once(calls: Calls, failure: Exception, waits: list[float]) -> None:
    with pytest.raises(StoreError, match="the server X"):
        calls.run(Script(failure))
    assert waits == []
