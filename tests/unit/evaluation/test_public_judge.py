"""The same figures as the public judge's: on a small corpus always, on a real one where the yardsticks are at hand."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
from small_ragmc import DOCUMENTS, write_corpus

from evaluation.baselines.headers import header_chunks
from evaluation.corpora.ragmc import RagMultiCorpus
from evaluation.index import EvaluatedChunk
from evaluation.measures import MEASURES, ndcg_at, precision_at, recall_at, recall_in_budget, reciprocal_rank_at
from evaluation.rankers.bm25 import Bm25Ranker
from evaluation.scores import Examination, joined

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {
    "recall@20tok": partial(recall_in_budget, budget=20),
    "recall@60tok": partial(recall_in_budget, budget=60),
    "recall@3": partial(recall_at, k=3),
    "precision@3": partial(precision_at, k=3),
    "mrr": partial(reciprocal_rank_at, k=6),
    "ndcg@3": partial(ndcg_at, k=3),
    "ndcg@6": partial(ndcg_at, k=6),
}
# What the public judge says of the small corpus's header chunks, each document's first chunk twice.
SAID = {
    "What does processing a loan cost?": (1.0, 1.0, 1.0, 1 / 3, 1.0, 1.0, 1.0),
    "How do I apply for a loan?": (0.0, 0.5, 0.5, 1 / 3, 1.0, 0.6131471927654584, 0.8772153153380493),
    "Is a lost card blocked for free?": (0.0, 1.0, 1.0, 2 / 3, 1.0, 1.0, 1.0),
    "When does the ferry leave from the south pier?": (0.0, 1.0, 1.0, 1 / 3, 1.0, 1.0, 1.0),
    "May dogs and horses travel?": (1.0, 1.0, 1.0, 1 / 3, 1.0, 1.0, 1.0),
}


def examined(root: Path, organisation: str, measures=MEASURES):
    """Scores of the header splitter, and the chunks as the public judge reads them."""
    corpus = RagMultiCorpus(root)
    documents = {file.name: file.read_text(encoding="utf-8") for file in corpus.files(organisation, "md")}
    chunks = [
        EvaluatedChunk(name, chunk)
        for name, text in documents.items()
        for chunk in [*header_chunks(text), header_chunks(text)[0]]
    ]
    scores = Examination(documents, corpus.queries(organisation)).scores(chunks, Bm25Ranker, measures)
    return scores, [{"org": organisation, "filename": c.filename, "text": c.text} for c in chunks]


def judged(yardsticks: Path, tmp_path: Path, chunks: list[dict[str, str]], *options: str):
    file, result = tmp_path / "chunks.jsonl", tmp_path / "judged.json"
    file.write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks), encoding="utf-8")
    script = yardsticks / "ragmc" / "evaluate.py"
    command = [sys.executable, str(script), "--chunks", str(file), "--embedder", "bm25", "--json", str(result)]
    subprocess.run([*command, *options], check=True, capture_output=True, env={"PYTHONHASHSEED": "0"}, timeout=110)
    return json.loads(result.read_text(encoding="utf-8"))


def test_the_small_corpus_is_judged_as_the_public_judge_does(tmp_path):
    root = write_corpus(tmp_path, published=False)
    scores = joined(examined(root, organisation, SMALL)[0] for organisation in DOCUMENTS)
    found = {score.query.text: tuple(score.values.values()) for score in scores.queries}
    assert found == {query: pytest.approx(values, abs=1e-12) for query, values in SAID.items()}
    assert [figures.copies for figures in scores.figures] == [2, 1]
    assert [figures.tokens for figures in scores.figures] == [164, 64]
    assert scores.coverage == 1.0


@pytest.mark.yardsticks
def test_what_is_written_down_here_is_what_the_public_judge_says(yardsticks, tmp_path):
    root = write_corpus(tmp_path / "corpus", published=False)
    chunks = [chunk for organisation in DOCUMENTS for chunk in examined(root, organisation, SMALL)[1]]
    options = ["--data", str(root), "--queries", str(root / "datasets" / "all queries.csv"), "--budgets", "20,60"]
    said = judged(yardsticks, tmp_path, chunks, *options, "--split", ",".join(DOCUMENTS))
    found = {row["query"]: tuple(row[name] for name in SMALL) for row in said["per_query"]}
    assert found == {query: pytest.approx(values, abs=1e-12) for query, values in SAID.items()}


@pytest.mark.yardsticks
def test_a_real_organisation_is_judged_as_the_public_judge_does(yardsticks, tmp_path):
    organisation = "CloudWay-24"
    scores, chunks = examined(yardsticks / "ragmc" / "RAG-Multi-Corpus", organisation)
    said = judged(yardsticks, tmp_path, chunks, "--split", organisation)
    budgets = ("recall@500tok", "recall@1000tok", "recall@2000tok")
    names = (*budgets, "recall@3", "recall@6", "precision@3", "precision@6", "mrr", "ndcg@3", "ndcg@6")
    expected = {row["query"]: tuple(row[name] for name in names) for row in said["per_query"]}
    found = {score.query.text: tuple(score.values[name] for name in MEASURES) for score in scores.queries}
    assert found.keys() == expected.keys()
    assert found == {query: pytest.approx(values, abs=1e-9) for query, values in expected.items()}
    overall = said["groups"]["overall"]
    assert [scores.mean(name) for name in MEASURES] == pytest.approx([overall[name] for name in names], abs=1e-9)
    held = said["chunk_stats"][organisation]
    assert (scores.chunks, scores.figures[0].copies) == (held["chunks"], held["duplicates_dropped"])
    assert scores.mean_tokens == pytest.approx(held["mean_tokens"], abs=1e-9)
    assert 100 * (1 - scores.coverage) == pytest.approx(held["source_words_missing_pct"], abs=1e-9)
