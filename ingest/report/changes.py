"""What a run changed in the collection: each publication beside the last one of the same page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind
from ingest.codec import decode
from ingest.report.diff import compare, excerpt
from ingest.report.moves import MovedText
from ingest.report.records import PageList, PageNote, Topic
from wrac.records import MarkdownDocument, Outcome, Unit

if TYPE_CHECKING:
    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.reading import Replacement
    from ingest.ledger.rows import RunRow
    from ingest.report.records import Bounds

_MOST_ASKED = 1_000
"""New and withdrawn pages for which the ledger is asked whether the same text has another URL."""
_MOST_DIGESTS = 100_000
"""Withdrawn texts that are remembered to be found again under a new URL."""
PUBLISHED_TOPICS = (Topic.NEW, Topic.CHANGED, Topic.MOVED, Topic.GONE, Topic.REFRESHED)


@dataclass(frozen=True, slots=True)
class StoredText:
    """The part of an archived ``PageRecord`` that is compared."""

    document: MarkdownDocument
    units: tuple[Unit, ...]


@dataclass(slots=True)
class Changes:
    """The changed pages by topic, and what became of their points."""

    lists: dict[Topic, PageList] = field(default_factory=dict)
    points_kept: int = 0
    points_added: int = 0
    points_removed: int = 0


def find_changes(ledger: Ledger, archive: Archive, run: RunRow, bounds: Bounds) -> Changes:
    """The changes of a run. Two passes over its publications, so that a page's new place is known when it is listed."""
    collector = _Collector(ledger, archive, run, bounds)
    collector.learn_moves()
    for change in ledger.reader.replacements(run.site, run.run_id):
        collector.add(change)
    return collector.finish()


