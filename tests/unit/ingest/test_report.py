"""What a report says of runs that are known to the last detail."""

from __future__ import annotations

from decimal import Decimal

import pytest
from made_up_runs import BASE, MadeUpSite, page_of

from ingest.ledger.bills import Purpose, Spending
from ingest.ledger.rows import RunState
from ingest.report.gather import build_report
from ingest.report.records import Bounds, Mark, Topic
from wrac.records import Outcome, Usage

HARBOUR = page_of("Harbour", "Ships of any size may enter the harbour by day and by night, in all weathers.")
FEES = page_of("Fees", "The fee is twelve crowns for each night at the quay.", "Fishermen of the island pay nothing.")
DEARER = page_of(
    "Fees", "The fee is fourteen crowns for each night at the quay.", "Fishermen of the island pay nothing."
)
RULES = (
    "Every captain who wants to pass the narrows must report to the pilot house at least two hours before and wait "
    "for the green lamp on the southern tower."
)


@pytest.fixture
def site(tmp_path):
    made = MadeUpSite(tmp_path)
    yield made
    made.ledger.close()


def report_of(site, run, bounds=None):
    return build_report(site.ledger, site.archive, run, bounds)


def urls(report, topic):
    return [note.url.removeprefix(BASE) for note in report.lists[topic].pages]


def test_a_first_run_is_all_new(site):
    report = report_of(site, site.run({"harbour": HARBOUR, "fees": FEES}))
    assert urls(report, Topic.NEW) == ["fees", "harbour"]
    assert report.outcomes["indexed"].total == 2
    assert all(report.lists[topic].total == 0 for topic in Topic if topic is not Topic.NEW)


def test_a_changed_page_is_shown_word_by_word(site):
    site.run({"harbour": HARBOUR, "fees": FEES})
    report = report_of(site, site.run({"fees": DEARER}))
    assert urls(report, Topic.CHANGED) == ["fees"]
    (note,) = report.lists[Topic.CHANGED].pages
    assert note.diff is not None
    assert (note.diff.words_removed, note.diff.words_added) == (1, 1)
    marked = [p for hunk in note.diff.hunks for line in hunk.lines for p in line.pieces if p.mark is not Mark.SAME]
    assert [(p.mark, p.text.strip()) for p in marked] == [(Mark.REMOVED, "twelve"), (Mark.ADDED, "fourteen")]


def test_the_version_before_is_the_last_one_however_long_ago(site):
    site.run({"fees": FEES})
    site.run({"harbour": HARBOUR})
    site.run({"harbour": page_of("Harbour", "Closed.")})
    report = report_of(site, site.run({"fees": DEARER}))
    assert urls(report, Topic.CHANGED) == ["fees"]


def test_points_are_kept_added_and_removed(site):
    body = [f"<h2>Part {n}</h2><p>{'lamp quay tower crane rope ' * 20}{n}</p>" for n in range(4)]
    site.run({"long": page_of("Long", *body)})
    body[2] = "<h2>Part 2</h2><p>" + "sail mast keel oar anchor " * 20 + "</p>"
    report = report_of(site, site.run({"long": page_of("Long", *body)}, figures={"embedded": 1, "reused": 3}))
    assert report.reuse.points_added == report.reuse.points_removed == 1
    assert report.reuse.points_kept >= 3
    assert (report.reuse.embedded, report.reuse.reused) == (1, 3)


def test_the_same_text_under_a_new_url_has_moved(site):
    site.run({"old/fees": FEES, "harbour": HARBOUR})
    report = report_of(site, site.run({"new/fees": FEES}, withdraw={"old/fees": ""}))
    (note,) = report.lists[Topic.MOVED].pages
    assert (note.url, note.other_url) == (f"{BASE}new/fees", f"{BASE}old/fees")
    assert not urls(report, Topic.NEW)
    assert not urls(report, Topic.GONE)


def test_a_page_that_another_one_stands_for_now_has_moved_there(site):
    site.run({"fees": FEES, "harbour": HARBOUR})
    report = report_of(site, site.run({}, withdraw={"fees": "harbour"}))
    (note,) = report.lists[Topic.MOVED].pages
    assert (note.url, note.other_url) == (f"{BASE}harbour", f"{BASE}fees")


def test_a_page_that_moved_while_its_old_url_is_still_waited_for(site):
    """A first 404 withdraws nothing: the old URL goes runs after the new one came."""
    site.run({"old": FEES, "harbour": HARBOUR})
    came = site.run({"new": FEES}, ends={"old": (Outcome.GONE, "404")}, decide={"old": ("missing", "not found", "404")})
    (note,) = report_of(site, came).lists[Topic.MOVED].pages
    assert (note.url, note.other_url) == (f"{BASE}new", f"{BASE}old")
    went = site.run({}, withdraw={"old": ""})
    (note,) = report_of(site, went).lists[Topic.MOVED].pages
    assert (note.url, note.other_url) == (f"{BASE}new", f"{BASE}old")


def test_a_passage_that_went_to_another_page_is_found_there(site):
    site.run({"fees": page_of("Fees", "Twelve crowns a night.", RULES), "harbour": HARBOUR})
    report = report_of(
        site,
        site.run(
            {
                "fees": page_of("Fees", "Twelve crowns a night."),
                "harbour": page_of("Harbour", "Ships of any size may enter the harbour by day.", RULES),
            }
        ),
    )
    (note,) = report.lists[Topic.MOVED].pages
    assert (note.url, note.other_url) == (f"{BASE}harbour", f"{BASE}fees")
    assert note.reason.startswith("1 passage of the text")


