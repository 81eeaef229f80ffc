"""The recipe: names and versions of all that shaped an output, so that it is known what a change makes stale.

A page keeps the recipe it was made with. Where a later recipe differs, the earliest part that differs says what has to
be done again: everything from the conversion, from the plan, or from the vectors on. What stands before it is taken
from the archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wrac.ids import digest_of


class RecipePart(StrEnum):
    """The parts of a recipe in the order of the stages; a change in one makes its own and all later outputs stale."""

    CONVERSION = "conversion"
    PLANNING = "planning"
    INDEXING = "indexing"


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

    def first_difference(self, other: Recipe) -> RecipePart | None:
        """The earliest part in which the two differ; None where they are equal."""
        for part in RecipePart:
            if getattr(self, part.value) != getattr(other, part.value):
                return part
        return None