class _Collector:
    def __init__(self, ledger: Ledger, archive: Archive, run: RunRow, bounds: Bounds) -> None:
        self._ledger, self._archive, self._run, self._bounds = ledger, archive, run, bounds
        self._totals = dict.fromkeys(PUBLISHED_TOPICS, 0)
        self._notes: dict[Topic, list[PageNote]] = {topic: [] for topic in PUBLISHED_TOPICS}
        self._moved_from: dict[str, str] = {}
        """Page id of a new page -> URL under which its text was."""
        self._moved_to: dict[str, str] = {}
        """Page id of a withdrawn page -> URL of its new place."""
        self._listed_there: set[str] = set()
        """Page ids of withdrawn pages that are listed once, under the URL where their text is now."""
        self._asked = 0
        self._texts = MovedText()
        self._read = dict.fromkeys(PUBLISHED_TOPICS, 0)
        self.changes = Changes()

    def learn_moves(self) -> None:
        """Whole pages under a new URL: by their text, or because the ledger says what stands for them now."""
        if self._run.first:
            return
        withdrawn: dict[str, tuple[str, str]] = {}
        for change in self._ledger.reader.replacements(self._run.site, self._run.run_id):
            if change.before is not None and change.after is None and len(withdrawn) < _MOST_DIGESTS:
                if target := self._url_of(change.variant_of):
                    self._moved_to[change.page_id] = target
                if change.before.markdown_digest:
                    withdrawn[change.before.markdown_digest] = (change.page_id, change.url)
        if not withdrawn:
            return
        for change in self._ledger.reader.replacements(self._run.site, self._run.run_id):
            if change.before is None and change.after is not None:
                old_id, old_url = withdrawn.get(change.after.markdown_digest, ("", ""))
                if old_id:
                    self._listed_there.add(old_id)
                    self._moved_from[change.page_id] = old_url

    def add(self, change: Replacement) -> None:
        before, after = change.before, change.after
        topic = self._topic(change)
        old = before.point_ids if before else frozenset()
        new = after.point_ids if after else frozenset()
        self.changes.points_kept += len(old & new)
        self.changes.points_added += len(new - old)
        self.changes.points_removed += len(old - new)
        if topic is None:
            return
        note = PageNote(
            url=change.url,
            title=change.title,
            points_kept=len(old & new),
            points_added=len(new - old),
            points_removed=len(old - new),
        )
        self._totals[topic] += 1
        if topic is Topic.CHANGED:
            note = self._compared(note, change)
        elif topic in (Topic.NEW, Topic.GONE) and not self._run.first:
            self._search(topic, change)
        if len(self._notes[topic]) < self._bounds.listed:
            self._notes[topic].append(self._explained(topic, note, change.page_id))

    def finish(self) -> Changes:
        moves = self._texts.moves()
        self._totals[Topic.MOVED] += len(moves)
        self._notes[Topic.MOVED] += moves[: max(0, self._bounds.listed - len(self._notes[Topic.MOVED]))]
        for topic in PUBLISHED_TOPICS:
            # Pages that can be read at a glance first; then as people look for them.
            pages = sorted(self._notes[topic], key=lambda note: (note.diff is None, note.url, note.other_url))
            self.changes.lists[topic] = PageList(self._totals[topic], tuple(pages))
        return self.changes

    def _topic(self, change: Replacement) -> Topic | None:
        before, after = change.before, change.after
        if after is None:
            if before is None:
                return None
            if change.page_id in self._listed_there:
                return None
            if change.page_id not in self._moved_to and (twin := self._twin(change, is_gone=False)):
                self._moved_to[change.page_id] = twin
            return Topic.MOVED if change.page_id in self._moved_to else Topic.GONE
        if before is None:
            if change.page_id not in self._moved_from and (twin := self._twin(change, is_gone=True)):
                self._moved_from[change.page_id] = twin
            return Topic.MOVED if change.page_id in self._moved_from else Topic.NEW
        is_same = before.record == after.record or before.markdown_digest == after.markdown_digest != ""
        return Topic.REFRESHED if is_same else Topic.CHANGED

    def _twin(self, change: Replacement, *, is_gone: bool) -> str:
        """Another URL with the same text: one that was not found in this run, or one that is in the collection."""
        version = change.after or change.before
        if self._run.first or version is None or not version.markdown_digest or self._asked >= _MOST_ASKED:
            return ""
        self._asked += 1
        for row in self._ledger.pages.with_markdown(self._run.site, version.markdown_digest):
            is_lost = row.run_id == self._run.run_id and row.outcome in (Outcome.GONE, Outcome.REDIRECTED)
            if row.page_id != change.page_id and row.point_ids and is_lost == is_gone:
                return row.url
        return ""

    def _compared(self, note: PageNote, change: Replacement) -> PageNote:
        if self._read[Topic.CHANGED] >= self._bounds.compared or change.before is None or change.after is None:
            return note
        before, after = self._text(change.before.record), self._text(change.after.record)
        if before is None or after is None:
            return note
        self._read[Topic.CHANGED] += 1
        self._texts.add(change.url, before, after)
        return replace(
            note, diff=excerpt(compare(before.document.text, after.document.text), self._bounds.diff_characters)
        )

    def _search(self, topic: Topic, change: Replacement) -> None:
        """The text of a new or withdrawn page may stand, or have stood, on another one."""
        version = change.after or change.before
        if version is None or self._read[topic] >= self._bounds.compared:
            return
        self._read[topic] += 1
        text = self._text(version.record)
        self._texts.add(change.url, None if change.after else text, text if change.after else None)

    def _explained(self, topic: Topic, note: PageNote, page_id: str) -> PageNote:
        if topic is Topic.MOVED:
            here = self._moved_from.get(page_id)
            note = replace(note, other_url=here or note.url, url=note.url if here else self._moved_to[page_id])
        made = self._ledger.reader.last_decision(self._run.site, self._run.run_id, page_id)
        return note if made is None else replace(note, reason=made.reason, evidence=made.evidence)

    def _text(self, record: str) -> StoredText | None:
        try:
            return decode(StoredText, self._archive.get(Kind.PAGE, record))
        except (Damaged, ValueError):
            return None

    def _url_of(self, page_id: str) -> str:
        row = self._ledger.pages.get(self._run.site, page_id) if page_id else None
        return row.url if row is not None else ""
