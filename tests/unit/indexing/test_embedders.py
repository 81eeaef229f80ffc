"""What is known of fastembed's models beside their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from fastembed import TextEmbedding

from indexing.embedders import FastembedEmbedder, _languages, minilm

if TYPE_CHECKING:
    from pathlib import Path

DESCRIPTIONS = {model["model"]: model["description"] for model in TextEmbedding.list_supported_models()}


@pytest.mark.parametrize(
    ("model", "languages"),
    [
        ("BAAI/bge-small-en-v1.5", {"en"}),
        ("BAAI/bge-small-zh-v1.5", {"zh"}),
        ("jinaai/jina-embeddings-v2-base-de", {"de", "en"}),
        ("jinaai/jina-embeddings-v2-base-code", {"en"}),
        ("intfloat/multilingual-e5-large", None),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
        ("jinaai/jina-embeddings-v3", None),
    ],
)
def test_the_languages_that_a_model_reads(model: str, languages: set[str] | None) -> None:
    assert _languages(model, DESCRIPTIONS[model]) == languages


def test_instructions_stand_before_texts_and_queries_and_cost_tokens(tmp_path: Path) -> None:
    plain = minilm(tmp_path)
    told = FastembedEmbedder(
        plain._embedding, name="told/1", languages=None, instructions=("search document: ", "query: ")
    )
    assert np.array_equal(told.embed(["one"])[0], plain.embed(["search document: one"])[0])
    assert np.array_equal(told.embed_query("one"), plain.embed_query("query: one"))
    assert told.max_tokens == plain.max_tokens - 3
