"""The loss guard: a publish that would take away too much is stopped, and a person or the site puts it right."""

import pytest
from made_up_crawls import SITE, broken, ended, fetched, html, not_found, redirected

from ingest.ledger import Ledger
from ingest.ledger.rows import PageRow, PageState, Publication, RunState
from ingest.loss import Loss, check_loss, measure_loss
from wrac.errors import LossGuard
from wrac.exit_codes import ExitCode, exit_code_for
from wrac.recipe import Recipe
from wrac.records import Outcome

RECIPE = Recipe("filters/1", "rules/1", "layout/1")
FIRST = "2026-01-01T00:00:00+00:00"

# ---------------------------------------------------------------- figures


@pytest.fixture
def ledger(tmp_path):
    with Ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}") as opened:
        yield opened


def publish(ledger, **tokens):
    """Live pages with so many tokens, whose names are their texts."""
    run = ledger.runs.start("docs", first=True, collection="docs", recipe=RECIPE, started_at=FIRST)
    for name, count in tokens.items():
        ledger.pages.save(row(name, tokens=count))
    ledger.pages.flush()
    manifest = ledger.publishes.open_manifest(run, FIRST)
    items = [Publication(name, name, name, "r", (name,), tokens=count) for name, count in tokens.items()]
    ledger.publishes.record("docs", manifest, items, FIRST)


def row(name, state=PageState.GATHERED, tokens=100, **more):
    values = {"record": name, "markdown_digest": name, "run_id": 1, "outcome": Outcome.INDEXED} | more
    return PageRow("docs", name, SITE + name, state, tokens=tokens, **values)


def change(ledger, *rows):
    for changed in rows:
        ledger.pages.save(changed)
    ledger.pages.flush()
    return measure_loss(ledger, "docs")


def leaving(name, **more):
    return row(name, PageState.LEAVING, **more)


TEN = {f"p{n}": 100 for n in range(10)}


def test_nothing_published_is_nothing_lost(ledger):
    assert measure_loss(ledger, "docs") == Loss(0, 0, 0, 0)
    check_loss(ledger, "docs", 0.0)


def test_pages_that_leave_and_pages_that_shrink(ledger):
    publish(ledger, **TEN)
    loss = change(ledger, leaving("p1"), row("p2", record="new", markdown_digest="new", tokens=30))
    assert (loss.pages_before, loss.pages_lost, loss.tokens_before, loss.tokens_lost) == (10, 1, 1000, 170)
    assert (loss.of_pages, loss.of_tokens) == (0.1, 0.17)
    assert loss.examples == (SITE + "p1", SITE + "p2"), "those that lose most first"


def test_growth_elsewhere_makes_up_for_nothing(ledger):
    publish(ledger, **TEN)
    loss = change(ledger, leaving("p1"), row("p2", record="new", markdown_digest="new", tokens=9000))
    assert (loss.pages_lost, loss.tokens_lost) == (1, 100)


def test_a_page_that_moved_is_not_lost(ledger):
    publish(ledger, **TEN)
    loss = change(ledger, leaving("p1"), row("new", markdown_digest="p1"))
    assert (loss.pages_lost, loss.tokens_lost) == (0, 0)


def test_a_page_that_leads_to_another_is_lost_unless_that_holds_as_much(ledger):
    publish(ledger, **TEN)
    assert change(ledger, leaving("p1", variant_of="p2")).pages_lost == 0
    assert change(ledger, leaving("p3", variant_of="p2")).pages_lost == 0, "200 tokens lead to 100: half"
    assert change(ledger, leaving("p4", variant_of="p2")).pages_lost == 3, "300 tokens lead to 100"


def test_where_it_leads_must_be_indexed_itself(ledger):
    publish(ledger, **TEN)
    loss = change(ledger, leaving("p1", variant_of="p2"), leaving("p2"), leaving("p3", variant_of="nowhere"))
    assert loss.pages_lost == 3


@pytest.mark.parametrize(
    ("gone", "limit", "stopped"),
    [(1, 0.0, False), (2, 0.1, True), (2, 0.2, False), (2, 0.19, True), (10, 0.99, True), (10, 1.0, False)],
)
def test_the_limit_is_a_share_and_one_page_may_go(ledger, gone, limit, stopped):
    publish(ledger, **TEN)
    change(ledger, *(leaving(f"p{n}") for n in range(gone)))
    if not stopped:
        check_loss(ledger, "docs", limit)
        return
    with pytest.raises(LossGuard, match=f"would lose {gone} of 10 pages") as stop:
        check_loss(ledger, "docs", limit)
    assert exit_code_for(stop.value) is ExitCode.LOSS_GUARD == 7


def test_the_only_page_is_not_one_of_several(ledger):
    publish(ledger, only=100)
    change(ledger, leaving("only"))
    with pytest.raises(LossGuard):
        check_loss(ledger, "docs", 0.1)


def test_one_page_may_go_even_if_it_holds_most(ledger):
    """A site's changelog, say: it takes proof to go, as any other page does."""
    publish(ledger, **(TEN | {"changelog": 5000}))
    change(ledger, leaving("changelog"))
    check_loss(ledger, "docs", 0.1)


def test_content_alone_is_reason_enough(ledger):
    publish(ledger, **TEN)
    change(ledger, *(row(f"p{n}", record=f"n{n}", markdown_digest=f"n{n}", tokens=40) for n in range(5)))
    with pytest.raises(LossGuard, match=r"0 of 10 pages \(0%\) and 30% of the content; the limit is 10%"):
        check_loss(ledger, "docs", 0.1)


def test_the_message_says_what_to_do(ledger):
    publish(ledger, **TEN)
    change(ledger, leaving("p1"), leaving("p2"))
    with pytest.raises(LossGuard) as stop:
        check_loss(ledger, "docs", 0.1)
    for part in ("wrac publish docs --accept-loss", "loss_guard", SITE + "p1", "Nothing was changed"):
        assert part in str(stop.value)


# ---------------------------------------------------------------- runs


SENTENCE = "Berth {0} takes ships of {0} metres, and its bollard {0} was cast in the year 18{0}."


def berth(n):
    return fetched(f"{n}.html", html(f"Berth {n}", *(SENTENCE.format(n) + f" Ring {i} is worn." for i in range(4))))


@pytest.fixture
def fifty(crawls):
    crawls.crawl(*map(berth, range(50)))
    crawls.collection.forget()
    return crawls


def is_stopped(crawls, summary, points):
    assert crawls.collection.stored == points
    assert not crawls.collection.written
    assert isinstance(summary.error, LossGuard)
    assert summary.state is RunState.HELD_BACK
    assert summary.withdrawn == summary.published == 0
    run = crawls.last_run()
    assert run.state is RunState.HELD_BACK
    assert "the limit is 10%" in run.note
    return True


def answers(n, answer):
    """The site, whose first ``n`` pages give another answer."""
    return [*(answer(f"{i}.html") for i in range(n)), *map(berth, range(n, 50))]


def gone(path):
    return ended(path, Outcome.GONE, "HTTP 410 Gone", 410)


def test_twelve_of_fifty_pages_gone_change_nothing_until_a_person_looked(fifty):
    points = dict(fifty.collection.stored)
    _, summary = fifty.crawl(*answers(12, gone))
    assert is_stopped(fifty, summary, points)
    assert "12 of 50 pages (24%)" in str(summary.error)
    _, summary = fifty.crawl(*answers(12, gone))
    assert is_stopped(fifty, summary, points), "asking again is no looking"
    fifty.options["accept_loss"] = True
    _, summary = fifty.crawl(*answers(12, gone))
    assert (summary.state, summary.withdrawn, summary.error) == (RunState.FINISHED, 12, None)
    assert fifty.collection.paths() == {f"{n}.html" for n in range(12, 50)}


def test_a_site_that_is_mended_has_all_its_pages_after_the_next_run(fifty):
    points = dict(fifty.collection.stored)
    fifty.crawl(*answers(12, gone))
    _, summary = fifty.crawl(*map(berth, range(50)))
    assert summary.state is RunState.FINISHED
    assert summary.outcomes == {Outcome.UNCHANGED: 50}
    assert fifty.collection.stored == points
    assert not fifty.collection.written
    assert {row.state for row in fifty.rows().values()} == {PageState.LIVE}


