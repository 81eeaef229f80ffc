"""A Cohere-style server on loopback: what it is asked, and that nothing it does ends a search."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from mock_site import MockSite, Reply, redirect

from indexing.remote_reranker import MOST_BYTES, make_remote_reranker
from wrac.config import Settings
from wrac.errors import RerankFailed
from wrac.protocols import Reranker

if TYPE_CHECKING:
    from collections.abc import Generator

    from mock_site import Request

    from indexing.remote_reranker import RemoteReranker

KEY = "secret-of-the-house"


@pytest.fixture
def server() -> Generator[MockSite]:
    with MockSite() as site:
        yield site


def reranker(server: MockSite, key: str = KEY, seconds: float = 20.0) -> RemoteReranker:
    settings = Settings(reranker_base_url=f"{server.url}/v2/", reranker_timeout=seconds)
    return make_remote_reranker("rank-3", settings, {"COHERE_API_KEY": key})


def results(*pairs: tuple[Any, Any]) -> Reply:
    said = {"results": [{"index": index, "relevance_score": score} for index, score in pairs]}
    return Reply(json.dumps(said), content_type="application/json")


def test_scores_come_in_the_order_of_the_texts(server: MockSite) -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return results((2, 0.9), (0, 0.5), (1, 0))

    server.routes["/v2/rerank"] = answer
    model = reranker(server)
    assert isinstance(model, Reranker)
    assert model.scores("Wo ist die Pumpe?", ["a", "b", "c"]) == [0.5, 0.0, 0.9]
    assert (seen[0].method, seen[0].headers["authorization"]) == ("POST", f"Bearer {KEY}")
    assert json.loads(seen[0].body) == {
        "model": "rank-3",
        "query": "Wo ist die Pumpe?",
        "documents": ["a", "b", "c"],
        "top_n": 3,
    }


def test_a_server_of_one_s_own_is_asked_without_a_key(server: MockSite) -> None:
    def answer(request: Request) -> Reply:
        return results((0, 1.0)) if "authorization" not in request.headers else Reply(status=400)

    server.routes["/v2/rerank"] = answer
    assert reranker(server, key="").scores("q", ["a"]) == [1.0]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("wrong key", 401), "refused the key .401.: check the variable COHERE_API_KEY. It said: wrong key"),
        (Reply("slow down", 429), "answered 429. It said: slow down"),
        (Reply("oh", 500), "answered 500"),
        (redirect("/elsewhere"), "answered 302"),
        (Reply(reset=True), "cannot be reached"),
        (Reply(json.dumps({"results": []}) + " " * 1000, cut=True), "gave no scores|scored 0 of 2"),
        (Reply("not json"), "gave no scores: JSONDecodeError"),
        (Reply("[]"), "gave no scores: TypeError"),
        (Reply('{"results": 7}'), "gave no scores"),
        (Reply("[" * 100_000), "gave no scores"),
        (Reply(b"\xff\xfe"), "gave no scores"),
        (results((0, 1.0)), "scored 1 of 2 passages"),
        (results((0, 1.0), (0, 2.0)), "belongs to no passage"),
        (results((0, 1.0), (2, 2.0)), "belongs to no passage"),
        (results((0, 1.0), (-1, 2.0)), "belongs to no passage"),
        (results((0, 1.0), (True, 2.0)), "belongs to no passage"),
        (results((0, 1.0), (1, float("nan"))), "belongs to no passage"),
        (results((0, 1.0), (1, "high")), "gave no scores: ValueError"),
        (Reply("[", filler=MOST_BYTES), f"answered with more than {MOST_BYTES} bytes"),
    ],
)
def test_whatever_the_server_does_is_one_fault(server: MockSite, reply: Reply, reason: str) -> None:
    server.routes["/v2/rerank"] = reply
    with pytest.raises(RerankFailed, match=rf"the reranking server 127.0.0.1 \(model rank-3\) .*{reason}"):
        reranker(server).scores("q", ["a", "b"])
    assert server.targets == ["/v2/rerank"]


def test_a_server_that_never_answers_is_given_up(server: MockSite) -> None:
    over = threading.Event()

    def answer(_: Request) -> Reply:
        over.wait(60)
        return results((0, 1.0))

    server.routes["/v2/rerank"] = answer
    try:
        with pytest.raises(RerankFailed, match=r"gave no answer within 0\.2 s \(reranker_timeout\)|cannot be reached"):
            reranker(server, seconds=0.2).scores("q", ["a"])
    finally:
        over.set()


def test_nobody_listening_is_a_fault() -> None:
    with MockSite() as gone:
        asked = reranker(gone)
    with pytest.raises(RerankFailed, match=r"cannot be reached.*check that it runs"):
        asked.scores("q", ["a"])


def test_the_key_stands_in_no_message(server: MockSite) -> None:
    server.routes["/v2/rerank"] = Reply(f"no such key: {KEY}", 403)
    with pytest.raises(RerankFailed) as caught:
        reranker(server).scores("q", ["a"])
    assert KEY not in str(caught.value)
    assert "no such key: ***" in str(caught.value)
