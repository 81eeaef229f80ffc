"""A report out of what a run left in ledger and archive. Nothing is fetched, nothing is paid, nothing is written."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from ingest.bill import total
from ingest.ledger.rows import RunState
from ingest.recrawl import Action
from ingest.report.changes import PUBLISHED_TOPICS, find_changes
from ingest.report.records import Bounds, Cost, PageList, PageNote, PastRun, Report, Reuse, Topic
from ingest.report.removals import sum_removals
from wrac.exit_codes import INCOMPLETE_OUTCOMES
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.rows import Decision, RunRow
    from ingest.report.records import Cleaning

_PUBLISHED_BY = (Action.NEW, Action.RESTORE, Action.UPDATE, Action.REFRESH)
"""Decisions whose content a publish brings into the collection."""
_KEPT = (Action.KEEP, Action.MISSING)
"""Decisions that leave a page in the collection though no content was seen."""
_SECONDS = "seconds_"
"""Opens the names of the run's figures that are times of stages."""
_HISTORY_READ = 1_000
"""Runs that are looked through for those up to the one that is reported."""


def build_report(ledger: Ledger, archive: Archive, run: RunRow, bounds: Bounds | None = None) -> Report:
    """The report of a run: the same ledger and archive give the same one. Raises ``StoreError`` where they fail.

    A run of long ago is told by what is kept for ever (publications, decisions, figures); how single URLs ended is
    known for those that no later run met, and ``met_later`` counts the others.
    """
    bounds = bounds or Bounds()
    changes = find_changes(ledger, archive, run, bounds)
    outcomes = _outcomes(ledger, run, bounds)
    lists = {topic: _with_command(run, topic, changes.lists[topic]) for topic in PUBLISHED_TOPICS}
    lists[Topic.WAITING] = _with_command(run, Topic.WAITING, _waiting(ledger, run, bounds))
    lists[Topic.KEPT] = _with_command(run, Topic.KEPT, _kept(ledger, run, bounds))
    lists[Topic.FAILED] = _with_command(run, Topic.FAILED, _failed(ledger, run, bounds))
    counted = sum(run.counts.values())
    return Report(
        site=run.site,
        run_id=run.run_id,
        kind=run.kind.value,
        state=run.state.value,
        is_first=run.first,
        collection=run.collection,
        recipe=run.recipe,
        started_at=run.started_at,
        finished_at=run.finished_at,
        sessions=run.sessions,
        note=run.note,
        exit_code=run.exit_code,
        lists=lists,
        outcomes=outcomes,
        met_later=max(0, counted - sum(ledger.pages.count_by("outcome", run.site, run.run_id).values())),
        decisions=ledger.reader.decision_counts(run.run_id),
        reuse=Reuse(
            changes.points_kept,
            changes.points_added,
            changes.points_removed,
            int(run.figures.get("embedded", 0)),
            int(run.figures.get("reused", 0)),
        ),
        costs=_costs(ledger, run),
        planning=planned.in_words() if (planned := ledger.bills.figures(run.run_id)) else "",
        seconds={k.removeprefix(_SECONDS): v for k, v in run.figures.items() if k.startswith(_SECONDS)},
        figures={k: v for k, v in run.figures.items() if not k.startswith(_SECONDS)},
        cleaning=_cleaning(ledger, archive, run, bounds),
        history=_history(ledger, run, bounds),
    )


# ---------------------------------------------------------------- pages


def _outcomes(ledger: Ledger, run: RunRow, bounds: Bounds) -> dict[str, PageList]:
    current = ledger.pages.count_by("outcome", run.site, run.run_id)
    counts = run.counts or current
    found = {}
    for outcome in sorted(counts, key=lambda name: (-counts[name], name)):
        ends = ledger.reader.ends(run.site, run.run_id, [outcome]) if current.get(outcome) else iter(())
        pages = tuple(PageNote(end.url, end.title, end.reason) for end in islice(ends, bounds.listed))
        command = f"wrac status --site {run.site} --outcome {outcome} --json"
        found[outcome] = PageList(counts[outcome], pages, command)
    return found


def _waiting(ledger: Ledger, run: RunRow, bounds: Bounds) -> PageList:
    """What the loss guard or a fault kept out of the collection: withdrawals first, since they are what is guarded."""
    if run.state is RunState.FINISHED:
        return PageList()
    published = {change.page_id for change in ledger.reader.replacements(run.site, run.run_id)}
    pages: list[PageNote] = []
    count = 0
    for actions in ((Action.TOMBSTONE,), _PUBLISHED_BY):
        for made in ledger.reader.decided(run.run_id, actions):
            if made.page_id not in published:
                count += 1
                if len(pages) < bounds.listed:
                    pages.append(_decided(ledger, run, made))
    return PageList(count, tuple(pages))