def test_after_a_run_that_was_held_back_doubt_takes_nothing_away(fifty):
    """The 410 answers were never acted upon; the server is down now."""
    points = dict(fifty.collection.stored)
    fifty.crawl(*answers(12, gone))
    _, summary = fifty.crawl(*answers(50, broken))
    assert summary.state is RunState.FINISHED
    assert summary.kept == {Outcome.HTTP_ERROR: 50}
    assert fifty.collection.stored == points
    _, summary = fifty.crawl()
    assert fifty.collection.stored == points


def test_what_changed_waits_with_what_would_be_lost(fifty):
    """Nothing is published in part: new text appears when the run is accepted, or the site mended."""
    news = fetched("news.html", html("News", "The north mole is closed on Sunday."))
    fifty.crawl(*answers(12, gone), news)
    assert "north mole" not in fifty.collection.text()
    embedded = list(fifty.collection.embedded)
    _, summary = fifty.crawl(*map(berth, range(50)), news)
    assert summary.published == 1
    assert "north mole" in fifty.collection.text()
    assert fifty.collection.embedded == embedded, "what was embedded is not paid for twice"


def test_five_of_fifty_may_go(fifty):
    _, summary = fifty.crawl(*answers(5, gone))
    assert (summary.state, summary.withdrawn) == (RunState.FINISHED, 5)


def test_a_redesign_that_empties_every_page_changes_nothing(fifty):
    points = dict(fifty.collection.stored)
    shells = [fetched(f"{n}.html", html(f"Berth {n}", "Loading.")) for n in range(50)]
    for _ in range(2):
        _, summary = fifty.crawl(*shells)
        assert fifty.collection.stored == points
        assert sum(summary.kept.values()) == 50
    _, summary = fifty.crawl(*map(berth, range(50)))
    assert summary.outcomes == {Outcome.UNCHANGED: 50}
    assert not fifty.collection.written


def test_a_redesign_that_leaves_a_third_of_every_page_is_stopped(fifty):
    """Each page for itself has content enough; all of them together lose too much."""
    points = dict(fifty.collection.stored)
    thirds = [fetched(f"{n}.html", html(f"Berth {n}", SENTENCE.format(n) + " Ring 0 is worn.")) for n in range(50)]
    _, summary = fifty.crawl(*thirds)
    assert is_stopped(fifty, summary, points)
    assert "0 of 50 pages" in str(summary.error)
    _, summary = fifty.crawl(*map(berth, range(50)))
    assert summary.state is RunState.FINISHED
    assert fifty.collection.stored == points
    assert {row.state for row in fifty.rows().values()} == {PageState.LIVE}


@pytest.mark.parametrize("missing", [None, ""], ids=["not probed", "probed"])
def test_all_pages_redirecting_to_the_home_page_are_stopped(fifty, missing):
    home = fetched("", html("Harbour", "The handbook of the harbour."))
    fifty.crawl(home, *map(berth, range(50)))
    points = dict(fifty.collection.stored)
    fifty.collection.forget()
    for _ in range(3):
        _, summary = fifty.crawl(home, *(redirected(f"{n}.html", "") for n in range(50)), missing=missing)
        assert fifty.collection.stored == points
    assert is_stopped(fifty, summary, points)


def test_all_pages_answering_404_are_stopped(fifty):
    points = dict(fifty.collection.stored)
    _, summary = fifty.crawl(*answers(50, not_found))
    assert summary.missing == 50
    _, summary = fifty.crawl(*answers(50, not_found))
    assert is_stopped(fifty, summary, points)
    assert summary.missing == 0, "no further look withdraws them, only a person"


def test_all_pages_set_to_noindex_are_stopped(fifty):
    points = dict(fifty.collection.stored)
    head = "<meta name=robots content=noindex>"
    _, summary = fifty.crawl(*(fetched(f"{n}.html", html("Berth", "Soon.", head=head)) for n in range(50)))
    assert is_stopped(fifty, summary, points)


def test_a_site_that_moved_every_page_is_no_loss(fifty):
    moved = [fetched(f"v2/{n}.html", berth(n).body) for n in range(50)]
    _, summary = fifty.crawl(*(redirected(f"{n}.html", f"v2/{n}.html") for n in range(50)), *moved)
    assert (summary.state, summary.error) == (RunState.FINISHED, None)
    assert fifty.collection.paths() == {f"v2/{n}.html" for n in range(50)}
    assert fifty.collection.embedded == []
