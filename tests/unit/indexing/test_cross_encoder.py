"""Cross-encoders through fastembed: a tiny model of our own, since none of fastembed's can be downloaded in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastembed.common.model_description import ModelSource
from fastembed.rerank.cross_encoder import TextCrossEncoder
from tiny_cross_encoder import write_tiny_cross_encoder

from indexing.cross_encoder import CrossEncoder, cross_encoder
from wrac.errors import RerankFailed
from wrac.protocols import Reranker

if TYPE_CHECKING:
    from pathlib import Path

_TINY = "wrac/counts-pumps"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    folder = tmp_path_factory.mktemp("tiny")
    write_tiny_cross_encoder(folder)
    TextCrossEncoder.add_custom_model(_TINY, sources=ModelSource(hf=_TINY), model_file="model.onnx")
    return CrossEncoder(_TINY, lambda: TextCrossEncoder(_TINY, specific_model_path=str(folder), threads=1), folder)


def test_texts_are_scored_together_with_the_question_in_their_order(tiny: CrossEncoder) -> None:
    texts = ["valve", "a pump and a pump", "pump", *["valve"] * 10, "pump pump pump"]
    # The question says it once itself; fourteen texts are two runs.
    assert list(tiny.scores("which pump", texts)) == [1, 3, 2, *[1] * 10, 4]


def test_no_text_has_no_score(tiny: CrossEncoder) -> None:
    assert list(tiny.scores("pump", [])) == []
    assert isinstance(tiny, Reranker)
    assert tiny.name == "fastembed/wrac/counts-pumps"


def test_a_model_that_cannot_be_loaded_fails_when_asked_and_names_the_next_step(tmp_path: Path) -> None:
    tries = []

    def load() -> TextCrossEncoder:
        tries.append("again")
        raise OSError("no network")

    missing = CrossEncoder("some/model", load, tmp_path)
    for _ in range(2):
        with pytest.raises(
            RerankFailed, match=r"cannot be loaded \(OSError: no network\).*connect to the network once"
        ):
            missing.scores("q", ["text"])
    assert tries == ["again"], "each try may take most of a minute"


def test_a_model_that_breaks_fails(tmp_path: Path) -> None:
    broken = CrossEncoder("some/model", object, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(RerankFailed, match="some/model failed"):
        broken.scores("q", ["text"])


def test_a_known_name_is_taken_in_any_case_and_loads_nothing_yet(tmp_path: Path) -> None:
    assert cross_encoder("xenova/MS-MARCO-MiniLM-L-6-v2", tmp_path).name == "fastembed/xenova/ms-marco-minilm-l-6-v2"
    assert not list(tmp_path.iterdir())
