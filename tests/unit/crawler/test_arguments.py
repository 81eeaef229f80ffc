"""Spider arguments to a site profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.arguments import profile_from_arguments
from crawler.user_agent import user_agent
from wrac.config import SiteProfile
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_url_needs_no_file() -> None:
    profile = profile_from_arguments({"url": "http://127.0.0.1:8000/d/"})
    assert profile.start_urls == ("http://127.0.0.1:8000/d/",)
    assert profile.name == "127.0.0.1-8000"


def test_every_key_can_be_overridden_in_text() -> None:
    arguments = {"url": "https://x.org/", "max_pages": "7", "delay": "0.5", "sitemap": "false", "deny": "/a/, /b/"}
    profile = profile_from_arguments({**arguments, "allow_private": "docs.internal,10.0.0.0/8"})
    assert (profile.max_pages, profile.delay, profile.sitemap) == (7, 0.5, False)
    assert profile.deny == ("/a/", "/b/")
    assert profile.allow_private == ("docs.internal", "10.0.0.0/8")


def test_files_by_name_with_overrides(tmp_path: Path) -> None:
    (tmp_path / "docs_site.toml").write_text('start_urls = "https://default.org/"\nmax_pages = 5\ndelay = 1.0\n')
    (tmp_path / "other.toml").write_text('start_urls = "https://other.org/"\n')
    assert profile_from_arguments({}, tmp_path).start_urls == ("https://default.org/",)
    assert profile_from_arguments({"site": "other"}, tmp_path).name == "other"
    changed = profile_from_arguments({"max_pages": "9"}, tmp_path)
    assert (changed.max_pages, changed.delay, changed.name) == (9, 1.0, "docs_site")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "docs_site.toml does not exist"),
        ({"site": "other"}, "other.toml"),
        ({"site": "../etc"}, "site name"),
        ({"url": "ftp://x/"}, "ftp://x/"),
        ({"url": "https://x.org/", "site": "y"}, "not both"),
        ({"url": "https://x.org/", "maxpages": "3"}, "there is no key maxpages; did you mean max_pages"),
        ({"ulr": "https://me:s3cret@x.org/"}, "^ulr=https://x.org/: there is no key ulr; did you mean url"),
        ({"url": "https://x.org/", "start_urls": "z"}, "start_urls"),
        ({"url": "https://x.org/", "max_pages": "many"}, "max_pages"),
    ],
)
def test_mistakes_are_configuration_errors(tmp_path: Path, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        profile_from_arguments(arguments, tmp_path)


def test_a_wrong_override_of_a_file_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "docs_site.toml").write_text('start_urls = "https://default.org/"\n')
    with pytest.raises(ConfigError, match=r"^the configuration is not valid:\n  max_pages \(command line\): "):
        profile_from_arguments({"max_pages": "0"}, tmp_path)


def test_the_user_agent_is_honest() -> None:
    profile = SiteProfile.model_validate({"start_urls": "https://x.org/"})
    assert user_agent(profile).startswith("wrac/")
    assert "+https://" in user_agent(profile)
    named = profile.model_copy(update={"contact": "https://ops.example.org/\r\nX-Evil: 1"})
    assert "+https://ops.example.org/ X-Evil: 1)" in user_agent(named)
    assert "\r" not in user_agent(named)
