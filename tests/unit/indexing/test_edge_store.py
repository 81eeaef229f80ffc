"""What an edge folder holds: as much as local mode would, for one process at a time, and never half a collection."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from edge_points import ENCODERS, FEW_KEYS, Named, point

from indexing import open_store, stamp_of
from indexing.edge.manifest import MANIFEST_FILE, SHARDS_FOLDER, shard_folder
from indexing.edge.store import EdgeStore
from indexing.layout import CollectionLayout
from wrac.config import Settings
from wrac.errors import StoreError, StoreLocked
from wrac.records import ChunkVectors, SparseVector

if TYPE_CHECKING:
    from pathlib import Path

    from wrac.records import Point

OTHER_LAYOUT = CollectionLayout("three/1", 3, "bm25/1")


@pytest.fixture(autouse=True)
def _few_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.edge.store.INDEXED_KEYS", FEW_KEYS)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, store="edge:")


@pytest.fixture
def folder(settings: Settings) -> Path:
    assert settings.store_folder is not None
    return settings.store_folder


def filled(settings: Settings, *texts: str) -> None:
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        store.upsert([point(text) for text in texts])


def test_a_folder_opened_again_holds_what_was_written(settings: Settings) -> None:
    filled(settings, "a", "b")
    with open_store(settings, "docs") as store:
        assert isinstance(store, EdgeStore)
        store.verify(*ENCODERS)
        assert store.site_points("docs") == {point("a").id, point("b").id}


@pytest.mark.parametrize(
    ("store", "place"), [("edge:", "data/edge"), ("edge:near/here", "near/here"), ("edge:~/it", "home/it")]
)
def test_the_address_names_the_folder(store: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    settings = Settings(data_dir=tmp_path / "data", store=store)
    open_store(settings, "docs").close()
    assert (tmp_path / place).is_dir()
    assert settings.store_place.endswith(place)


@pytest.mark.parametrize(("store", "place"), [("", "data/qdrant"), (":memory:", None), ("http://localhost:6333", None)])
def test_other_addresses_name_the_folder_that_they_have(store: str, place: str | None, tmp_path: Path) -> None:
    folder = Settings(data_dir=tmp_path / "data", store=store).store_folder
    assert folder == (None if place is None else tmp_path / place)


def test_a_second_opener_is_refused_and_does_no_harm(settings: Settings, folder: Path) -> None:
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        store.upsert([point("a")])
        with pytest.raises(StoreLocked, match=rf"{folder} is held by process {os.getpid()} "):
            open_store(settings, "docs")
        store.upsert([point("b")])
    with open_store(settings, "docs") as store:
        assert store.count() == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 9, "collections": {}}'])
def test_a_damaged_manifest_is_named_and_nothing_deleted(settings: Settings, folder: Path, content: str) -> None:
    filled(settings, "a")
    (folder / MANIFEST_FILE).write_text(content)
    with pytest.raises(StoreError, match="edge cannot be opened"):
        open_store(settings, "docs")
    assert len(list((folder / SHARDS_FOLDER).iterdir())) == 1


def test_without_its_manifest_a_folder_is_refused_and_nothing_deleted(settings: Settings, folder: Path) -> None:
    """Shards that no manifest speaks of may be all that there is, or belong to somebody else."""
    filled(settings, "a")
    (folder / MANIFEST_FILE).unlink()
    with pytest.raises(StoreError, match=f"edge cannot be opened .*{MANIFEST_FILE} is missing"):
        open_store(settings, "docs")
    assert len(list((folder / SHARDS_FOLDER).iterdir())) == 1


def test_a_damaged_shard_is_named(settings: Settings, folder: Path) -> None:
    filled(settings, "a")
    for state in folder.rglob("segment.json"):
        state.write_text("{")
    with open_store(settings, "docs") as store, pytest.raises(StoreError, match=rf"{folder}: .*segment"):
        store.count()
    open_store(settings, "docs").close()


def test_a_file_in_the_place_of_the_folder_is_named(settings: Settings, folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(StoreError, match="edge cannot be opened"):
        open_store(settings, "docs")


def test_a_collection_whose_making_broke_off_is_made_anew(
    settings: Settings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(settings, "docs") as store, monkeypatch.context() as broken:
        broken.setattr("indexing.edge.engine.EdgeEngine.create_payload_index", breaks_off)
        with pytest.raises(StoreError, match="broke off"):
            store.ensure(*ENCODERS)
    unlisted = shard_folder(folder, "docs--of-nobody")
    unlisted.mkdir()
    (unlisted / "edge_config.json").write_text("{")
    filled(settings, "a")
    with open_store(settings, "docs") as store:
        assert store.count() == 1
    assert not unlisted.exists()


def breaks_off(*_: object, **__: object) -> None:
    raise RuntimeError("broke off")


def test_a_dropped_collection_leaves_no_files(settings: Settings, folder: Path) -> None:
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        spare = store.beside(OTHER_LAYOUT).name
        assert len(list((folder / SHARDS_FOLDER).iterdir())) == 2
        store.drop(spare)
        assert [each.name for each in (folder / SHARDS_FOLDER).iterdir()] == [
            shard_folder(folder, str(store.physical())).name
        ]


def test_names_that_differ_by_case_are_two_collections(settings: Settings) -> None:
    for name, text in (("docs", "a"), ("Docs", "b")):
        with open_store(settings, name) as store:
            store.ensure(*ENCODERS)
            store.upsert([point(text)])
    with open_store(settings, "docs") as store:
        assert store.site_points("docs") == {point("a").id}


def test_deleted_points_stay_away_when_room_is_taken_back(settings: Settings) -> None:
    points = [point(str(number)) for number in range(1500)]
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        store.upsert(points)
        store.delete([each.id for each in points[:900]])
    with open_store(settings, "docs") as store:
        assert store.site_points("docs") == {each.id for each in points[900:]}


def test_a_collection_with_a_graph_finds_what_it_found(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexing.edge.translation.GRAPH_FROM_KILOBYTES", 20)  # 1,200 points have 77 KB
    draw = np.random.default_rng(3)
    points = [random_point(draw, number) for number in range(1200)]
    encoders = (Named("sixteen/1", 16), Named("bm25/1", 0))
    with open_store(settings, "docs") as store:
        store.ensure(*encoders)
        store.upsert(points)
    with open_store(settings, "docs") as store:
        assert store.count() == 1200
        for one in points[::100]:
            assert store.search(one.vectors.dense, one.vectors.sparse, limit=1)[0].point_id == one.id
        store.upsert([point("new", points[0].vectors)])
        assert store.count() == 1201


def test_a_close_that_cannot_write_says_so_and_lets_go(settings: Settings) -> None:
    class Full:
        def optimize(self) -> None:
            raise Exception("No space left on device")  # noqa: TRY002 the engine raises nothing else

    store = open_store(settings, "docs")
    store.ensure(*ENCODERS)
    store._client._shards["docs"] = Full()  # type: ignore[union-attr]
    with pytest.raises(StoreError, match="No space left"):
        store.close()
    assert stamp_of(settings) == ""
    with open_store(settings, "docs") as again:
        assert again.count() == 0


def test_what_the_engine_cannot_store_is_refused_by_name(settings: Settings, folder: Path) -> None:
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        wrong = ChunkVectors(np.ones(3, np.float32), np.ones((1, 3), np.float32), SparseVector(*empty()), ((0, 1),))
        with pytest.raises(StoreError, match=rf"{folder}: .*expected dim: 2, got 3"):
            store.upsert([point("a", wrong)])
        assert store.count() == 0


def empty() -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(0, np.uint32), np.zeros(0, np.float32)


def test_languages_are_counted_anew_after_a_write(settings: Settings) -> None:
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        german, english = point("eins", language="de"), [point("one"), point("two")]
        store.upsert([german])
        assert list(store.languages("docs")) == ["de"]
        store.upsert(english)
        assert list(store.languages("docs")) == ["en", "de"]
        store.generation(str(store.physical())).delete([each.id for each in english])
        assert list(store.languages("docs")) == ["de"]


# ---------------------------------------------------------------- has anybody written?


def test_the_stamp_tells_whether_anybody_wrote(settings: Settings) -> None:
    assert stamp_of(settings) == ""
    filled(settings, "a")
    first = stamp_of(settings)
    with open_store(settings, "docs") as store:
        store.ensure(*ENCODERS)
        assert store.count() == 1
    assert stamp_of(settings) == first != ""
    filled(settings, "a", "b")
    assert stamp_of(settings) not in ("", first)


def test_there_is_no_stamp_while_somebody_writes(settings: Settings, folder: Path) -> None:
    filled(settings, "a")
    with open_store(settings, "docs") as store:
        store.delete([point("a").id])
        assert stamp_of(settings) == ""
    assert stamp_of(settings) != ""
    shutil.rmtree(folder / SHARDS_FOLDER)
    assert stamp_of(settings) == ""


def test_the_manifest_is_readable_by_people(settings: Settings, folder: Path) -> None:
    filled(settings, "a")
    told = json.loads((folder / MANIFEST_FILE).read_text())
    (physical,) = told["collections"]
    assert told["aliases"] == {"docs": physical}
    assert told["collections"][physical]["wrac"]["embedder"] == "two/1"


# ---------------------------------------------------------------- the same answers as local mode


def test_it_answers_as_local_mode_does(settings: Settings, tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    points = [random_point(draw, number) for number in range(300)]
    in_memory = Settings(data_dir=tmp_path, store=":memory:")
    with open_store(in_memory, "docs") as local, open_store(settings, "docs") as edge:
        for store in (local, edge):
            store.ensure(Named("sixteen/1", 16), Named("bm25/1", 0))
            store.upsert(points)
        for _ in range(20):
            asked = random_vectors(draw, 3)
            for filters in (None, {"language": "de"}, {"page_id": ["page-1", "page-2"]}):
                wanted, found = (
                    store.search(asked.dense, asked.sparse, limit=10, site="docs", filters=filters)
                    for store in (local, edge)
                )
                assert [hit.point_id for hit in found] == [hit.point_id for hit in wanted]
                assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], abs=1e-5)
                assert [hit.payload for hit in found] == [without_readers_keys(hit.payload) for hit in wanted]


def without_readers_keys(payload: dict[str, object]) -> dict[str, object]:
    copies = {"metadata", "meta", "_node_content", "_node_type", "content", "document"}
    assert copies <= payload.keys()
    return {key: value for key, value in payload.items() if key not in copies}


def random_point(draw: np.random.Generator, number: int) -> Point:
    language = ("en", "de", "")[number % 3]
    return point(str(number), random_vectors(draw, 8), page=f"page-{number % 10}", language=language)


def random_vectors(draw: np.random.Generator, terms: int) -> ChunkVectors:
    dense = draw.normal(size=16).astype(np.float32)
    dense /= np.linalg.norm(dense)
    indices = np.sort(draw.choice(40, size=terms, replace=False)).astype(np.uint32)
    return ChunkVectors(
        dense, dense[None, :], SparseVector(indices, draw.uniform(0.5, 2, terms).astype(np.float32)), ()
    )
