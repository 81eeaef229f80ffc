"""The only door to OpenAI-compatible servers."""

from llm.embeddings import EmbeddingsClient

__all__ = ["EmbeddingsClient"]
