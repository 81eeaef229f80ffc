"""The decision about a known page: total, explained, and blind to doubt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.changes import decided
from ingest.ledger.rows import PageRow, PageState
from ingest.recrawl import Action, Observation, Rules, decide, is_due, next_visit
from wrac.config import SiteProfile
from wrac.records import Outcome

NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
SITE = SiteProfile(name="docs", start_urls=("https://docs.test/",))
WITHDRAWN = "2026-02-01T03:00:00+00:00"
CONTENT = (Outcome.INDEXED, Outcome.UNCHANGED)


def row(state: PageState, *, published: bool, misses: int, withdrawn: bool) -> PageRow:
    """A page of 1,000 tokens."""
    page = PageRow(
        "docs", "p1", "https://docs.test/a", state, misses=misses, tombstoned_at=WITHDRAWN if withdrawn else ""
    )
    if not published:
        return page
    return replace(
        page,
        published_markdown="old",
        published_facts="facts",
        published_recipe="recipe",
        published_tokens=1000,
        point_ids=("x", "y"),
        record="r",
    )


ROWS = [
    None,
    *(
        row(state, published=published, misses=misses, withdrawn=withdrawn)
        for state, published, misses, withdrawn in product(PageState, (True, False), (0, 1, 5), (True, False))
    ),
]
SEEN = [
    Observation(
        outcome,
        reason="said so",
        status=status,
        markdown=markdown,
        facts=facts,
        tokens=tokens,
        recipe=recipe,
        elsewhere=elsewhere,
        by_profile=by_profile,
    )
    for outcome, status, by_profile, elsewhere in product(
        Outcome, (0, 200, 404, 410, 503), (True, False), ("", "https://docs.test/b")
    )
    for markdown, facts, recipe, tokens in (
        ("old", "facts", "recipe", 1000),
        ("old", "others", "recipe", 1000),
        ("old", "facts", "another", 1000),
        ("new", "facts", "recipe", 0),
        ("new", "facts", "recipe", 199),
        ("new", "facts", "recipe", 900),
    )
]
RULES = [
    Rules(keep_below=keep_below, missing_runs=runs, accept_loss=accept)
    for keep_below, runs, accept in product((0.0, 0.2), (1, 2), (True, False))
]


def is_proof(page: PageRow, seen: Observation, rules: Rules) -> bool:
    """The evidence on which a page may be withdrawn, worked out from the issue and not from the code."""
    match seen.outcome:
        case Outcome.GONE:
            return seen.status == 410 or page.misses + 1 >= rules.missing_runs
        case Outcome.NOINDEX:
            return True
        case Outcome.OUT_OF_SCOPE | Outcome.LANGUAGE:
            return seen.by_profile
        case Outcome.REDIRECTED | Outcome.DUPLICATE:
            return bool(seen.elsewhere)
    return False


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_combination_has_one_verdict_and_none_withdraws_on_doubt(outcome: Outcome) -> None:
    tried = 0
    for page, seen, rules in product(ROWS, [seen for seen in SEEN if seen.outcome is outcome], RULES):
        verdict = decide(page, seen, rules)
        tried += 1
        published = page is not None and bool(page.point_ids)
        is_withdrawn = verdict.action is Action.TOMBSTONE
        assert is_withdrawn == (published and page is not None and is_proof(page, seen, rules)), (page, seen, rules)
        if verdict.action not in (Action.NEW, Action.PASS):
            assert verdict.reason, "a verdict without a reason explains nothing"
        if seen.outcome not in CONTENT:
            allowed = {Action.KEEP, Action.MISSING, Action.TOMBSTONE} if published else {Action.PASS}
            assert verdict.action in allowed
        elif seen.outcome is Outcome.INDEXED and not published:
            assert verdict.action is (Action.RESTORE if page is not None and page.tombstoned_at else Action.NEW)
    assert tried == len(ROWS) * 120 * len(RULES)


def test_no_row_leaves_by_anything_but_a_tombstone() -> None:
    """What the ledger makes of a verdict: a published page is LEAVING after proof, and after nothing else."""
    for page, seen, rules in product(ROWS[::2], SEEN[::5], RULES[::5]):
        if page is None:
            continue
        verdict = decide(page, seen, rules)
        after = decided(page, verdict, seen.outcome, SITE, NOW)
        assert (after.state is PageState.LEAVING) == (verdict.action is Action.TOMBSTONE)
        assert after.point_ids == page.point_ids, "what is published is the publisher's to change"
        if page.point_ids and verdict.action is not Action.TOMBSTONE:
            assert after.state in (PageState.LIVE, PageState.GATHERED)
        assert after.misses in (0, page.misses, page.misses + 1)
        if seen.outcome in CONTENT and verdict.action is not Action.KEEP:
            assert after.misses == 0


@given(
    outcomes=st.lists(
        st.sampled_from([outcome for outcome in Outcome if outcome not in (*CONTENT, Outcome.GONE, Outcome.NOINDEX)]),
        max_size=30,
    )
)
def test_no_series_of_doubts_wears_a_page_down(outcomes: list[Outcome]) -> None:
    page = row(PageState.LIVE, published=True, misses=0, withdrawn=False)
    for outcome in outcomes:
        seen = Observation(outcome, "again", status=200)
        page = decided(page, decide(page, seen, Rules()), outcome, SITE, NOW)
        assert page.state is PageState.LIVE
    assert page.misses == 0
    assert page.failures == len(outcomes)


@given(
    outcome=st.sampled_from(list(Outcome)),
    status=st.integers(-1, 999),
    tokens=st.integers(0, 10**9),
    before=st.integers(0, 10**9),
    misses=st.integers(0, 10**6),
    keep_below=st.floats(0, 1),
    texts=st.tuples(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8)),
)
def test_whatever_comes_is_decided(
    outcome: Outcome, status: int, tokens: int, before: int, misses: int, keep_below: float, texts: tuple[str, str, str]
) -> None:
    page = replace(row(PageState.LIVE, published=True, misses=misses, withdrawn=False), published_tokens=before)
    markdown, facts, reason = texts
    seen = Observation(outcome, reason, status, markdown=markdown, facts=facts, tokens=tokens)
    verdict = decide(page, seen, Rules(keep_below=keep_below))
    assert verdict == decide(page, seen, Rules(keep_below=keep_below)), "the same evidence, the same verdict"
    if outcome is Outcome.INDEXED:
        assert verdict.action in (Action.KEEP, Action.UPDATE, Action.REFRESH, Action.TOUCH)


# ---------------------------------------------------------------- when


def profile(least: int, most: int) -> SiteProfile:
    return SiteProfile(name="docs", start_urls=SITE.start_urls, recheck_min=f"{least}s", recheck_max=f"{most}s")


@given(
    least=st.integers(1, 499_999),
    more=st.integers(0, 500_000),
    interval=st.integers(0, 10**8),
    action=st.sampled_from(list(Action)),
)
def test_a_visit_is_due_between_the_bounds_or_in_the_next_run(
    least: int, more: int, interval: int, action: Action
) -> None:
    page = replace(row(PageState.LIVE, published=True, misses=0, withdrawn=False), interval_seconds=interval)
    seconds, due = next_visit(page, action, profile(least, least + more), NOW)
    if action in (Action.KEEP, Action.MISSING, Action.TOMBSTONE, Action.PASS):
        assert (seconds, due) == (0, ""), "doubt is looked at again by the next run"
        return
    assert least <= seconds <= least + more
    assert datetime.fromisoformat(due) == NOW + timedelta(seconds=seconds)
    page, longest = replace(page, due_at=due), timedelta(seconds=least + more)
    assert not is_due(page, NOW, longest)
    assert is_due(page, NOW + timedelta(seconds=seconds), longest)
    assert is_due(page, NOW, timedelta(seconds=seconds - 1)), "the longest wait was shortened"


def test_an_unchanged_page_is_looked_at_ever_less_often_and_a_changed_one_sooner() -> None:
    site = profile(3600, 10 * 3600)
    page = row(PageState.LIVE, published=True, misses=0, withdrawn=False)
    waits = []
    for action in (Action.NEW, Action.TOUCH, Action.TOUCH, Action.TOUCH, Action.TOUCH, Action.UPDATE, Action.UPDATE):
        seconds, _ = next_visit(page, action, site, NOW)
        page = replace(page, interval_seconds=seconds)
        waits.append(seconds / 3600)
    assert waits == [1, 2, 4, 8, 10, 5, 2.5]


@pytest.mark.parametrize("action", list(Action))
def test_a_site_without_bounds_is_looked_at_in_every_run(action: Action) -> None:
    page = replace(row(PageState.LIVE, published=True, misses=0, withdrawn=False), interval_seconds=86_400)
    assert next_visit(page, action, SITE, NOW) == (0, "")


@pytest.mark.parametrize(
    ("modified", "due"),
    [
        (None, False),
        (NOW - timedelta(days=1, seconds=1), False),
        (NOW - timedelta(days=1), False),
        (NOW - timedelta(hours=1), True),
        (NOW + timedelta(days=400), True),
    ],
    ids=["no word", "before the last visit", "at the last visit", "since", "in the future"],
)
def test_a_sitemap_brings_a_visit_forward_and_never_puts_one_off(modified: datetime | None, due: bool) -> None:
    fetched = NOW - timedelta(days=1)
    page = replace(
        row(PageState.LIVE, published=True, misses=0, withdrawn=False),
        fetched_at=fetched.isoformat(),
        due_at=(NOW + timedelta(days=5)).isoformat(),
    )
    assert is_due(page, NOW, timedelta(days=5), modified) is due
    assert is_due(replace(page, due_at=(NOW - timedelta(seconds=1)).isoformat()), NOW, timedelta(days=5), modified), (
        "its time has come"
    )
    assert is_due(replace(page, due_at=""), NOW, timedelta(days=5), modified), "no date: in every run"