def test_a_page_that_is_gone_says_on_what_evidence(site):
    site.run({"fees": FEES, "harbour": HARBOUR})
    run = site.run({}, withdraw={"fees": ""}, decide={"fees": ("tombstone", "not found again", "404 in 2 runs")})
    (note,) = report_of(site, run).lists[Topic.GONE].pages
    assert (note.reason, note.evidence) == ("not found again", "404 in 2 runs")
    assert note.points_removed == 1


def test_doubt_and_failure_are_told_apart(site):
    site.run({"fees": FEES, "harbour": HARBOUR})
    run = site.run(
        {},
        ends={
            "fees": (Outcome.HTTP_ERROR, "503 Service Unavailable"),
            "harbour": (Outcome.LOGIN_WALL, "asks for a password"),
            "never-seen": (Outcome.UNREACHABLE, "timed out"),
        },
        decide={"fees": ("keep", "an error of the server", "503 Service Unavailable")},
    )
    report = report_of(site, run)
    assert [(n.url.removeprefix(BASE), n.reason) for n in report.lists[Topic.KEPT].pages] == [
        ("fees", "an error of the server"),
        ("harbour", "login-wall: asks for a password"),
    ]
    assert [(n.url.removeprefix(BASE), n.reason) for n in report.lists[Topic.FAILED].pages] == [
        ("never-seen", "unreachable: timed out")
    ]


def test_what_the_loss_guard_held_back_is_listed_withdrawals_first(site):
    site.run({"fees": FEES, "harbour": HARBOUR})
    decide = {"harbour": ("update", "content changed", ""), "fees": ("tombstone", "not found again", "404")}
    report = report_of(site, site.run({}, decide=decide, state=RunState.HELD_BACK))
    assert [(n.url.removeprefix(BASE), n.reason) for n in report.lists[Topic.WAITING].pages] == [
        ("fees", "tombstone: not found again"),
        ("harbour", "update: content changed"),
    ]
    assert not urls(report, Topic.GONE)


def test_only_another_title_is_a_refreshed_page(site):
    site.run({"fees": FEES})
    report = report_of(site, site.run({"fees": FEES.replace("<title>Fees", "<title>All fees")}))
    assert urls(report, Topic.REFRESHED) == ["fees"]
    assert not urls(report, Topic.CHANGED)


def test_a_page_that_comes_back_is_new(site):
    site.run({"fees": FEES})
    site.run({}, withdraw={"fees": ""})
    run = site.run({"fees": FEES}, decide={"fees": ("restore", "is back", "was withdrawn")})
    (note,) = report_of(site, run).lists[Topic.NEW].pages
    assert note.reason == "is back"


def test_money_stages_and_history(site):
    site.run({"fees": FEES}, figures={"embedded": 5})
    run = site.run({"fees": DEARER}, figures={"embedded": 2, "seconds_embed": 1.5, "seconds_convert": 0.25})
    for dollars in (Decimal("0.002"), Decimal("0.001")):
        site.ledger.bills.add(
            "docs", run.run_id, Spending(Purpose.PLANNING, "gpt", Usage(1000, 100, 50, 2), dollars), "p"
        )
    report = report_of(site, run)
    (cost,) = report.costs
    assert (cost.calls, cost.input_tokens, cost.cached_tokens, cost.output_tokens) == (4, 2000, 200, 100)
    assert cost.dollars == pytest.approx(0.003)
    assert report.seconds == {"embed": 1.5, "convert": 0.25}
    assert [(past.run_id, past.embedded) for past in report.history] == [(1, 5), (2, 2)]
    assert report.history[-1].minutes == pytest.approx(4.2)


def test_a_run_of_long_ago_keeps_its_changes_and_says_what_it_no_longer_lists(site):
    site.run({"fees": FEES, "harbour": HARBOUR})
    old = site.run({"fees": DEARER, "harbour": page_of("Harbour", "Closed for good.")})
    site.run({"fees": FEES}, ends={"harbour": (Outcome.UNCHANGED, "304")})
    report = report_of(site, old)
    assert urls(report, Topic.CHANGED) == ["fees", "harbour"]
    assert report.outcomes["indexed"].total == 2
    assert report.outcomes["indexed"].pages == ()
    assert report.met_later == 2
    assert [past.run_id for past in report.history] == [1, 2], "no run that came later"


def test_lists_are_capped_and_say_how_to_see_all(site):
    pages = {f"page-{n}": page_of(f"Page {n}", f"Lamp number {n} is red.") for n in range(7)}
    report = report_of(site, site.run(pages), Bounds(listed=3))
    found = report.lists[Topic.NEW]
    assert (found.total, len(found.pages), found.left_out) == (7, 3, 4)
    assert found.command == "wrac report docs --run 1 --list new"
    assert report.outcomes["indexed"].left_out == 4


def test_a_damaged_record_costs_its_comparison_and_not_the_report(site):
    site.run({"fees": FEES})
    run = site.run({"fees": DEARER})
    for file in (site.folder / "archive" / "pages").rglob("*.zst"):
        file.write_bytes(b"broken")
    report = report_of(site, run)
    assert urls(report, Topic.CHANGED) == ["fees"]
    assert report.lists[Topic.CHANGED].pages[0].diff is None
