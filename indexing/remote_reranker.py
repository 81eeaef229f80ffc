"""Rerankers behind a server that answers as Cohere does: one POST of a question and passages, one score each."""

from __future__ import annotations

import json
import math
import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wrac.errors import ConfigError, RerankFailed
from wrac.urls import request_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wrac.config import Settings

MOST_BYTES = 4 * 2**20
"""Of an answer; a hundred scores are some kilobytes."""
_SAID = 200
"""Characters of a server's own words that are repeated."""


def make_remote_reranker(model: str, settings: Settings, environment: Mapping[str, str]) -> RemoteReranker:
    """The reranker ``cohere:MODEL``. Raises ``ConfigError`` where the server is not named by an http or https URL."""
    base = settings.reranker_base_url.rstrip("/")
    if not request_url(base):
        raise ConfigError(
            f"reranker = 'cohere:{model}' needs reranker_base_url, the URL that /rerank is added to, "
            f"e.g. http://localhost:8000/v1; it is {settings.reranker_base_url!r}"
        )
    key = environment.get(settings.reranker_api_key_env, "")
    return RemoteReranker(model, f"{base}/rerank", key, settings.reranker_api_key_env, settings.reranker_timeout)


class RemoteReranker:
    """Asks the server once a search, never longer than ``seconds``; redirects are not followed."""

    def __init__(self, model: str, url: str, key: str, key_variable: str, seconds: float) -> None:
        self.name = f"cohere/{model}"
        self._model = model
        self._url = url
        self._key = key
        self._key_variable = key_variable
        self._seconds = seconds
        self._where = f"the reranking server {urlsplit(url).hostname} (model {model})"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The server's score of each text, in order. Raises ``RerankFailed``, whose message never holds the key."""
        asked = {"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)}
        outcome: list[bytes | RerankFailed] = []
        caller = threading.Thread(target=lambda: outcome.append(self._answer(asked)), daemon=True)
        caller.start()
        # The client's own limit holds for each read of a socket; a server may drip.
        caller.join(self._seconds)
        if not outcome:
            raise self._fault(f"gave no answer within {self._seconds:g} s (reranker_timeout)")
        if isinstance(outcome[0], RerankFailed):
            raise outcome[0]
        return self._read(outcome[0], len(texts))

    def _answer(self, asked: Mapping[str, Any]) -> bytes | RerankFailed:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "wrac"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        body = json.dumps(asked).encode()
        request = urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310 - http or https, checked
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self._seconds) as answer:
                raw: bytes = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            return self._refusal(error)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, the search goes on without it
            reason = getattr(error, "reason", None) or type(error).__name__
            return self._fault(f"cannot be reached ({reason}): check that it runs")
        return raw if len(raw) <= MOST_BYTES else self._fault(f"answered with more than {MOST_BYTES} bytes")

    def _refusal(self, error: urllib.error.HTTPError) -> RerankFailed:
        with error:
            try:
                said = error.read(_SAID * 4).decode("utf-8", "replace")
            except OSError:
                said = ""
        said = " ".join(said.split())[:_SAID]
        if error.code in (401, 403):
            return self._fault(
                f"refused the key ({error.code}): check the variable {self._key_variable}. It said: {said}"
            )
        return self._fault(f"answered {error.code}. It said: {said}")

    def _read(self, raw: bytes, count: int) -> list[float]:
        scores: dict[int, float] = {}
        try:
            for result in json.loads(raw)["results"]:
                place, score = result["index"], float(result["relevance_score"])
                if type(place) is not int or not 0 <= place < count or place in scores or not math.isfinite(score):
                    raise self._fault(f"answered with a score that belongs to no passage: {str(result)[:_SAID]}")
                scores[place] = score
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._fault(f"gave no scores: {type(error).__name__} in what it answered") from error
        if len(scores) < count:
            raise self._fault(f"scored {len(scores)} of {count} passages")
        return [scores[place] for place in range(count)]

    def _fault(self, what: str) -> RerankFailed:
        told = f"{self._where} {what}"
        return RerankFailed(told.replace(self._key, "***") if self._key else told)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """A redirect is an answer like any other error status: nobody named its target, and the key is not for it."""
