"""A folder of profiles: one that is broken stops no other, and changes are seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from service.schedule.profiles import ProfileFolder, read_profiles

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'start_urls = ["https://docs.example.org/"]\n'


@pytest.mark.parametrize(
    "content", [b"start_urls = [", b"\xff", b'schedule = "0 3 * * *"\n', GOOD.encode() + b'schedule = "0 3 * *"\n']
)
def test_a_broken_profile_is_named_and_stops_no_other(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_bytes(content)
    (tmp_path / "c.toml").write_text(GOOD + 'schedule = "0 3 * * *"\n')
    (tmp_path / "c.canaries.csv").write_text("query,url\n")
    profiles = read_profiles(tmp_path)
    assert list(profiles.by_name) == ["a", "c"]
    assert list(profiles.problems) == ["b"]
    assert "b.toml" in profiles.problems["b"]


def test_two_profiles_of_one_site_are_a_problem_of_the_second(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(GOOD + 'name = "docs"\n')
    (tmp_path / "docs.toml").write_text(GOOD)
    profiles = read_profiles(tmp_path)
    assert list(profiles.by_name) == ["a"]
    assert "a.toml" in profiles.problems["docs"]


def test_a_folder_that_does_not_exist_has_no_profiles(tmp_path: Path) -> None:
    assert read_profiles(tmp_path / "sites") == read_profiles(tmp_path)


def test_files_that_come_go_and_change_are_seen_and_nothing_else(tmp_path: Path) -> None:
    folder = ProfileFolder(tmp_path)
    assert folder.refresh()
    assert not folder.refresh()
    file = tmp_path / "a.toml"
    file.write_text(GOOD)
    assert folder.refresh()
    assert list(folder.current.by_name) == ["a"]
    assert not folder.refresh()
    file.write_text(GOOD + 'schedule = "0 3 * * *"\n')
    assert folder.refresh()
    assert folder.current.by_name["a"].schedule == "0 3 * * *"
    os.utime(file, ns=(1, 1))
    assert folder.refresh()
    (tmp_path / "notes.txt").write_text("no profile")
    assert not folder.refresh()
    file.unlink()
    assert folder.refresh()
    assert folder.current.by_name == {}
