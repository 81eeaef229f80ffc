"""LangChain, LlamaIndex and Haystack read a collection at their defaults, in an environment of their own."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from mock_embeddings import DIMENSION, vector_of
from mock_qdrant import MockQdrant

from indexing import PageFacts, build_points, open_store, sync_page, vectors_for, with_names
from indexing.language import STOPWORDS_FOLDER
from wrac.config import Settings
from wrac.ids import digest, page_id
from wrac.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from indexing.sparse import Bm25Encoder

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-frameworks"
FRAMEWORKS = (
    "langchain-qdrant==1.1.0",
    "llama-index-vector-stores-qdrant==0.10.4",
    "qdrant-haystack==13.1.0",
    "fastembed>=0.7",
)
RED, PAPER, BLUE = "Press the red button twice.", "The error E4711 means no paper.", "The blue button is new."
READERS = ("langchain", "llama_index", "haystack")

pytestmark = [pytest.mark.requires("registry"), pytest.mark.timeout(900)]


class WordEmbedder:
    """Bags of words."""

    name, dimension, max_tokens, languages = "words/1", DIMENSION, 1000, None

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        return vector_of(text)

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


@pytest.fixture(scope="module")
def python() -> Path:
    """The interpreter of an environment with the frameworks, made where it is missing or has other versions."""
    stamp = ENVIRONMENT / "frameworks.json"
    interpreter = ENVIRONMENT / "bin" / "python"
    if not stamp.exists() or json.loads(stamp.read_text()) != list(FRAMEWORKS):
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        command = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *FRAMEWORKS]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=800)
        assert done.returncode == 0, done.stderr[-2000:]
        stamp.write_text(json.dumps(FRAMEWORKS))
    return interpreter


@pytest.fixture(scope="module")
def server(bm25: Bm25Encoder, tmp_path_factory: pytest.TempPathFactory) -> Generator[MockQdrant]:
    """A collection of two pages in two versions; one chunk is oversized."""
    embedder = WordEmbedder()
    with MockQdrant() as running:
        settings = Settings(data_dir=tmp_path_factory.mktemp("data"), store=running.url)
        with open_store(settings, "docs", {}) as store:
            store.ensure(embedder, bm25)
            for version, texts in (("1", (RED, PAPER)), ("2", (BLUE,))):
                url = f"https://docs.example.org/{version}/a.html"
                chunks = [chunk(text, number) for number, text in enumerate(texts)]
                page = PageFacts(
                    site="docs",
                    page_id=page_id(url),
                    url=url,
                    title="A guide",
                    fetched_at=dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
                    language="en",
                    version=version,
                )
                vectors = vectors_for([c.embed_text for c in chunks], "en", embedder, bm25, window_tokens=24)
                assert any(len(each.spans) > 1 for each in vectors)
                named = with_names(page, chunks, vectors, bm25)
                sync_page(store, "docs", page.page_id, build_points(page, chunks, named))
        yield running


def chunk(text: str, number: int) -> Chunk:
    return Chunk(
        text=text,
        embed_text=f"Guide\n{text}",
        heading_path=("Guide",),
        breadcrumb="Guide",
        unit_ids=("u1",),
        kind="section",
        fragment="top",
        ordinal=number,
        tokens=6,
        digest=digest(text),
    )


@pytest.fixture(scope="module")
def answers(python: Path, server: MockQdrant, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    question = {"vector": vector_of("red").tolist(), "word": "E4711", "version": "2"}
    command = [python, ROOT / "tests/support/read_with_frameworks.py", server.url, "docs", STOPWORDS_FOLDER]
    done = subprocess.run(
        command,
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={"HOME": str(tmp_path_factory.mktemp("home")), "PATH": str(Path(sys.executable).parent)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("reader", READERS)
def test_the_text_and_the_facts_are_read(answers: dict[str, Any], reader: str) -> None:
    answer = answers[reader]
    assert answer["text"] == RED
    assert answer["metadata"]["source"] == "https://docs.example.org/1/a.html#top"
    assert (answer["metadata"]["site"], answer["metadata"]["title"]) == ("docs", "A guide")


@pytest.mark.parametrize("reader", READERS)
def test_a_filter_narrows(answers: dict[str, Any], reader: str) -> None:
    assert answers[reader]["filtered"] == [BLUE]


def test_langchain_finds_by_word_in_hybrid_mode(answers: dict[str, Any]) -> None:
    assert answers["langchain"]["hybrid"] == PAPER


def test_llama_index_knows_the_page(answers: dict[str, Any]) -> None:
    assert answers["llama_index"]["page"] == page_id("https://docs.example.org/1/a.html")
