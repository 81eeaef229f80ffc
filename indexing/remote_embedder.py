"""Embedders behind an OpenAI-compatible server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import bpe_openai
import numpy as np

from indexing.windows import embed_long_query
from llm.embeddings import EmbeddingsClient
from wrac.errors import ConfigError, EmbeddingFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.config import Settings
    from wrac.records import Usage

DEFAULT_MAX_TOKENS = 8_191
"""Longest input of the vendor's embedding models."""
_TOKENISED_AT_ONCE = 50_000
"""Characters. The tokenizer refuses more than 200,000 tokens, and a character has at most four (its bytes in UTF-8)."""


def make_remote_embedder(model: str, settings: Settings) -> RemoteEmbedder:
    """The embedder ``openai:MODEL``; asks the model once for its dimension unless the settings name it."""
    client = EmbeddingsClient(
        model,
        base_url=settings.embedder_base_url,
        key_variable=settings.embedder_api_key_env,
        environment=os.environ,
    )
    dimension = settings.embedder_dimension or client.embed(["dimension"]).shape[1]
    return RemoteEmbedder(client, dimension, settings.embedder_max_tokens or DEFAULT_MAX_TOKENS)


class RemoteEmbedder:
    """Vectors of a server, brought to unit length. Tokens are counted with cl100k, whatever the server uses."""

    def __init__(self, client: EmbeddingsClient, dimension: int, max_tokens: int) -> None:
        self._client = client
        self._encoding = bpe_openai.get_encoding("cl100k_base")
        self.name = f"openai/{client.model}"
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.languages: frozenset[str] | None = None

    @property
    def usage(self) -> Usage:
        """What the server has billed so far."""
        return self._client.usage

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """shape (len(texts), dimension), float32, rows of unit length."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = self._client.embed(texts)
        if vectors.shape[1] != self.dimension:
            raise ConfigError(
                f"the model {self._client.model} answers with {vectors.shape[1]} dimensions, "
                f"embedder_dimension says {self.dimension}: correct it, or set it to 0"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise EmbeddingFailed(
                f"the model {self._client.model} answered with a vector that has no direction", stage="embed"
            )
        return np.asarray(vectors / lengths, dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """shape (dimension,), float32, unit length."""
        return embed_long_query(text, self, lambda part: np.asarray(self.embed([part])[0]))

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Character spans of the tokens of ``text``, in order; a character of several tokens has a span for each."""
        spans: list[tuple[int, int]] = []
        done = 0
        raw = text.encode("utf-8", "surrogatepass")
        for start in range(0, len(text), _TOKENISED_AT_ONCE):
            part = self._encoding.encode_ordinary(text[start : start + _TOKENISED_AT_ONCE])
            for token in self._encoding.decode_tokens_bytes(part):
                begin, done = done, done + len(token)
                spans.append((begin, done))
        return _characters(raw, spans)


def _characters(raw: bytes, byte_spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Byte spans as character spans: a token inside a character is widened to the whole of it."""
    first_byte = np.fromiter(((byte & 0xC0) != 0x80 for byte in raw), dtype=np.int64, count=len(raw))
    before = np.concatenate(([0], np.cumsum(first_byte)))
    return [
        (int(before[begin + 1]) - 1 if begin < len(raw) else int(before[begin]), int(before[end]))
        for begin, end in byte_spans
    ]
