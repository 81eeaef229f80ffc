"""Opening a collection: a folder held by another process, a broken one, a store that is none."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from mock_qdrant import MockQdrant

from indexing import open_store
from indexing.layout import KEYWORD_KEYS
from indexing.stamp import OWNER_FILE
from wrac.config import Settings
from wrac.errors import ConfigError, StoreError, StoreLocked

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from contextlib import closing
from pathlib import Path
from indexing import open_store
from wrac.config import Settings
sys.argv = ["/usr/bin/scrapy", "crawl", "docs_site", "-a", "url=https://user:secret@docs.example.org/"]
with open_store(Settings(data_dir=Path({folder!r})), "docs"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_locked_folder_names_its_holder_and_the_way_out(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD.format(folder=str(tmp_path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreLocked) as caught:
            open_store(Settings(data_dir=tmp_path), "docs")
        holder.communicate("")
    message = str(caught.value)
    assert f"process {holder.pid} (scrapy crawl docs_site)" in message
    assert "secret" not in message
    assert "docker run -p 127.0.0.1:6333:6333" in message
    assert 'store = "http://localhost:6333"' in message
    open_store(Settings(data_dir=tmp_path), "docs").close()


def test_a_folder_let_go_names_nobody(tmp_path: Path) -> None:
    open_store(Settings(data_dir=tmp_path), "docs").close()
    assert not (tmp_path / "qdrant" / OWNER_FILE).exists()


def test_an_owner_who_is_no_more_is_not_named(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with open_store(settings, "docs"):
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        told = json.dumps({"pid": ended.pid, "command": "wrac crawl"})
        (tmp_path / "qdrant" / OWNER_FILE).write_text(told)
        with pytest.raises(StoreLocked, match=rf"held by (process {os.getpid()} |another process)") as caught:
            open_store(settings, "docs")
    assert "wrac crawl" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"collections": {"a": {"vectors": 7}}, "aliases": {}}'])
def test_a_damaged_folder_is_named(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "qdrant"
    folder.mkdir()
    (folder / "meta.json").write_text(content)
    with pytest.raises(StoreError, match="qdrant cannot be opened"):
        open_store(Settings(data_dir=tmp_path), "docs")


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "qdrant").write_text("")
    with pytest.raises(StoreError, match="qdrant cannot be opened"):
        open_store(Settings(data_dir=tmp_path), "docs")


@pytest.mark.parametrize("store", ["localhost:6333", "ftp://x", "http://", "/var/lib/qdrant"])
def test_a_store_that_is_none_is_refused(tmp_path: Path, store: str) -> None:
    with pytest.raises(ConfigError, match="neither empty nor an http"):
        open_store(Settings(data_dir=tmp_path, store=store), "docs")


def test_a_store_that_is_none_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="x:6333") as caught:
        open_store(Settings(data_dir=tmp_path, store="ftp://me:s3cret@x:6333"), "docs")
    assert "s3cret" not in str(caught.value)


def test_a_folder_that_cannot_be_marked_is_let_go(tmp_path: Path) -> None:
    owner = tmp_path / "qdrant" / OWNER_FILE
    owner.mkdir(parents=True)
    with pytest.raises(StoreError, match="qdrant cannot be opened"):
        open_store(Settings(data_dir=tmp_path), "docs")
    owner.rmdir()
    open_store(Settings(data_dir=tmp_path), "docs").close()


def test_the_key_comes_from_the_environment(tmp_path: Path) -> None:
    with MockQdrant(key="s3cret") as server:
        settings = Settings(data_dir=tmp_path, store=server.url, store_api_key_env="MY_KEY")
        with open_store(settings, "docs", {}) as store, pytest.raises(ConfigError, match="MY_KEY"):
            store.page_points("docs", "page")
        with (
            pytest.warns(UserWarning, match="insecure"),
            open_store(settings, "docs", {"MY_KEY": "s3cret"}) as store,
            pytest.raises(StoreError, match="404") as caught,
        ):
            store.page_points("docs", "page")
    assert "s3cret" not in str(caught.value)


def test_a_foreign_collection_is_left_alone(tmp_path: Path) -> None:
    from qdrant_client import models

    with MockQdrant() as server:
        server.client.create_collection("docs", models.VectorParams(size=4, distance=models.Distance.COSINE))
        with (
            open_store(Settings(data_dir=tmp_path, store=server.url), "docs", {}) as store,
            pytest.raises(StoreError, match=r"'docs' .*was not made by this project: set another `collection`"),
        ):
            store.ensure(Named("words/1", 4), Named("bm25/1", 0))


class Named:
    """The part of an encoder that a layout is made of."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension


def test_a_collection_left_half_made_is_finished(tmp_path: Path) -> None:
    """The alias is made last: without it a crash came between."""
    encoders = (Named("words/1", 4), Named("bm25/1", 0))
    with MockQdrant() as server:
        settings = Settings(data_dir=tmp_path, store=server.url)
        server.faults = []
        with open_store(settings, "docs", {}) as store:
            store.ensure(*encoders)
            physical = server.client.get_aliases().aliases[0].collection_name
            from qdrant_client import models

            gone = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name="docs"))
            server.client.update_collection_aliases([gone])
            store.ensure(*encoders)
        aliases = server.client.get_aliases().aliases
    assert [(alias.alias_name, alias.collection_name) for alias in aliases] == [("docs", physical)]
    assert physical.startswith("docs--words-1-")


def test_indexes_are_made_before_the_first_point(tmp_path: Path) -> None:
    with MockQdrant() as server, open_store(Settings(data_dir=tmp_path, store=server.url), "docs", {}) as store:
        store.ensure(Named("words/1", 4), Named("bm25/1", 0))
        paths = [path for method, path in server.requests if method != "GET"]
    made = [number for number, path in enumerate(paths) if path.endswith("/index")]
    assert len(made) > 10
    assert max(made) < paths.index("/collections/aliases")


def test_a_collection_gets_the_indexes_that_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoders = Named("words/1", 4), Named("bm25/1", 0)

    def indexed(server: MockQdrant) -> int:
        with open_store(Settings(data_dir=tmp_path, store=server.url), "docs", {}) as store:
            before = len(server.requests)
            store.ensure(*encoders)
        return sum(path.endswith("/index") for _, path in server.requests[before:])

    with MockQdrant() as server:
        with monkeypatch.context() as before_there_were_dates:
            old = tuple(key for key in KEYWORD_KEYS if key != "dates")
            before_there_were_dates.setattr("indexing.store.KEYWORD_KEYS", old)
            assert indexed(server) == len(KEYWORD_KEYS) + 1  # with site and fetched_at, without dates
        assert [indexed(server), indexed(server)] == [1, 0]


def test_a_folder_commits_with_one_flush(tmp_path: Path) -> None:
    with open_store(Settings(data_dir=tmp_path), "docs") as store:
        store.ensure(Named("words/1", 4), Named("bm25/1", 0))
    database = next(tmp_path.rglob("storage.sqlite"))
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
