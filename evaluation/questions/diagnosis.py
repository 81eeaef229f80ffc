"""Why a question was not answered: where the expected page stands, in the ranking, the collection and the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evaluation.questions.absence import why_absent
from evaluation.questions.causes import Cause, Finding
from evaluation.questions.unsaid import why_unsaid
from ingest.identity import identify
from ingest.questions.targets import is_answered_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ingest.questions import Question, Target, Targets
    from wrac.config import SiteProfile
    from wrac.protocols import Store
    from wrac.records import Hit

DEEP = 300
"""Hits that are looked through for what is not among the first."""

__all__ = ["DEEP", "Cause", "Diagnosis", "Finding", "World"]


@dataclass(frozen=True, slots=True)
class World:
    """What is known of the sites beside the collection itself."""

    targets: Targets
    profiles: Mapping[str, SiteProfile] = field(default_factory=dict)
    """Profiles of those sites that have a file."""


class Diagnosis:
    """Looks for expected places in all that is known. Nothing is written or fetched."""

    def __init__(self, world: World, store: Store, site: str) -> None:
        self.world = world
        self._store = store
        self._site = site

    def of(
        self,
        question: Question,
        targets: Sequence[Target],
        deep: Sequence[Hit],
        missing: Sequence[int],
        wanted: int,
    ) -> Iterator[Finding]:
        """One finding for each of the ``missing`` of ``question.expected``; ``deep`` are the first ``DEEP`` hits.

        None of these is among the first ``wanted`` of a search for so many. One for more scales scores among more
        candidates, so that two hits may change places: what it has higher up is said to stand next to the first.
        Raises ``StoreError``.
        """
        met = [is_answered_by(question, targets, hit) for hit in deep]
        for one in missing:
            expected = question.expected[one]
            place = next((place for place, each in enumerate(met, 1) if each[one]), 0)
            if place:
                hit, rank = deep[place - 1], max(place, wanted + 1)
                says = f"it is there, ranked {rank}: {hit.breadcrumb or hit.title} ({hit.url})"
                yield Finding(expected, Cause.RANKED, says, rank=rank)
            elif question.quotes and (not targets or any(self._is_here(target) for target in targets)):
                yield why_unsaid(self.world.targets, expected, targets, deep)
            elif question.quotes:
                yield replace(self._page(targets[0], deep), expected=expected)
            else:
                yield self._page(targets[one], deep)

    def _page(self, target: Target, deep: Sequence[Hit]) -> Finding:
        page_place = next((place for place, hit in enumerate(deep, 1) if target.is_page_of(hit)), 0)
        if target.fragment and (page_place or self._is_here(target)):
            return self._section(target, page_place, deep)
        if self._is_here(target):
            says = f"the page is in the collection, and none of its chunks is among the first {len(deep)} hits"
            step = "does the page use other words than the question? `wrac explain URL` shows what was taken in"
            return Finding(target.url, Cause.TOO_FAR, says, step)
        return why_absent(target, self.world.targets, self.world.profiles)

    def _section(self, target: Target, page_place: int, deep: Sequence[Hit]) -> Finding:
        where = f"another place on the page is ranked {page_place} ({deep[page_place - 1].url})" if page_place else ""
        records = [record for page in target.pages if (record := self.world.targets.record(page)) is not None]
        if records and not target.texts:
            known = [anchor.fragment for record in records for anchor in record.document.anchors]
            says = f"the page has no anchor #{target.fragment}" + (f"; {where}" if where else "")
            step = f"its anchors: {', '.join(f'#{name}' for name in known[:12])}" if known else "leave out the anchor"
            return Finding(target.url, Cause.NO_ANCHOR, says, step)
        says = f"the section is not among the first {len(deep)} hits" + (f"; {where}" if where else "")
        return Finding(target.url, Cause.TOO_FAR, says)

    def _is_here(self, target: Target) -> bool:
        """Whether the collection holds the page."""
        if target.begins_so:
            return any(row.point_ids and target.is_named(row.url) for row in self.world.targets.all_rows())
        if target.pages:
            return any(page.point_ids and self._store.existing(page.point_ids[:1]) for page in target.pages)
        if self.world.targets.ledger is not None or not self._site or target.place.startswith("/"):
            return False
        return bool(self._store.page_points(self._site, identify(target.url.partition("#")[0])))
