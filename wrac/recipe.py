"""The recipe: names and versions of all that shaped an output, so that it is known what a change makes stale.

A page keeps the recipe it was made with. Where that of today differs, the page is made again from what is archived.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from wrac.ids import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Recipe:
    """What made a page's outputs, each part as readable text, e.g. ``filters/1 html/1 main=article``."""

    conversion: str
    """Filters, converter and the site's cleaning rules: body to Markdown."""
    planning: str
    """Unit tree, planner, window limits and assembly: Markdown to chunks."""
    indexing: str
    """Embedder, windows, sparse encoder and payload layout: chunks to points."""

    @property
    def digest(self) -> str:
        """Equal for equal recipes."""
        return digest_of(self.conversion, self.planning, self.indexing)


@dataclass(frozen=True)
class Recipes:
    """The recipes of one run: web pages have one, and each format of documents has its own.

    So a new version of one converter makes nothing stale that it has not made. They differ in their conversion only.
    """

    pages: Recipe
    documents: Mapping[str, Recipe]
    """By the format that is read, e.g. ``pdf``."""

    @classmethod
    def of(cls, pages: Recipe, conversions: Mapping[str, str]) -> Recipes:
        """The recipes that go with that of web pages; ``conversions`` are those of documents, by format."""
        return cls(pages, {name: replace(pages, conversion=made) for name, made in conversions.items()})

    def __iter__(self) -> Iterator[Recipe]:
        """All that a page of this run may have been made by."""
        yield self.pages
        for recipe in self.documents.values():
            yield from (recipe, _waiting(recipe))

    @cached_property
    def digests(self) -> frozenset[str]:
        """Digests of those that make a page as it would be made today, with nothing left to wait for."""
        return frozenset(recipe.digest for recipe in (self.pages, *self.documents.values()))

    def made_by(self, converter: str, *, waits: bool = False) -> Recipe:
        """The recipe of what a converter made, e.g. ``html/1`` or ``pdf/1``; of web pages for all that is unknown.

        ``waits``: part of the document waits for a program to be installed. That is another recipe, so that the next
        run looks again.
        """
        recipe = self.documents.get(converter.partition("/")[0], self.pages)
        return _waiting(recipe) if waits else recipe

    def like(self, other: Recipe) -> Recipe:
        """The recipe of today for what was made by ``other``."""
        return self.made_by(other.conversion)


def _waiting(recipe: Recipe) -> Recipe:
    return replace(recipe, conversion=f"{recipe.conversion} waits")
