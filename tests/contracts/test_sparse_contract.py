"""The sparse encoder keeps its protocol, and speaks as fastembed's ``Qdrant/bm25`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from fastembed import SparseTextEmbedding

from indexing.language import STOPWORDS_FOLDER
from indexing.sparse import PAIR_WEIGHT, Bm25Encoder, prepare
from wrac.protocols import SparseEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from wrac.records import SparseVector

TEXT = "The runner was running; she'd never been fined. Error E4711: résumé naïve_value, v2.0!"


def terms(vector: SparseVector) -> set[int]:
    return set(vector.indices.tolist())


def weights(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))


def test_is_a_sparse_encoder(bm25: Bm25Encoder) -> None:
    assert isinstance(bm25, SparseEncoder)


@pytest.mark.parametrize("language", ["en", "de", "zh", "hi", "", "pt-BR", "xx-unknown"])
def test_vectors_are_sorted_and_of_equal_length(bm25: Bm25Encoder, language: str) -> None:
    vectors = bm25.encode([TEXT, "", "漢字 かな"], language)
    assert len(vectors) == 3
    for vector in vectors:
        assert vector.indices.dtype == np.uint32
        assert vector.values.dtype == np.float32
        assert len(vector.indices) == len(vector.values)
        assert np.all(np.diff(vector.indices.astype(np.int64)) > 0)
    assert len(vectors[1].indices) == 0


def test_the_same_text_gives_the_same_vector_in_any_company(bm25: Bm25Encoder) -> None:
    alone = bm25.encode([TEXT], "en")[0]
    among = bm25.encode(["other words", TEXT, "more"], "en")[1]
    assert np.array_equal(alone.indices, among.indices)
    assert np.array_equal(alone.values, among.values)


def test_a_reader_with_fastembed_meets_the_same_terms(bm25: Bm25Encoder, tmp_path: Path) -> None:
    theirs = SparseTextEmbedding("Qdrant/bm25", cache_dir=str(tmp_path), specific_model_path=str(STOPWORDS_FOLDER))
    document = next(iter(theirs.embed([TEXT])))
    ours = weights(bm25.encode([TEXT], "en")[0])
    words = dict(zip(document.indices.tolist(), document.values.tolist(), strict=True))
    assert {index: ours[index] for index in words} == pytest.approx(words)
    query = next(iter(theirs.query_embed("running runners")))
    assert set(query.indices.tolist()) < terms(bm25.encode_query("running runners", "en"))


def test_a_query_weighs_each_term_once(bm25: Bm25Encoder) -> None:
    # reset, password; reset reset, reset password
    query = bm25.encode_query("reset reset RESET the password", "en")
    assert query.values.tolist() == [1, 1, 1, 1]


def test_neighbours_meet_as_a_pair_of_half_the_weight(bm25: Bm25Encoder) -> None:
    document = weights(bm25.encode(["Resetting the passwords takes a minute."], "en")[0])
    alone = terms(bm25.encode_query("reset", "en")) | terms(bm25.encode_query("password", "en"))
    (pair,) = terms(bm25.encode_query("reset password", "en")) - alone
    assert document[pair] == pytest.approx(PAIR_WEIGHT * document[min(alone)])
    assert pair not in terms(bm25.encode_query("password reset", "en"))


def test_lines_make_no_pair(bm25: Bm25Encoder) -> None:
    assert len(terms(bm25.encode(["reset\npassword"], "en")[0])) == 2
    assert len(terms(bm25.encode(["reset password"], "en")[0])) == 3


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "connections", "connected"),
        ("de", "Rechnungen", "Rechnung"),
        ("fr", "continuation", "continuer"),
        ("es", "instalaciones", "instalación"),
        ("ru", "настройками", "настройки"),
        ("tr", "kitaplar", "kitap"),
        ("pt-BR", "configurações", "configuração"),
    ],
)
def test_inflected_words_meet(bm25: Bm25Encoder, language: str, one: str, other: str) -> None:
    assert terms(bm25.encode([one], language)[0]) == terms(bm25.encode_query(other, language)) != set()


def test_function_words_are_left_out(bm25: Bm25Encoder) -> None:
    assert terms(bm25.encode_query("what is the", "en")) == set()
    assert terms(bm25.encode_query("was ist das", "de")) == set()


def test_a_language_without_stemmer_keeps_its_words(bm25: Bm25Encoder) -> None:
    assert terms(bm25.encode(["ustawienia konta"], "pl")[0]) == terms(bm25.encode_query("Ustawienia KONTA", "pl"))


@pytest.mark.parametrize("language", ["zh", "ja", "en", ""])
def test_scripts_without_spaces_meet_inside_a_sentence(bm25: Bm25Encoder, language: str) -> None:
    document = terms(bm25.encode(["请先重置密码然后登录。Use the 管理控制台."], language)[0])
    assert terms(bm25.encode_query("重置密码", language)) <= document
    assert terms(bm25.encode_query("控制台", language)) <= document
    assert not terms(bm25.encode_query("打印机", language)) & document


def test_spaceless_runs_become_pairs() -> None:
    assert prepare("重置密码 ok").split() == ["重置", "置密", "密码", "ok"]
    assert prepare("字").split() == ["字"]
    assert prepare("비밀번호를").split() == ["비밀", "밀번", "번호", "호를"]


def test_marks_do_not_cut_words() -> None:
    # Decomposed and composed spellings are one word; vowel signs of Indic scripts and harakat are dropped.
    assert prepare("re\u0301sume\u0301") == "résumé"
    assert prepare("हिन्दी").split() == ["हनद"]
    assert prepare("مَدْرَسَة") == "مدرسة"


def test_ascii_text_passes_as_it_is() -> None:
    assert prepare(text := "plain ASCII\n- text_1") is text
