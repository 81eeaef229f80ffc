"""An OpenAI-compatible embeddings endpoint on loopback: fast, deterministic, and it counts.

Vectors are hashed bags of words, so that texts which share words are near each other. What was embedded can be asked
for, which is how the tests prove that nothing is paid for twice.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import TYPE_CHECKING

import numpy as np
from mock_site import MockSite, Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mock_site import Request

DIMENSION = 64


def vector_of(text: str) -> np.ndarray:
    """shape (DIMENSION,), float32, unit length."""
    vector = np.full(DIMENSION, 1e-3, dtype=np.float32)
    for word in re.findall(r"\w+", text.casefold()):
        vector[zlib.crc32(word.encode()) % DIMENSION] += 1
    return vector / np.linalg.norm(vector)


class WordEmbedder:
    """Bags of words: texts that share words are near each other."""

    name = "words/1"
    dimension = DIMENSION
    max_tokens = 1000
    languages = frozenset({"en"})

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        return vector_of(text)

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        spans, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            spans.append((start, start + len(word)))
            start += len(word)
        return spans


class MockEmbeddings:
    """The endpoint; a context manager."""

    dimension = DIMENSION

    def __init__(self) -> None:
        self.texts: list[str] = []
        """Every text that was embedded, in order."""
        self.server = MockSite()
        self.server.prefixes["/"] = self._embed

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return self.server.url + "/v1"

    def _embed(self, request: Request) -> Reply:
        asked = json.loads(request.body)
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        self.texts += texts
        rows = []
        for number, text in enumerate(texts):
            vector = vector_of(text)
            packed = base64.b64encode(vector.tobytes()).decode()
            embedding = packed if asked.get("encoding_format") == "base64" else vector.tolist()
            rows.append({"object": "embedding", "index": number, "embedding": embedding})
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        answer = {"object": "list", "data": rows, "model": asked["model"], "usage": usage}
        return Reply(json.dumps(answer), content_type="application/json")

    def __enter__(self) -> MockEmbeddings:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()
