"""Which vectors the archive still needs: those of the texts of all records that something refers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexing import vector_key
from ingest.archive import Damaged
from ingest.indexer import ArchivedVectors, IndexingRecipe
from ingest.page_records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.archive import Archive
    from ingest.ledger import Ledger


@dataclass(slots=True)
class Reach:
    """Keys of vectors, and what could not be found out."""

    keys: set[str] = field(default_factory=set)
    doubtful: list[str] = field(default_factory=list)
    """Records that cannot be read, or whose recipe is not known: they may need any vector."""


def vectors_of(ledger: Ledger, archive: Archive, records: Iterable[tuple[str, str]]) -> Reach:
    """The vectors that records need, each given with the recipe that its points are made by."""
    reach = Reach()
    recipes: dict[str, IndexingRecipe | None] = {}
    for key, digest in sorted(set(records)):
        if digest not in recipes:
            recipe = ledger.runs.recipe(digest)
            if recipe is not None and not recipe.indexing:
                continue  # gathered without an index: nothing was embedded
            recipes[digest] = IndexingRecipe.parse(recipe.indexing) if recipe else None
        indexing = recipes[digest]
        if indexing is None:
            reach.doubtful.append(key)
            continue
        try:
            record = read_record(archive, key)
        except Damaged:
            reach.doubtful.append(key)
            continue
        embedder = ArchivedVectors(indexing.embedder, indexing.dimension)
        reach.keys.update(vector_key(c.embed_text, embedder, indexing.window_tokens) for c in record.chunks)
    return reach
