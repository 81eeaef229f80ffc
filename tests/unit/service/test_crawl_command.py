"""``wrac crawl`` becomes Scrapy's crawl of the same target."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from service.cli import crawl as command


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("target", "argument"),
    [
        ("https://docs.example.org/en/", "url=https://docs.example.org/en/"),
        ("HTTP://docs.example.org", "url=HTTP://docs.example.org"),
        ("docs.example.org", "url=docs.example.org"),
        ("docs.example.org/en", "url=docs.example.org/en"),
        ("localhost:8000", "url=localhost:8000"),
        ("handbook", "site=handbook"),
        ("handbook_v2-beta", "site=handbook_v2-beta"),
    ],
)
def test_a_target_is_a_url_or_the_name_of_a_site(target: str, argument: str) -> None:
    arguments, _ = command.scrapy_command(target, [], {})
    assert arguments[-2:] == ["-a", argument]


def test_a_profile_wins_over_a_host_of_the_same_name() -> None:
    Path("sites").mkdir()
    Path("sites/docs.example.org.toml").touch()
    arguments, _ = command.scrapy_command("docs.example.org", [], {})
    assert arguments[-1] == "site=docs.example.org"


def test_without_a_target_the_default_profile_is_crawled() -> None:
    arguments, _ = command.scrapy_command("", [], {})
    assert arguments == [sys.executable, "-P", "-m", "scrapy", "crawl", "docs_site"]


def test_the_settings_are_ours_whatever_project_the_folder_belongs_to() -> None:
    _, environment = command.scrapy_command("handbook", [], {"SCRAPY_SETTINGS_MODULE": "their.settings", "HOME": "/h"})
    assert environment == {"SCRAPY_SETTINGS_MODULE": "crawler.settings", "HOME": "/h"}


def test_keys_of_the_profile_are_passed_as_spider_arguments() -> None:
    arguments, _ = command.scrapy_command("handbook", ["max_pages=50", "delay=0"], {})
    assert arguments[-6:] == ["-a", "site=handbook", "-a", "max_pages=50", "-a", "delay=0"]
