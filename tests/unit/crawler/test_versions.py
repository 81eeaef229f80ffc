"""Versions side by side: the newest is kept."""

from __future__ import annotations

import pytest

from crawler.versions import VersionScope

ROOT = "https://docs.example.org"


def scope(*met: str, start: str = f"{ROOT}/") -> VersionScope:
    made = VersionScope("newest", (start,))
    for path in met:
        made.learn(f"{ROOT}{path}")
    return made


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("3.9", "3.10"),
        ("v1", "v2"),
        ("1.2.3", "1.2.10"),
        ("4.x", "5.x"),
        ("5.1", "stable"),
        ("main", "0.1"),
        ("nightly", "latest"),
        ("version-1.0", "version-1.1"),
    ],
)
def test_the_newest_is_kept(older: str, newer: str) -> None:
    for met in ((older, newer), (newer, older)):
        versions = scope(*(f"/en/{name}/intro" for name in met))
        assert versions.superseded(f"{ROOT}/en/{newer}/a") == ""
        assert newer in versions.superseded(f"{ROOT}/en/{older}/a")


def test_each_place_has_its_own_newest() -> None:
    versions = scope("/a/1.0/x", "/b/2.0/x")
    assert versions.superseded(f"{ROOT}/a/1.0/y") == ""


def test_the_version_of_the_start_url_is_meant() -> None:
    versions = scope("/1.0/x", "/2.0/x", start=f"{ROOT}/1.0/")
    assert versions.superseded(f"{ROOT}/1.0/y") == ""
    assert versions.superseded(f"{ROOT}/2.0/y")


@pytest.mark.parametrize(
    "path", ["/a/b", "/2024/05/post", "/chapter/7/x", "/v/x", "/library/3.html", "/release-notes/2.0"]
)
def test_what_is_no_version(path: str) -> None:
    assert scope("/9.9/x", "/a/9.9/x", "/chapter/v8/x", "/release-notes/9.9/x").superseded(f"{ROOT}{path}") == ""


def test_all_versions_by_default() -> None:
    versions = VersionScope("all", (f"{ROOT}/",))
    versions.learn(f"{ROOT}/2.0/x")
    assert versions.superseded(f"{ROOT}/1.0/x") == ""
