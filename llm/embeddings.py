"""Embeddings of any OpenAI-compatible server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import openai

from llm.connection import MAX_RETRIES, TIMEOUT_SECONDS, open_client, raise_for, without_secret
from wrac.errors import EmbeddingFailed
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_INPUTS = 2_048
"""Inputs of one request at most (the vendor's limit)."""
MAX_REQUEST_TOKENS = 250_000
"""Tokens of one request at most: the vendor's 300,000, less what another tokenizer may count more."""


class EmbeddingsClient:
    """Embeds texts with one model of one server; counts what it bills.

    The key is read once from ``environment[key_variable]`` and stands in no message. Retries are the openai client's.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        key_variable: str = "OPENAI_API_KEY",
        environment: Mapping[str, str],
        timeout: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._client = open_client(
            base_url=base_url,
            key_variable=key_variable,
            environment=environment,
            timeout=timeout,
            max_retries=max_retries,
        )
        self._key_variable = key_variable
        self._secret = environment.get(key_variable, "")
        self._where = f"the embeddings server {self._client.base_url.netloc.decode()} (model {model})"
        self.model = model
        self.usage = Usage()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """shape (len(texts), dimension), float32, in the order of the texts, as the server scaled them.

        Raises ``EmbeddingFailed`` where the server refuses the content or its answer does not fit the request,
        ``TransientError`` where it cannot be reached or is overloaded, ``ConfigError`` for a refused key or model.
        """
        rows = [row for batch in _batches(texts) for row in self._request(batch)]
        if len({len(row) for row in rows}) > 1:
            raise EmbeddingFailed(f"{self._where} answered with vectors of different lengths", stage="embed")
        return np.asarray(rows, dtype=np.float32)

    def close(self) -> None:
        """Lets go of the connections."""
        self._client.close()

    def _request(self, batch: list[str]) -> list[list[float]]:
        try:
            # Plain floats: servers other than the vendor's often do not know base64, the client's default.
            answer = self._client.embeddings.create(model=self.model, input=batch, encoding_format="float")
        except openai.APIError as error:
            self._refused(error)
        if answer.usage is not None:
            self.usage += Usage(input_tokens=answer.usage.prompt_tokens, calls=1)
        rows = {item.index: list(item.embedding) for item in answer.data}
        if sorted(rows) != list(range(len(batch))):
            raise EmbeddingFailed(
                f"{self._where} answered with {len(answer.data)} vectors for {len(batch)} texts", stage="embed"
            )
        return [rows[index] for index in range(len(batch))]

    def _refused(self, error: openai.APIError) -> None:
        try:
            raise_for(error, where=self._where, key_variable=self._key_variable, secret=self._secret)
        except openai.APIError as refusal:
            said = without_secret(str(refusal), self._secret)[:300]
            raise EmbeddingFailed(f"{self._where} refused the texts: {said}", stage="embed") from None


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, cut where a request would pass one of the two limits."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = count_tokens(text)
        if batch and (len(batch) == MAX_INPUTS or tokens + size > MAX_REQUEST_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch
