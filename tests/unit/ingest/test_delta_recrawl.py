"""A page that changed, from one crawl to the next: what is embedded, asked, written, and what stays."""

from __future__ import annotations

import pytest
from made_up_crawls import fetched, html
from mock_chat import MockChat
from planning_model import every_section

from ingest.archive import FileArchive, Kind
from ingest.codec import decode
from ingest.gather import GatherJob, GatherTask
from ingest.page import process_page
from ingest.page_records import PageRecord
from ingest.page_settings import PageSettings
from wrac.config import Settings

WORDS = ["tide", "harbour", "lane", "gate", "lamp", "berth", "quay", "depot", "barge", "lodge", "anchor", "rope"]
PATH = "handbook.html"


def paragraph(start: int, count: int = 30) -> str:
    return f"Note {start}: " + " ".join(WORDS[(start * 5 + i * (1 + start % 7)) % len(WORDS)] for i in range(count))


SECTIONS = [(f"Part {n}", [paragraph(10 * n + i) for i in range(7)]) for n in range(12)]


def page(sections=SECTIONS, title="Handbook", ids=True, head="") -> bytes:
    body = "".join(
        f"<h2{f' id=s-{name[-1]}' if ids else ''}>{name}</h2>" + "".join(f"<p>{text}</p>" for text in texts)
        for name, texts in sections
    )
    return (
        html("Handbook", "All about it.", head=head)
        .replace(b"</main>", body.encode() + b"</main>")
        .replace(b"<title>Handbook", f"<title>{title}".encode())
    )


def edited(old: str, new: str):
    return [(name, [text.replace(old, new) for text in texts]) for name, texts in SECTIONS]


@pytest.fixture(params=["rule", "llm"])
def planned(request, crawls):
    """Crawls by either planner, with the requests that the model got."""
    with MockChat(every_section) as chat:
        crawls.profile["planner"] = request.param
        crawls.settings |= {
            "planner_base_url": chat.base_url,
            "planner_model": "mine",
            "planner_retries": 0,
            "prices": {"mine": {"input": 1.0, "output": 4.0}},
        }
        yield crawls, chat.requests


class Change:
    """What the second of two crawls did."""

    def __init__(self, planned, before: bytes, after: bytes) -> None:
        crawls, requests = planned
        crawls.crawl(fetched(PATH, before))
        ids, texts, calls = set(crawls.collection.stored), len(crawls.collection.embedded), len(requests)
        self.first_calls = calls
        _, self.summary = crawls.crawl(fetched(PATH, after))
        self.stored = crawls.collection.stored
        self.embedded = crawls.collection.embedded[texts:]
        self.calls = len(requests) - calls
        self.new, self.gone, self.stayed = set(self.stored) - ids, ids - set(self.stored), ids & set(self.stored)


def test_one_edited_paragraph_costs_one_text_and_no_call(planned):
    change = Change(planned, page(), page(edited("Note 53:", "Note 53, mended:")))
    assert len(change.embedded) == len(change.new) == len(change.gone) == 1
    assert "mended" in change.embedded[0]
    assert change.calls == 0
    assert len(change.stayed) == len(change.stored) - 1 > 10


def test_an_inserted_paragraph_costs_one_call_and_two_texts(planned):
    sections = [
        (name, [*texts[:3], "Put in. " + paragraph(500), *texts[3:]] if n == 5 else texts)
        for n, (name, texts) in enumerate(SECTIONS)
    ]
    change = Change(planned, page(), page(sections))
    assert 1 <= len(change.embedded) <= 2
    assert change.calls <= 1
    assert len(change.gone) <= 1


def test_a_moved_section_is_neither_asked_about_nor_embedded(planned):
    change = Change(planned, page(), page([*SECTIONS[:2], *SECTIONS[3:], SECTIONS[2]]))
    assert (change.embedded, change.calls, change.new, change.gone) == ([], 0, set(), set())


def test_a_renamed_heading_keeps_the_cuts(planned):
    sections = [("Renamed", texts) if name == "Part 5" else (name, texts) for name, texts in SECTIONS]
    before = Change(planned, page(), page(sections))
    texts = {point.payload["content"].replace("## Renamed", "## Part 5") for point in before.stored.values()}
    assert before.calls == 0
    assert all("Renamed" in text for text in before.embedded)
    planned[0].crawl(fetched(PATH, page()))
    assert texts == {point.payload["content"] for point in planned[0].collection.stored.values()}


