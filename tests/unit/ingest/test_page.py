"""One page through all stages: whatever it holds, one outcome with stage and reason."""

import pickle
from itertools import count

import pytest
from made_up_crawls import SITE, fetched, html

from chunking import validate
from ingest import page as stages
from ingest.gather import GatherTask
from ingest.packed_links import unpack_links
from ingest.page import process_page
from ingest.page_settings import PageSettings
from wrac.errors import ConversionFailed
from wrac.records import Outcome

BUOY = html("Buoy", "The outer buoy shows a green light.", links=["/pilot.html", "https://other.test/"])


def test_a_page_becomes_chunks_of_its_own_text():
    done = process_page(fetched("buoy.html", BUOY), PageSettings())
    assert done.outcome.outcome is Outcome.INDEXED
    assert done.metadata.title == "Buoy"
    record = done.record
    assert "The outer buoy shows a green light." in record.document.text
    assert validate(record.tree, record.plan.groups) == ()
    assert "green light" in "".join(chunk.text for chunk in record.chunks)
    assert [link.url for link in done.links] == [SITE + "pilot.html", "https://other.test/"]


def test_the_same_page_gives_the_same_record():
    assert (
        process_page(fetched("a", BUOY), PageSettings()).record
        == process_page(fetched("a", BUOY), PageSettings()).record
    )


def test_time_is_told_by_stage_from_the_clock_that_is_passed():
    done = process_page(fetched("a", BUOY), PageSettings(), clock=count().__next__)
    assert set(done.seconds) == {"sniff", "clean", "convert", "parse", "plan", "assemble"}
    assert all(seconds == 1 for seconds in done.seconds.values())


def test_markdown_takes_its_own_path():
    text = b"# Buoy\n\nA green light, see [the pilot](pilot.md#when) and <https://other.test/>.\n\n```\n[no](link.md)\n```\n"
    done = process_page(fetched("docs/buoy.md", text, "text/markdown"), PageSettings())
    assert done.outcome.outcome is Outcome.INDEXED
    assert done.metadata.title == "Buoy"
    assert done.record.document.source_kind == "markdown"
    assert [link.url for link in done.links] == [SITE + "docs/pilot.md", "https://other.test/"]


def test_headers_bind_markdown_too():
    page = fetched("buoy.md", b"# Buoy\n\ntext", "text/markdown", robots_tag="noindex", link_canonical=SITE + "b")
    done = process_page(page, PageSettings())
    assert done.outcome.outcome is Outcome.NOINDEX
    assert done.canonical == SITE + "b"


def test_noindex_is_obeyed_unless_the_profile_says_otherwise():
    page = fetched("a", html("A", "text", head="<meta name=robots content=noindex>", links=["/b"]))
    done = process_page(page, PageSettings())
    assert done.outcome.outcome is Outcome.NOINDEX
    assert done.record is None
    assert [link.url for link in done.links] == [SITE + "b"], "its links are followed"
    assert process_page(page, PageSettings(obey_robots=False)).outcome.outcome is Outcome.INDEXED


def test_a_canonical_that_names_the_page_itself_is_none():
    done = process_page(fetched("a", html("A", "text", head="<link rel=canonical href=/a#top>")), PageSettings())
    assert done.canonical == ""


def test_a_page_without_content_still_leads_to_others():
    body = b"<html><body><nav><a href=/a>A</a><a href=/b>B</a></nav></body></html>"
    done = process_page(fetched("", body), PageSettings())
    assert done.outcome.outcome is Outcome.EMPTY
    assert {link.url for link in done.links} == {SITE + "a", SITE + "b"}


def test_a_login_form_instead_of_content_is_a_login_wall():
    body = b"<html><body><main><h1>Sign in</h1><form action=/login><input name=u><input type=password></form></main>"
    done = process_page(fetched("", body), PageSettings())
    assert done.outcome.outcome is Outcome.LOGIN_WALL


@pytest.mark.parametrize("stage", ["clean_page", "build_tree", "assemble"])
def test_whatever_a_stage_raises_is_an_outcome(monkeypatch, stage):
    def broken(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr(stages, stage, broken)
    done = process_page(fetched("a", BUOY), PageSettings())
    assert done.outcome.outcome is Outcome.FAILED
    name = {"clean_page": "clean", "build_tree": "parse", "assemble": "assemble"}[stage]
    assert done.outcome.reason == f"{name}: RecursionError: too deep"


def test_a_page_error_is_told_with_its_stage_and_reason(monkeypatch):
    class Refusing:
        name = "refusing"

        def convert(self, page):
            raise ConversionFailed("no\nway", stage="convert")

    settings = PageSettings()
    settings.__dict__["html_converter"] = Refusing()
    done = process_page(fetched("a", BUOY), settings)
    assert done.outcome.reason == "convert: conversion-failed: no way"


def test_settings_travel_to_workers_and_their_recipe_tells_them_apart():
    settings = PageSettings(keep=(".note",), main="#content")
    assert settings.planner
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert "main=#content" in settings.conversion
    assert settings.conversion != PageSettings().conversion
    assert PageSettings(target_tokens=200).planning != PageSettings().planning


def test_a_worker_keeps_body_and_record_and_hands_back_digests(tmp_path):
    task = pickle.loads(pickle.dumps(GatherTask(PageSettings(), str(tmp_path))))
    done = task(fetched("buoy.html", BUOY))
    assert [link.url for link in unpack_links(done.links)] == [SITE + "pilot.html", "https://other.test/"]
    assert sorted(path.parts[-3] for path in tmp_path.rglob("*.zst")) == ["bodies", "pages"]
    assert done.chunks == 1
    assert len(pickle.dumps(done)) < 2000, "neither body nor chunks travel back"


def test_a_page_that_forbids_following_hands_on_no_link_to_follow(tmp_path):
    body = html("A", "text", head="<meta name=robots content=nofollow>", links=["/b"])
    done = GatherTask(PageSettings(), str(tmp_path))(fetched("a", body))
    assert all(link.nofollow for link in unpack_links(done.links))


def test_a_document_that_cannot_be_read_is_archived_for_the_day_it_can(tmp_path):
    done = GatherTask(PageSettings(), str(tmp_path))(fetched("a.pdf", b"%PDF-1.7 ...", "text/html"))
    assert done.outcome.outcome is Outcome.FAILED
    assert [path.parts[-3] for path in tmp_path.rglob("*.zst")] == ["bodies"]
