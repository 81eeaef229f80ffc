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
"""Pages with the same text at the same place that make it furniture."""
_SEEN_TEXTS = 64
_DIGITS = re.compile(r"\d+")
_CONTENT = ("table", "code")
"""Kinds that a menu or a footer hardly ever has: always an alarm."""
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
    texts: set[str] = field(default_factory=set)

    def add(self, url: str, removal: Removal) -> None:
        if url != self.last_page:
            self.pages, self.last_page = self.pages + 1, url
        self.characters += removal.characters
        if not self.holds.issuperset(removal.holds):
            self.preview, self.example = removal.preview, url
            self.holds.update(removal.holds)
        if len(self.texts) < _SEEN_TEXTS:
            self.texts.add(removal.preview)

    def cut(self) -> Cut:
        repeated = self.pages >= _REPEATED_FROM and len(self.texts) * _REPEATED_FROM <= self.pages
        unexpected_list = "list" in self.holds and not self.rule.startswith(_LISTS_EXPECTED) and not repeated
        return Cut(
            rule=self.rule,
            locator=self.locator,
            pages=self.pages,
            characters=self.characters,
            preview=self.preview,
            example=self.example,
            holds=tuple(sorted(self.holds)),
            is_repeated=repeated,
            is_alarm=unexpected_list or not self.holds.isdisjoint(_CONTENT),
        )


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
