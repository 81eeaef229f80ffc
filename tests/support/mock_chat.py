"""An OpenAI-compatible chat endpoint on loopback that answers, fails and bills as scripted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mock_site import MockSite, Reply

from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from mock_site import Request


@dataclass(slots=True)
class Scripted:
    """One answer of the server."""

    text: str = ""
    finish: str = "stop"
    refusal: str | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    error: str = ""
    """Message of an error status."""
    delay: float = 0.0
    """Seconds before the answer."""
    billed: bool = True
    """Whether the answer says what it used."""
    cached: int = 0
    """Prompt tokens that are billed as cached."""
    reset: bool = False
    """The connection is torn down instead of an answer."""
    cut: bool = False
    """The connection is closed in the middle of the answer."""


class MockChat:
    """The endpoint; a context manager. ``answer`` is asked for every request and may look at it."""

    def __init__(self, answer: Callable[[dict[str, Any]], Scripted]) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        """Bodies of all requests, in order of arrival."""
        self.server = MockSite()
        self.server.prefixes["/"] = self._chat

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return self.server.url + "/v1"

    def _chat(self, request: Request) -> Reply:
        asked = json.loads(request.body)
        self.requests.append(asked)
        scripted = self.answer(asked)
        body = _completion(asked, scripted, self.bill(asked)) if scripted.status == 200 else _error(scripted)
        return Reply(
            json.dumps(body),
            status=scripted.status,
            content_type="application/json",
            headers=scripted.headers,
            delay=scripted.delay,
            reset=scripted.reset,
            cut=scripted.cut,
        )

    def bill(self, asked: dict[str, Any]) -> int:
        """Prompt tokens of a request."""
        return sum(count_tokens(str(message["content"])) for message in asked["messages"])

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()


def _error(scripted: Scripted) -> dict[str, Any]:
    return {"error": {"message": scripted.error or "scripted", "type": "error", "code": None}}


def _completion(asked: dict[str, Any], scripted: Scripted, prompt: int) -> dict[str, Any]:
    output = count_tokens(scripted.text)
    message = {"role": "assistant", "content": scripted.text, "refusal": scripted.refusal}
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": scripted.finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": scripted.cached},
        },
    }
    if not scripted.billed:
        del completion["usage"]
    return completion
