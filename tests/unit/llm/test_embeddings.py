"""The embeddings door against a server on loopback: order, limits, retries, what failures mean, no secret told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from mock_site import MockSite, Reply

import llm.embeddings
from llm.embeddings import EmbeddingsClient
from wrac.errors import ConfigError, EmbeddingFailed, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mock_site import Request

KEY = "sk-verysecret0123456789"
JSON = "application/json"


class Server:
    """Answers each request with what ``answers`` holds next, else with vectors [length of the text, its number]."""

    def __init__(self, site: MockSite) -> None:
        self.base_url = site.url + "/v1"
        self.batches: list[list[str]] = []
        self.keys: list[str] = []
        self.answers: list[Reply | Callable[[list[str]], Reply]] = []
        site.prefixes["/"] = self._answer

    def _answer(self, request: Request) -> Reply:
        texts = json.loads(request.body)["input"]
        self.batches.append(texts)
        self.keys.append(request.headers["authorization"])
        if self.answers:
            queued = self.answers.pop(0)
            return queued if isinstance(queued, Reply) else queued(texts)
        return vectors(texts)


def vectors(texts: list[str]) -> Reply:
    rows = [{"object": "embedding", "index": n, "embedding": [len(t), n]} for n, t in enumerate(texts)]
    return reply({"object": "list", "data": rows[::-1], "model": "m", "usage": {"prompt_tokens": 7, "total_tokens": 7}})


def reply(answer: object, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    return Reply(json.dumps(answer), status=status, content_type=JSON, headers=headers)


def refusal(status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    return reply({"error": {"message": message, "type": "e"}}, status, headers)


@pytest.fixture
def server() -> Generator[Server]:
    with MockSite() as site:
        yield Server(site)


@pytest.fixture
def client(server: Server) -> Generator[EmbeddingsClient]:
    opened = EmbeddingsClient("m", base_url=server.base_url, environment={"OPENAI_API_KEY": KEY}, max_retries=1)
    yield opened
    opened.close()


def test_rows_come_in_the_order_of_the_texts(client: EmbeddingsClient, server: Server) -> None:
    rows = client.embed(["a", "bbb", "cc"])
    assert rows.dtype == np.float32
    assert rows.tolist() == [[1, 0], [3, 1], [2, 2]]
    assert server.keys == [f"Bearer {KEY}"]


def test_usage_adds_up(client: EmbeddingsClient) -> None:
    client.embed(["a"])
    client.embed(["b"])
    assert (client.usage.input_tokens, client.usage.calls) == (14, 2)


def test_a_request_holds_no_more_inputs_than_the_limit(
    client: EmbeddingsClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm.embeddings, "MAX_INPUTS", 2)
    rows = client.embed(["a", "bb", "ccc", "dddd", "eeeee"])
    assert [len(batch) for batch in server.batches] == [2, 2, 1]
    assert rows[:, 0].tolist() == [1, 2, 3, 4, 5]


def test_a_request_holds_no_more_tokens_than_the_limit(
    client: EmbeddingsClient, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm.embeddings, "MAX_REQUEST_TOKENS", 5)
    client.embed(["one two three", "four five", "six", "one two three four five six seven"])
    assert server.batches == [["one two three", "four five"], ["six"], ["one two three four five six seven"]]


def test_retry_after_is_honoured(client: EmbeddingsClient, server: Server) -> None:
    server.answers = [refusal(429, "slow down", (("retry-after", "0"),))]
    assert client.embed(["a"]).shape == (1, 2)
    assert len(server.batches) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_overloaded_server_is_transient(client: EmbeddingsClient, server: Server, status: int) -> None:
    server.answers = [refusal(status, "too much", (("retry-after", "0"),))] * 2
    with pytest.raises(TransientError, match=rf"127\.0\.0\.1:\d+ \(model m\) answered {status}.*too much"):
        client.embed(["a"])


def test_an_unreachable_server_is_transient() -> None:
    with MockSite() as site:
        url = site.url
    client = EmbeddingsClient("m", base_url=url + "/v1", environment={}, max_retries=0)
    with pytest.raises(TransientError, match=r"cannot be reached.*check that the server runs"):
        client.embed(["a"])
    client.close()


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_the_variable_and_not_the_key(
    client: EmbeddingsClient, server: Server, status: int
) -> None:
    server.answers = [refusal(status, f"Incorrect API key provided: {KEY}, also seen as sk-very*******6789.")]
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        client.embed(["a"])
    assert KEY not in str(caught.value)
    assert "6789" not in str(caught.value)


def test_an_unknown_model_is_a_matter_of_configuration(client: EmbeddingsClient, server: Server) -> None:
    server.answers = [refusal(404, "The model m does not exist")]
    with pytest.raises(ConfigError, match=r"no such model.*does not exist"):
        client.embed(["a"])


def test_refused_content_concerns_the_page_only(client: EmbeddingsClient, server: Server) -> None:
    server.answers = [refusal(400, f"input is too long {KEY}")]
    with pytest.raises(EmbeddingFailed, match=r"refused the texts: .*input is too long") as caught:
        client.embed(["a"])
    assert caught.value.stage == "embed"
    assert KEY not in str(caught.value)


def test_a_missing_vector_is_no_silent_shift(client: EmbeddingsClient, server: Server) -> None:
    server.answers = [lambda texts: vectors(texts[:1])]
    with pytest.raises(EmbeddingFailed, match="1 vectors for 2 texts"):
        client.embed(["a", "b"])


def test_vectors_of_different_lengths_are_refused(client: EmbeddingsClient, server: Server) -> None:
    rows = [{"object": "embedding", "index": n, "embedding": [1.0] * (n + 1)} for n in range(2)]
    server.answers = [reply({"object": "list", "data": rows, "model": "m", "usage": None})]
    with pytest.raises(EmbeddingFailed, match="different lengths"):
        client.embed(["a", "b"])


def test_no_key_and_no_server_of_ones_own() -> None:
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        EmbeddingsClient("m", key_variable="MY_KEY", environment={})
