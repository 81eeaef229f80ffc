import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard

from ingest.archive import Damaged, FileArchive, Kind
from wrac.errors import StoreError
from wrac.ids import digest


@pytest.fixture
def archive(tmp_path):
    return FileArchive(str(tmp_path / "archive"))


def files(archive):
    return sorted(path for path in Path(archive.url).rglob("*") if path.is_file())


def test_an_object_is_named_by_its_content(archive):
    key = archive.put(Kind.BODY, b"<h1>Buoy</h1>")
    assert key == digest(b"<h1>Buoy</h1>")
    assert archive.get(Kind.BODY, key) == b"<h1>Buoy</h1>"
    [file] = files(archive)
    assert file.relative_to(archive.url).parts == ("bodies", key[:2], f"{key}.zst")
    assert zstandard.decompress(file.read_bytes()) == b"<h1>Buoy</h1>"


def test_writing_twice_leaves_the_file_alone(archive):
    archive.put(Kind.BODY, b"same")
    [file] = files(archive)
    before = file.stat().st_mtime_ns, file.stat().st_ino
    archive.put(Kind.BODY, b"same")
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


def test_kinds_do_not_share_a_name_space(archive):
    key = archive.put(Kind.BODY, b"x")
    assert archive.has(Kind.BODY, key)
    assert not archive.has(Kind.PAGE, key)
    assert not archive.has(Kind.BODY, "")


def test_a_missing_object_is_said_to_be(archive):
    with pytest.raises(Damaged, match="is missing"):
        archive.get(Kind.BODY, digest("never written"))


@pytest.mark.parametrize(
    "damage",
    [lambda raw: raw[:10], lambda raw: b"", lambda raw: b"no zstd", lambda raw: zstandard.compress(b"other content")],
    ids=["cut short", "empty", "garbage", "other content"],
)
def test_damage_is_found_by_reading_and_mended_by_writing(archive, damage):
    key = archive.put(Kind.BODY, b"precious" * 100)
    [file] = files(archive)
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(Damaged):
        archive.get(Kind.BODY, key)
    assert not archive.has(Kind.BODY, key)
    archive.put(Kind.BODY, b"precious" * 100)
    assert archive.get(Kind.BODY, key) == b"precious" * 100


def test_a_stump_is_mended_by_writing_alone(archive):
    key = archive.put(Kind.BODY, b"precious" * 100)
    [file] = files(archive)
    file.write_bytes(file.read_bytes()[:10])
    archive.put(Kind.BODY, b"precious" * 100)
    assert archive.get(Kind.BODY, key) == b"precious" * 100


def test_a_full_disk_is_said_and_leaves_nothing_half(archive, monkeypatch):
    kept = archive.put(Kind.BODY, b"kept")

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(StoreError, match=r"no space is left for the archive .*archive"):
            archive.put(Kind.BODY, b"too much")
    assert len(files(archive)) == 1
    assert archive.get(Kind.BODY, kept) == b"kept"
    archive.put(Kind.BODY, b"too much")


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        FileArchive(str(tmp_path / "file" / "archive")).put(Kind.BODY, b"x")


def test_an_unknown_protocol_is_a_store_error():
    with pytest.raises(StoreError, match="cannot be opened"):
        FileArchive("nosuch://bucket")


def test_an_object_store_by_url():
    archive = FileArchive("memory://wrac-test/archive")
    key = archive.put(Kind.PAGE, b"{}")
    assert archive.get(Kind.PAGE, key) == b"{}"
    archive.discard(Kind.PAGE, key)
    assert not archive.has(Kind.PAGE, key)
    archive.discard(Kind.PAGE, key)


def test_many_threads_write_the_same_and_other_objects(archive):
    def work(number):
        return [archive.put(Kind.BODY, b"%d" % (n % 7)) for n in range(number, number + 20)]

    with ThreadPoolExecutor(8) as pool:
        keys = {key for found in pool.map(work, range(8)) for key in found}
    assert keys == {digest(b"%d" % n) for n in range(7)}
    assert len(files(archive)) == 7


def test_an_archive_that_cannot_be_opened_is_named_without_its_password():
    with pytest.raises(StoreError, match=r"archive\.test") as caught:
        FileArchive("noprotocol://me:s3cret@archive.test/x")
    assert "s3cret" not in str(caught.value)


def test_stumps_of_writers_killed_long_ago_go_and_those_of_running_writers_stay(archive):
    first = archive.put(Kind.BODY, b"first")
    [file] = files(archive)
    old, young = (file.with_name(f"{file.name}.{name}.part") for name in ("1-0", "2-0"))
    for stump in (old, young):
        stump.write_bytes(b"half of")
    day_before = file.stat().st_mtime - 86_500
    for aged in (old, file):
        os.utime(aged, (day_before, day_before))
    FileArchive(archive.url).get(Kind.BODY, first)
    assert old.exists(), "reading removes nothing"
    file.unlink()
    FileArchive(archive.url).put(Kind.BODY, b"first")
    assert files(archive) == sorted([file, young])