def _decided(ledger: Ledger, run: RunRow, made: Decision) -> PageNote:
    row = ledger.pages.get(run.site, made.page_id)
    url, title = (row.url, row.title) if row else (made.page_id, "")
    return PageNote(url, title, f"{made.decision}: {made.reason}" if made.reason else made.decision, made.evidence)


def _kept(ledger: Ledger, run: RunRow, bounds: Bounds) -> PageList:
    """By decision; and pages that could not be read and are in the collection, where no decision was recorded."""
    decided: dict[str, Decision | None] = {}
    for decision in ledger.reader.decided(run.run_id, _KEPT):
        decided[decision.page_id] = decision if len(decided) < bounds.listed else None
    pages: list[PageNote] = []
    for page_id, made in decided.items():
        row = ledger.pages.get(run.site, page_id) if made else None
        if made is not None:
            url, title = (row.url, row.title) if row else (page_id, "")
            pages.append(PageNote(url, title, made.reason, made.evidence))
    count = len(decided)
    for end in ledger.reader.ends(run.site, run.run_id, INCOMPLETE_OUTCOMES | {Outcome.EMPTY, Outcome.LOGIN_WALL}):
        if end.is_published and end.page_id not in decided:
            count += 1
            if len(pages) < bounds.listed:
                pages.append(PageNote(end.url, end.title, f"{end.outcome}: {end.reason}"))
    return PageList(count, tuple(sorted(pages, key=lambda note: note.url)))


def _failed(ledger: Ledger, run: RunRow, bounds: Bounds) -> PageList:
    """Pages without the content that they should have given; those that the collection still has are kept ones."""
    pages: list[PageNote] = []
    count = 0
    for end in ledger.reader.ends(run.site, run.run_id, INCOMPLETE_OUTCOMES):
        if not end.is_published:
            count += 1
            if len(pages) < bounds.listed:
                pages.append(
                    PageNote(end.url, end.title, f"{end.outcome}: {end.reason}" if end.reason else end.outcome)
                )
    return PageList(count, tuple(pages))


def _with_command(run: RunRow, topic: Topic, found: PageList) -> PageList:
    return PageList(found.total, found.pages, f"wrac report {run.site} --run {run.run_id} --list {topic.value}")


def _cleaning(ledger: Ledger, archive: Archive, run: RunRow, bounds: Bounds) -> Cleaning:
    return sum_removals(archive, _new_records(ledger, run), bounds)


def _new_records(ledger: Ledger, run: RunRow) -> Iterator[str]:
    """Archive records that this run made: of what it published, else of what waits to be."""
    published = False
    for change in ledger.reader.replacements(run.site, run.run_id):
        published = True
        if change.after is not None and (change.before is None or change.before.record != change.after.record):
            yield change.after.record
    if not published:
        yield from (end.record for end in ledger.reader.ends(run.site, run.run_id, [Outcome.INDEXED]) if end.record)


# ---------------------------------------------------------------- figures


def _costs(ledger: Ledger, run: RunRow) -> tuple[Cost, ...]:
    return tuple(
        Cost(
            purpose=each.purpose.value,
            model=each.model,
            calls=each.usage.calls,
            input_tokens=each.usage.input_tokens,
            cached_tokens=each.usage.cached_tokens,
            output_tokens=each.usage.output_tokens,
            dollars=None if each.dollars is None else float(each.dollars),
        )
        for each in ledger.bills.of_run(run.run_id)
    )


def _history(ledger: Ledger, run: RunRow, bounds: Bounds) -> tuple[PastRun, ...]:
    runs = [past for past in ledger.runs.of_site(run.site, limit=_HISTORY_READ) if past.run_id < run.run_id]
    return tuple(_past(ledger, past) for past in [run, *runs[: bounds.runs - 1]][::-1])


def _past(ledger: Ledger, run: RunRow) -> PastRun:
    _, dollars = total(ledger.bills.of_run(run.run_id))
    indexed, unchanged = (run.counts.get(name.value, 0) for name in (Outcome.INDEXED, Outcome.UNCHANGED))
    failed = sum(run.counts.get(name.value, 0) for name in INCOMPLETE_OUTCOMES)
    return PastRun(
        run_id=run.run_id,
        started_at=run.started_at,
        state=run.state.value,
        minutes=_minutes(run.started_at, run.finished_at),
        indexed=indexed,
        unchanged=unchanged,
        failed=failed,
        others=sum(run.counts.values()) - indexed - unchanged - failed,
        embedded=int(run.figures.get("embedded", 0)),
        dollars=float(dollars or 0),
    )


def _minutes(start: str, end: str) -> float:
    try:
        return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 60)
    except (ValueError, TypeError):
        return 0.0