def test_a_renamed_heading_that_no_chunk_repeats_changes_what_is_embedded_and_no_id(planned):
    """A chunk repeats the headings of levels 1 and 2 and its own; one between them is in its breadcrumb alone."""
    deep = b"<h3>Mooring</h3><h4>By day</h4><p>" + paragraph(1, 220).encode() + b"</p><h4>By night</h4><p>"
    before = page().replace(b"</main>", deep + paragraph(2, 220).encode() + b"</p></main>")
    change = Change(planned, before, before.replace(b"Mooring", b"Berthing"))
    by_day, by_night = change.embedded
    assert "Berthing" in by_day
    assert by_night.startswith("Handbook > Part 11 > Berthing > By night\n")
    assert len(change.new) == len(change.gone) == 1, "the chunk that the heading opens has it in its text"
    assert change.calls == 0


def test_text_of_another_page_is_embedded_once(planned):
    crawls, _ = planned
    crawls.profile["loss_guard"] = 1.0  # half of the one page there was goes to another
    crawls.crawl(fetched(PATH, page()))
    texts = len(crawls.collection.embedded)
    crawls.crawl(fetched("copy.html", page(SECTIONS[:6])), fetched(PATH, page(SECTIONS[6:])))
    added = crawls.collection.embedded[texts:]
    assert len(added) <= 1
    assert all(text.startswith("Handbook\nAll about it.") for text in added), "it may stand before another section now"
    assert crawls.collection.urls() == {"https://docs.test/copy.html", "https://docs.test/handbook.html"}


def test_a_damaged_record_of_the_page_before_costs_the_plan_only(planned):
    crawls, _ = planned
    crawls.crawl(fetched(PATH, page()))
    archive = FileArchive(Settings(**crawls.settings).archive_url)
    archive.discard(Kind.PAGE, crawls.rows()[PATH].record)
    [report], _ = crawls.crawl(fetched(PATH, page(edited("Note 53:", "Note 53, mended:"))))
    assert report.outcome.outcome == "indexed"
    assert any("mended" in point.payload["content"] for point in crawls.collection.stored.values())


# ---------------------------------------------------------------- the worker's part


def gathered(tmp_path, settings: PageSettings, body: bytes, previous: str = ""):
    task = GatherTask(settings, str(tmp_path))
    return task(GatherJob(fetched(PATH, body), previous) if previous else fetched(PATH, body))


def record(tmp_path, key: str) -> PageRecord:
    return decode(PageRecord, FileArchive(str(tmp_path)).get(Kind.PAGE, key))


def test_another_planning_recipe_keeps_no_group(tmp_path):
    body, changed = page(), page(edited("Note 53:", "Note 53, mended:"))
    small, large = PageSettings(), PageSettings(target_tokens=250)
    first = gathered(tmp_path, small, body)
    with_large = gathered(tmp_path, large, changed, first.record)
    assert record(tmp_path, with_large.record).plan == record(tmp_path, gathered(tmp_path, large, changed).record).plan


@pytest.mark.parametrize("previous", ["0" * 32, "not-a-digest"])
def test_a_record_that_is_not_there_keeps_no_group(tmp_path, previous):
    alone, after = gathered(tmp_path, PageSettings(), page()), gathered(tmp_path, PageSettings(), page(), previous)
    assert after.record == alone.record


def test_a_record_says_how_it_was_planned(tmp_path):
    made = gathered(tmp_path, PageSettings(), page())
    assert record(tmp_path, made.record).planning == PageSettings().planning


# ---------------------------------------------------------------- facts


@pytest.mark.parametrize(
    "other",
    [
        page(title="Another title"),
        page(ids=False),
        page(head='<meta name="description" content="All of it">'),
        page().replace(b"lang=en", b"lang=de"),
    ],
    ids=["title", "anchors", "description", "language"],
)
def test_what_a_point_tells_beside_the_text_is_in_the_facts(other):
    one, two = (process_page(fetched(PATH, body), PageSettings()).record for body in (page(), other))
    assert one.document.digest == two.document.digest
    assert one.facts != two.facts


def test_what_no_point_tells_is_not():
    one, two = (
        process_page(fetched(PATH, body), PageSettings()).record
        for body in (page(), page().replace(b"<main>", b"<nav><a href=/>Home</a></nav><main>"))
    )
    assert one.removals != two.removals
    assert one.facts == two.facts


def test_a_changed_title_refreshes_payloads_and_embeds_nothing(planned):
    change = Change(planned, page(), page(title="Another title"))
    assert (change.embedded, change.calls, change.new, change.gone) == ([], 0, set(), set())
    assert {point.payload["title"] for point in change.stored.values()} == {"Another title"}


def test_changed_anchors_refresh_payloads_and_embed_nothing(planned):
    change = Change(planned, page(), page().replace(b"id=s-", b"id=part-"))
    assert (change.embedded, change.calls, change.new, change.gone) == ([], 0, set(), set())
    sources = {point.payload["source"].partition("#")[2] for point in change.stored.values()}
    assert "part-5" in sources
    assert not any(source.startswith("s-") for source in sources)
