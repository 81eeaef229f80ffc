"""Which URLs belong to a site."""

from __future__ import annotations

import pytest

from wrac.config import SiteProfile
from wrac.scope import Scope, folder_of


def scope(*start_urls: str, **profile: object) -> Scope:
    return Scope.of(SiteProfile.model_validate({"start_urls": start_urls, **profile}))


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/", "/"),
        ("/en/", "/en/"),
        ("/en/intro.html", "/en/"),
        ("/intro.html", "/"),
        ("/docs", "/docs/"),
        ("/docs/intro", "/docs/"),
        ("/docs/v1.2", "/docs/"),
    ],
)
def test_the_folder_that_a_start_page_stands_for(path: str, folder: str) -> None:
    assert folder_of(path) == folder


def test_host_and_folder_of_the_start_url() -> None:
    site = scope("https://docs.example.org/en/start.html")
    assert "https://docs.example.org/en/a/b" in site
    assert "http://docs.example.org/en/" in site, "the scheme makes no difference"
    assert "https://docs.example.org/en" in site
    assert "https://docs.example.org/english/" not in site
    assert "https://docs.example.org/" not in site
    assert "https://example.org/en/" not in site
    assert "https://docs.example.org:8443/en/" not in site
    assert "https://docs.example.org.evil.example/en/" not in site


def test_allow_replaces_the_folder_and_deny_wins() -> None:
    site = scope("https://docs.example.org/en/", allow=["/en/", "/api/"], deny=["/en/archive/", "/api/old"])
    assert "https://docs.example.org/api/a" in site
    assert "https://docs.example.org/en/archive/1" not in site
    assert "https://docs.example.org/en/archive" not in site
    assert "https://docs.example.org/api/older" not in site, "a prefix without a slash is taken as written"


def test_prefixes_are_written_as_people_write_them() -> None:
    site = scope("https://docs.example.org/", allow=["docs/ü"])
    assert "https://docs.example.org/docs/%C3%BCber" in site


def test_several_start_urls() -> None:
    site = scope("https://a.example.org/x/", "https://b.example.org/y/")
    assert "https://a.example.org/x/1" in site
    assert "https://b.example.org/y/1" in site
    assert "https://a.example.org/y/1" not in site


def test_a_start_url_that_redirects_to_another_host_takes_the_scope_along() -> None:
    site = scope("https://example.org/docs/")
    moved = site.following("https://example.org/docs/", "https://docs.example.org/en/")
    assert "https://docs.example.org/en/a" in moved
    assert "https://docs.example.org/de/a" not in moved
    assert "https://example.org/docs/a" in moved
    assert site.following("https://example.org/docs/", "https://example.org/docs/en/") == site


def test_named_folders_are_kept_when_the_host_changes() -> None:
    site = scope("https://example.org/docs/", allow=["/docs/"])
    moved = site.following("https://example.org/docs/", "https://www.example.org/docs/en/")
    assert "https://www.example.org/docs/a" in moved
    assert "https://www.example.org/shop/" not in moved
