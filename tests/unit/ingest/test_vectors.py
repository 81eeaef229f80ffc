import pytest

from ingest.archive import FileArchive
from ingest.ledger import Ledger
from ingest.vectors import VectorShelf, pack_vectors, unpack_vectors
from wrac.ids import digest

A, B, C = (digest(name) for name in "abc")


@pytest.fixture
def shelves(tmp_path):
    with Ledger(f"sqlite:///{tmp_path}/ledger.sqlite") as ledger:
        archive = FileArchive(str(tmp_path / "archive"))
        yield lambda: VectorShelf(archive, ledger)


def objects(tmp_path):
    return sorted((tmp_path / "archive").rglob("*.zst"))


def test_what_was_kept_is_found_by_a_later_shelf(shelves):
    shelf = shelves()
    shelf[A], shelf[B] = b"va", b"vb"
    assert shelf.fresh == 2
    shelf.keep([A, B, C])
    assert shelf.fresh == 0
    later = shelves()
    assert later.get(A) is None, "nothing is at hand before it was fetched"
    later.fetch([A, C])
    assert (later.get(A), later.get(C)) == (b"va", None)


def test_the_vectors_of_a_page_are_one_object(shelves, tmp_path):
    shelf = shelves()
    shelf[A], shelf[B], shelf[C] = b"va", b"vb", b"vc"
    shelf.keep([A, B])
    assert len(objects(tmp_path)) == 1
    assert shelf.fresh == 1
    shelf.keep([C])
    shelf.keep([A, B, C])
    assert len(objects(tmp_path)) == 2


def test_a_damaged_object_counts_as_not_kept(shelves, tmp_path):
    shelf = shelves()
    shelf[A] = b"va"
    shelf.keep([A])
    objects(tmp_path)[0].write_bytes(b"garbage")
    later = shelves()
    later.fetch([A])
    assert later.get(A) is None
    later[A] = b"va"
    later.keep([A])
    last = shelves()
    last.fetch([A])
    assert last.get(A) == b"va"


def test_dropped_vectors_are_not_kept(shelves):
    shelf = shelves()
    shelf[A] = b"va"
    shelf.drop()
    assert shelf.get(A) is None
    shelf.keep([A])
    later = shelves()
    later.fetch([A])
    assert later.get(A) is None


def test_packing_is_lossless_and_independent_of_order():
    vectors = {A: b"", B: b"\x00" * 9, C: b"vc"}
    assert unpack_vectors(pack_vectors(vectors)) == vectors
    assert pack_vectors(dict(reversed(vectors.items()))) == pack_vectors(vectors)
    assert unpack_vectors(pack_vectors({})) == {}


def test_what_is_no_object_is_a_value_error():
    with pytest.raises(ValueError, match="no vectors"):
        unpack_vectors(b"\x09\x00\x00\x00rest")
