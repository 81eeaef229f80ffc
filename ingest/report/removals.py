"""What the filters removed, summed over the pages of a template: a fault of a rule shows as one line, not as thousands.

Pages of one generator share their template. A removal is known by rule and place; digits in a place are folded, since
generators number what they repeat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind
from ingest.codec import decode
from ingest.report.records import Cleaning, Cut, Template
from wrac.records import PageMetadata, Removal  # noqa: TC001 - the codec reads them

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.archive import Archive
    from ingest.report.records import Bounds

MOST_PLACES = 2_000
"""Places kept apart per template; a site that numbers its classes by words ends in one place for all further ones."""
ELSEWHERE = "(other places)"
_REPEATED_FROM = 3
"""Pages for each different text at one place that make it furniture."""
_SEEN_TEXTS = 64
_DIGITS = re.compile(r"\d+")
_LISTS_EXPECTED = ("navigation.", "outside.")
"""Menus are lists: a list that these rules removed is no news."""


@dataclass(frozen=True, slots=True)
class _CleanedRecord:
    """The part of an archived ``PageRecord`` that is read here."""

    url: str
    metadata: PageMetadata
    removals: tuple[Removal, ...]


@dataclass(slots=True)
class _Place:
    rule: str
    locator: str
    preview: str
    example: str
    pages: int = 0
    characters: int = 0
    last_page: str = ""
    holds: set[str] = field(default_factory=set)
    content_pages: int = 0
    content_texts: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    """Kinds of content for which there is an alarm."""

    def add(self, url: str, removal: Removal) -> None:
        if url != self.last_page:
            self.pages, self.last_page = self.pages + 1, url
        self.characters += removal.characters
        self.holds.update(removal.holds)
        content = _alarming(removal)
        if content:
            self.content_pages += 1
            if len(self.content_texts) < _SEEN_TEXTS:
                self.content_texts.add(removal.preview)
        if not self.found.issuperset(content):
            self.preview, self.example = removal.preview, url
            self.found.update(content)

    def cut(self) -> Cut:
        # One page with a table among a thousand with the same menu is no furniture: only what held content counts.
        repeated = self.content_pages >= _REPEATED_FROM * max(1, len(self.content_texts))
        is_menu = repeated and self.found == {"list"}
        return Cut(
            rule=self.rule,
            locator=self.locator,
            pages=self.pages,
            characters=self.characters,
            preview=self.preview,
            example=self.example,
            holds=tuple(sorted(self.holds)),
            content_pages=self.content_pages,
            is_repeated=repeated,
            is_alarm=bool(self.found) and not is_menu,
        )


def _alarming(removal: Removal) -> set[str]:
    kinds = set(removal.holds)
    return kinds - {"list"} if removal.rule.startswith(_LISTS_EXPECTED) else kinds


@dataclass(slots=True)
class _Template:
    pages: int = 0
    places: dict[tuple[str, str], _Place] = field(default_factory=dict)

    def add(self, page: _CleanedRecord) -> None:
        self.pages += 1
        for removal in page.removals:
            key = removal.rule, _DIGITS.sub("#", removal.locator)
            if key not in self.places and len(self.places) >= MOST_PLACES:
                key = removal.rule, ELSEWHERE
            if key not in self.places:
                self.places[key] = _Place(*key, removal.preview, page.url)
            self.places[key].add(page.url, removal)

    def summary(self, generator: str, most: int) -> Template:
        cuts = sorted((place.cut() for place in self.places.values()), key=_weight)
        alarms = sum(cut.is_alarm for cut in cuts)
        shown = cuts[: max(most, min(alarms, 5 * most))]
        characters = sum(cut.characters for cut in cuts)
        return Template(generator, self.pages, characters, tuple(shown), len(cuts) - len(shown))


def sum_removals(archive: Archive, records: Iterable[str], bounds: Bounds) -> Cleaning:
    """The removals of these archived pages by template, alarms first; a record that is damaged is passed over."""
    templates: dict[str, _Template] = {}
    left_out = 0
    for number, record in enumerate(records):
        if number >= bounds.cleaned:
            left_out += 1
            continue
        try:
            page = decode(_CleanedRecord, archive.get(Kind.PAGE, record))
        except (Damaged, ValueError):
            continue
        templates.setdefault(page.metadata.generator, _Template()).add(page)
    largest_first = sorted(templates.items(), key=lambda item: (-item[1].pages, item[0]))
    return Cleaning(
        pages=sum(template.pages for template in templates.values()),
        templates=tuple(template.summary(generator, bounds.cuts) for generator, template in largest_first),
        left_out=left_out,
    )


def _weight(cut: Cut) -> tuple[bool, int, str, str]:
    return not cut.is_alarm, -cut.characters, cut.rule, cut.locator
