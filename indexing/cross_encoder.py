"""Cross-encoders that run in this process, through fastembed."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from fastembed.rerank.cross_encoder import TextCrossEncoder

from wrac.errors import ConfigError, RerankFailed, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_BATCH = 8
"""Passages of one run: a batch is padded to its longest."""


def cross_encoder(model: str, cache_folder: Path) -> CrossEncoder:
    """Any cross-encoder that fastembed lists; its first use downloads it into ``cache_folder``.

    Raises ``ConfigError`` for a name that fastembed does not know.
    """
    known = {str(entry["model"]).lower(): str(entry["model"]) for entry in TextCrossEncoder.list_supported_models()}
    if model.lower() not in known:
        raise ConfigError(
            f"reranker = 'fastembed:{model}': fastembed has no such cross-encoder{did_you_mean(model.lower(), known)}. "
            "It has:\n  " + "\n  ".join(sorted(known.values()))
        )
    name = known[model.lower()]
    return CrossEncoder(name, lambda: TextCrossEncoder(name, cache_dir=str(cache_folder), threads=1), cache_folder)


class CrossEncoder:
    """An ONNX model that reads question and passage together; loaded when it is first asked. Calls from any thread."""

    def __init__(self, model: str, load: Callable[[], TextCrossEncoder], cache_folder: Path) -> None:
        self.name = f"fastembed/{model.lower()}"
        self._model = model
        self._load = load
        self._cache_folder = cache_folder
        self._loaded: TextCrossEncoder | None = None
        self._missing = ""
        """Why it could not be loaded; not tried again by this process: a download is tried for most of a minute."""
        self._lock = Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's score of each text, unbounded; higher is better. Raises ``RerankFailed``."""
        model = self._ready()
        try:
            return [float(score) for score in model.rerank(query, list(texts), batch_size=_BATCH)]
        except Exception as error:  # onnxruntime's own kinds
            raise RerankFailed(
                f"the reranker fastembed:{self._model} failed: {type(error).__name__}: {error}"
            ) from error

    def _ready(self) -> TextCrossEncoder:
        with self._lock:
            if self._loaded is None and not self._missing:
                try:
                    self._loaded = self._load()
                except Exception as error:  # noqa: BLE001 - fastembed raises whatever its download or onnxruntime raised
                    self._missing = f"{type(error).__name__}: {error}"
            if self._loaded is None:
                raise RerankFailed(
                    f"the reranker fastembed:{self._model} cannot be loaded ({self._missing}). Its first use downloads "
                    f"it into {self._cache_folder}: connect to the network once, or copy that folder"
                )
            return self._loaded
