"""From a question to hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.protocols import Embedder, SparseEncoder, Store
    from wrac.records import Hit


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
    language = (filters or {}).get("language", "")
    terms = sparse.encode_query(query, language if isinstance(language, str) else "")
    return store.search(embedder.embed_query(query), terms, limit=limit, site=site, filters=filters)
