"""What several contract suites need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexing.embedders import minilm
from indexing.sparse import Bm25Encoder

if TYPE_CHECKING:
    from indexing.embedders import FastembedEmbedder


@pytest.fixture(scope="session")
def minilm_embedder(tmp_path_factory: pytest.TempPathFactory) -> FastembedEmbedder:
    return minilm(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def bm25(tmp_path_factory: pytest.TempPathFactory) -> Bm25Encoder:
    return Bm25Encoder(tmp_path_factory.mktemp("models"))
