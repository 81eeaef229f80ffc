"""The page of a report: hostile text stays text, nothing is loaded, and it stays small whatever the site."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from made_up_runs import BASE, RECIPE, MadeUpSite, page_of

from ingest.archive import Kind
from ingest.codec import encode
from ingest.identity import identify
from ingest.ledger.rows import PageRow, Publication, RunState
from ingest.report.gather import build_report
from ingest.report.markup import element, link, text
from ingest.report.page import render_html
from ingest.report.records import Topic
from ingest.report.text import render_json
from wrac.records import Outcome

LOADING = frozenset({"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "xlink:href"})
HARMLESS = frozenset(
    """html head meta title style body header nav main section footer div p span h1 h2 h3 a b i br small code ul li
    details summary table thead tbody tr th td ins del figure figcaption svg g line rect text""".split()
)
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


class Reader(HTMLParser):
    """What a browser makes of a page: its elements, attributes, text, and whether every element is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.links, self.texts, self.ids = set(), [], [], [], set()
        self._open = []
        self.feed(html)
        self.close()
        assert self._open == [], "elements that are not closed"

    def handle_starttag(self, tag, attrs):
        self._take(tag, attrs)
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._take(tag, attrs)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def _take(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.links += [value for name, value in attrs if name == "href"]
        self.ids.update(value for name, value in attrs if name == "id")

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture
def site(tmp_path):
    made = MadeUpSite(tmp_path)
    yield made
    made.ledger.close()


def page_for(site, run):
    html = render_html(build_report(site.ledger, site.archive, run))
    reader = Reader(html)
    assert reader.tags <= HARMLESS, reader.tags - HARMLESS
    assert not LOADING.intersection(name for name, _ in reader.attributes)
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert all(link.startswith(("http://", "https://", "#")) for link in reader.links), reader.links
    assert "url(" not in html
    assert "@import" not in html
    return reader


def test_the_page_says_what_happened(site):
    site.run({"fees": page_of("Fees", "Twelve crowns a night at the quay."), "fog": page_of("Fog", "A long blast.")})
    run = site.run(
        {"fees": page_of("Fees", "Fourteen crowns a night at the quay."), "ice": page_of("Ice", "No ship sails.")},
        withdraw={"fog": ""},
        ends={"storm": (Outcome.UNREACHABLE, "timed out")},
        decide={"fog": ("tombstone", "not found again", "404 in two runs")},
        figures={"embedded": 2, "reused": 5, "seconds_embed": 1.25},
        note="The loss guard looked.",
    )
    page = page_for(site, run)
    assert "1 page is new, 1 page changed, 1 page is gone and 1 page failed." in page.words
    assert "2 texts were embedded, 5 vectors reused; nothing was paid." in page.words
    for said in ("404 in two runs", "timed out", "The loss guard looked.", "Fourteen", "Twelve", "1.2 s"):
        assert said in page.words
    targets = {link[1:] for link in page.links if link.startswith("#")}
    assert targets <= page.ids, "links that lead nowhere"
    assert {"changed", "gone", "new", "failed", "outcomes", "outcome-unreachable", "history"} <= page.ids


def test_hostile_pages_stay_text(site):
    site.run({"a": page_of("Quiet", "Nothing yet is said here.")})
    title = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; javascript:x \u202egnp.exe"
    run = site.run(
        {"a": page_of(title, "Now <code>&lt;/div&gt;&lt;script&gt;alert(2)&lt;/script&gt;</code> is said here.")},
        ends={
            'x"onmouseover="alert(3)': (Outcome.FAILED, HOSTILE),
            "y'><svg/onload=alert(4)>": (Outcome.FAILED, "\x00\x1b[31m\ud800"),
        },
        decide={"a": ("update", HOSTILE, HOSTILE)},
        note=HOSTILE,
    )
    page = page_for(site, run)
    assert "<script>alert(2)</script>" in page.words, "shown as it is"
    assert "\\u202e" in page.words, "what reorders text is shown by number"
    assert not set("\u202e\x00\x1b").intersection(page.words)


def test_every_address_that_is_no_web_page_is_text():
    for url in (
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.test/x",
        "https://a b",
        "https:\\evil",
        " https://x.test",
        '#x" onclick="y',
        "",
    ):
        assert "href" not in link(url, "label"), url
    assert link("https://x.test/?a=1&b=2") == (
        '<a href="https://x.test/?a=1&amp;b=2" rel="noreferrer noopener">https://x.test/?a=1&amp;b=2</a>'
    )


def test_text_is_escaped_unless_it_is_markup():
    assert element("p", "<b>", element("b", "x & y"), title='"') == ('<p title="&quot;">&lt;b&gt;<b>x &amp; y</b></p>')
    assert text("\udc80\u200b") == "\\udc80\\u200b"


def test_the_policy_forbids_scripts_and_every_request(site):
    html = render_html(build_report(site.ledger, site.archive, site.run({"a": page_of("A", "Some text.")})))
    before_policy, _, rest = html.partition('http-equiv="Content-Security-Policy" content="')
    assert rest.startswith("default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;; img-src data:;")
    assert "<style" not in before_policy


def test_json_holds_the_same(site):
    site.run({"a": page_of("A", "Twelve crowns a night.")})
    report = build_report(site.ledger, site.archive, site.run({"a": page_of("A", "Ten crowns a night.")}))
    stored = json.loads(render_json(report))
    assert stored["version"] == 1
    assert stored["lists"]["changed"]["total"] == 1
    pieces = [
        p for h in stored["lists"]["changed"]["pages"][0]["diff"]["hunks"] for x in h["lines"] for p in x["pieces"]
    ]
    assert {"mark": "added", "text": "Ten"} in pieces
    assert stored["history"][-1]["run_id"] == 2
    assert render_json(report).isascii()


def test_a_large_site_takes_seconds_and_little_room(site):
    """All of them change, which is the most that a report has to read."""
    count = 2_000
    record = site.record("x", page_of("X", "One crown a night."))
    _publish_all(site, record, count)
    run = _publish_all(site, site.record("x", page_of("X", "Two crowns a night.")), count)
    since = time.process_time()
    report = build_report(site.ledger, site.archive, run)
    html, data = render_html(report), render_json(report)
    assert time.process_time() - since < 20
    assert report.lists[Topic.CHANGED].total == count
    assert report.cleaning.pages == count
    assert len(html) < 1_000_000
    assert len(data) < 1_500_000
    assert "wrac report docs --run 2 --list changed" in html
    assert "1,800 more are not listed here" in html


def _publish_all(site, record, count):
    key = site.archive.put(Kind.PAGE, encode(record))
    run = site.ledger.runs.start(
        "docs", first=False, collection="docs", recipe=RECIPE, started_at="2026-01-05T03:00:00"
    )
    manifest = site.ledger.publishes.open_manifest(run, "now")
    items = []
    for number in range(count):
        url = f"{BASE}part-{number % 100}/page-{number}-{'with-a-long-name-' * 4}"
        row = PageRow("docs", identify(url), url, outcome=Outcome.INDEXED, run_id=run.run_id, title=f"Page {number}")
        site.ledger.pages.save(row)
        items.append(Publication(row.page_id, key, record.document.digest, RECIPE.digest, (f"{number}",)))
    site.ledger.pages.flush()
    for start in range(0, count, 500):
        site.ledger.publishes.record("docs", manifest, items[start : start + 500], "now")
    done = replace(run, state=RunState.FINISHED, counts={"indexed": count})
    site.ledger.runs.update(done)
    return done
