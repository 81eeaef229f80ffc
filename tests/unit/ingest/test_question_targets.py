"""What an expected URL or quote means, in a site that was crawled."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, Crawls, fetched, html, redirected

from ingest.archive import FileArchive
from ingest.ledger import Ledger
from ingest.questions import Question, Targets
from ingest.questions.quotes import says
from ingest.questions.targets import is_answered_by
from wrac.config import Settings
from wrac.records import Hit

LONG = "The harbour office keeps a list of all berths, and of the ships that lie there, for the port's own use. " * 30
"""More tokens than a chunk may have, so that sections with it are never joined."""
SECTIONS = (
    f"<html lang=en><title>Keys</title><main><h1 id=keys>Keys</h1><p>Keys open locks. {LONG}</p>"
    f"<h2 id=rotate>Rotate</h2><p>Turn the key once. {LONG}</p><h3 id=twice>Twice</h3><p>Turn it twice. {LONG}</p>"
    f"<h2 id=lose>Lose</h2><p>A lost key is gone. {LONG}</p></main>"
).encode()


@pytest.fixture
def targets(crawls):
    copy = html("Copy", LONG)
    crawls.crawl(
        fetched("keys.html", SECTIONS),
        fetched("guide/copy.html", copy),
        fetched("guide/print.html", copy.replace(b"</title>", b"</title><link rel=canonical href=/guide/copy.html>")),
        redirected("old.html", "keys.html"),
    )
    settings = Settings(**crawls.settings)
    with Ledger(settings.ledger_url) as ledger:
        yield Targets(ledger, FileArchive(settings.archive_url), ["docs"])


@pytest.fixture
def hits(targets, crawls):
    """Every chunk of the site as a hit, by its first words under the headings."""
    return [
        Hit(point.id, 1.0, point.payload["page_content"], "", point.payload["source"], "", "docs", point.payload)
        for point in crawls.collection.stored.values()
    ]


def met(targets, hits, url):
    """Fragments, or paths, of the chunks that are meant."""
    target = targets.look_up(url)
    return sorted({hit.url.removeprefix(SITE) for hit in hits if target.is_met_by(hit)})


ALL_KEYS = ["keys.html#keys", "keys.html#lose", "keys.html#rotate", "keys.html#twice"]


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://docs.test/keys.html", ALL_KEYS),
        ("http://docs.test/keys.html?utm_source=x", ALL_KEYS),
        ("/keys.html", ALL_KEYS),
        ("https://docs.test/old.html", ALL_KEYS),
        ("https://docs.test/keys.html#keys", ALL_KEYS),
        ("https://docs.test/keys.html#rotate", ["keys.html#rotate", "keys.html#twice"]),
        ("/keys.html#twice", ["keys.html#twice"]),
        ("https://docs.test/keys.html#nowhere", []),
        ("https://docs.test/guide/print.html", ["guide/copy.html"]),
        ("https://docs.test/guide/*", ["guide/copy.html"]),
        ("/guide/*", ["guide/copy.html"]),
        ("https://docs.test/k*", ALL_KEYS),
        ("https://docs.test/*", ["guide/copy.html", *ALL_KEYS]),
        ("https://docs.test/guide", []),
        ("https://other.test/*", []),
    ],
)
def test_a_url_means_its_page_under_any_name_and_an_anchor_its_section(targets, hits, url, wanted):
    assert met(targets, hits, url) == wanted


def test_a_section_is_met_in_a_chunk_that_begins_before_it(targets):
    """Short sections share a chunk; its own anchor is that of the first."""
    target = targets.look_up("/keys.html#keys")
    [page] = target.pages
    first = targets.record(page).chunks[0]
    assert first.fragment == "keys"
    short = (
        b"<title>Short</title><main><h1 id=a>A</h1><p>One.</p><h2 id=b>B</h2><p>Two.</p><h2 id=c>C</h2><p>Three.</p>"
    )
    crawls = Crawls(targets.archive.url + "-2")
    crawls.crawl(fetched("short.html", short))
    settings = Settings(**crawls.settings)
    with Ledger(settings.ledger_url) as ledger:
        found = Targets(ledger, FileArchive(settings.archive_url), ["docs"])
        [point] = crawls.collection.stored.values()
        hit = Hit(point.id, 1.0, "", "", point.payload["source"], "", "docs", point.payload)
        assert point.payload["source"] == SITE + "short.html#a"
        assert [found.look_up(f"/short.html#{name}").is_met_by(hit) for name in "abcd"] == [True, True, True, False]


def test_the_same_text_on_another_page_is_as_good(targets, hits):
    copy = next(hit for hit in hits if hit.url.endswith("copy.html"))
    elsewhere = Hit("x", 1.0, copy.text, "", SITE + "mirror.html", "", "docs", copy.payload | {"page_id": "another"})
    assert targets.look_up("/guide/copy.html").is_met_by(elsewhere)
    assert not targets.look_up("/keys.html").is_met_by(elsewhere)


def test_without_a_ledger_a_url_is_its_own_page_and_an_anchor_the_chunk_that_begins_there(hits):
    alone = Targets(None, None, ["docs"])
    assert met(alone, hits, "http://docs.test/keys.html/") == ALL_KEYS
    assert met(alone, hits, "/keys.html#rotate") == ["keys.html#rotate"]
    assert met(alone, hits, "/old.html") == []


def test_pages_of_a_document_are_places_in_it():
    payload = {"pages": [2, 3]}
    hit = Hit("x", 1.0, "", "", "file:///care/my%20mesh.pdf#page=2", "", "files", payload)
    alone = Targets(None, None, ["files"])
    urls = ("file:///care/my mesh.pdf", "file:///care/my%20mesh.pdf#page=3", "/care/my%20mesh.pdf#page=2", "/care/*")
    assert all(alone.look_up(url).is_met_by(hit) for url in urls)
    assert not alone.look_up("file:///care/my%20mesh.pdf#page=4").is_met_by(hit)


@pytest.mark.parametrize(
    ("text", "quote", "is_said"),
    [
        ("Turn **the\n  key** once.", "turn the   key once", True),
        ("See [the guide](https://x.test/a) first.", "See the guide first", True),
        ("See [the guide](https://x.test/a) first.", "[the guide](https://x.test/a)", True),
        ("| Berth | Depth |\n|---|---|\n| 4 | 9.5 m |", "Berth Depth", True),
        ("Fish &amp; chips", "fish & chips", True),
        ("Set `max_pages` to 100.", "set max_pages to 10", False),
        ("a stop 100 times", "top 10", False),
        ("请先安装它，再重启。", "安装它", True),
        ("请先安装它，再重启。", "它安装", False),
        ("Turn the key twice.", "Turn the key once", False),
    ],
)
def test_quotes_are_found_however_they_are_laid_out(text, quote, is_said):
    assert says(text, quote) is is_said


def test_a_quote_with_a_url_must_be_said_there(targets, hits):
    question = Question("?", urls=("/keys.html#rotate",), quotes=("Turn it twice.", "lost key", "open locks"))
    looked_up = targets.of(question)
    met = {hit.url.partition("#")[2]: set() for hit in hits if "keys" in hit.url}
    for hit in hits:
        answered = is_answered_by(question, looked_up, hit)
        met.get(hit.url.partition("#")[2], set()).update(place for place in range(3) if answered[place])
    assert met == {"keys": set(), "rotate": set(), "twice": {0}, "lose": set()}, "other sections say the others"
    anywhere = Question("?", quotes=question.quotes)
    assert [any(is_answered_by(anywhere, [], hit)[place] for hit in hits) for place in range(3)] == [True] * 3
