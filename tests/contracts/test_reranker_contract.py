"""Every reranker keeps the Reranker protocol: a cross-encoder in this process, and a server's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fastembed.common.model_description import ModelSource
from fastembed.rerank.cross_encoder import TextCrossEncoder
from mock_site import MockSite, Reply
from tiny_cross_encoder import write_tiny_cross_encoder

from indexing.cross_encoder import CrossEncoder
from indexing.remote_reranker import RemoteReranker
from wrac.protocols import Reranker

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from mock_site import Request

_MODEL = "wrac/contract-counts-pumps"


def _counted(request: Request) -> Reply:
    """Best first and not in the order of the passages, as servers answer."""
    scores = [document.count("pump") for document in json.loads(request.body)["documents"]]
    ranked = sorted(enumerate(scores), key=lambda item: -item[1])
    return Reply(json.dumps({"results": [{"index": index, "relevance_score": score} for index, score in ranked]}))


@pytest.fixture(params=["cross-encoder", "server"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Reranker]:
    if request.param == "server":
        with MockSite() as site:
            site.routes["/rerank"] = _counted
            yield RemoteReranker("m", f"{site.url}/rerank", "", "KEY", 20.0)
        return
    write_tiny_cross_encoder(tmp_path)
    if all(entry["model"] != _MODEL for entry in TextCrossEncoder.list_supported_models()):
        TextCrossEncoder.add_custom_model(_MODEL, sources=ModelSource(hf=_MODEL), model_file="model.onnx")
    load = lambda: TextCrossEncoder(_MODEL, specific_model_path=str(tmp_path), threads=1)  # noqa: E731
    yield CrossEncoder(_MODEL, load, tmp_path)


TEXTS = ["valve", "pump pump", "pump", "", "pump pump pump " * 40]


def test_is_a_reranker(reranker: Reranker) -> None:
    assert isinstance(reranker, Reranker)
    assert reranker.name


def test_each_text_has_a_finite_number_in_its_place(reranker: Reranker) -> None:
    scores = np.asarray(reranker.scores("which valve", TEXTS), dtype=float)
    assert scores.shape == (5,)
    assert np.isfinite(scores).all()
    assert np.argsort(-scores, kind="stable").tolist()[:3] == [4, 1, 2]


def test_the_same_again_gives_the_same(reranker: Reranker) -> None:
    assert list(reranker.scores("q", TEXTS)) == list(reranker.scores("q", TEXTS))


def test_nothing_to_rank_is_nothing(reranker: Reranker) -> None:
    assert list(reranker.scores("q", [])) == []
