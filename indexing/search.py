"""From a question to hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexing.language import guess_language, primary_subtag
from indexing.query import DENSE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.protocols import Embedder, SparseEncoder, Store
    from wrac.records import Hit

UNREAD_DENSE_WEIGHT = 0.15
"""Weight of the dense side for a question in a language that the embedder does not read: the words lead."""


def search(
    query: str,
    *,
    store: Store,
    embedder: Embedder,
    sparse: SparseEncoder,
    limit: int = 5,
    site: str | None = None,
    filters: Mapping[str, object] | None = None,
) -> list[Hit]:
    """The chunks that answer the query best, best first.

    ``filters`` narrows by flat payload keys (``language``, ``version``, ``path`` ...); several values of one key mean
    any of them. Raises ``StoreError`` where the collection is missing or was written with other encoders.
    """
    store.verify(embedder, sparse)
    asked = (filters or {}).get("language", "")
    language = asked if isinstance(asked, str) and asked else guess_language(query)
    return store.search(
        embedder.embed_query(query),
        sparse.encode_query(query, language),
        limit=limit,
        site=site,
        filters=filters,
        dense_weight=DENSE_WEIGHT if reads(embedder, language) else UNREAD_DENSE_WEIGHT,
    )


def reads(embedder: Embedder, language: str) -> bool:
    """Whether the embedder was trained on the language; true where the language is unknown."""
    return embedder.languages is None or not language or primary_subtag(language) in embedder.languages
