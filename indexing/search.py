"""From a question to hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexing.language import guess_language
from indexing.reranking import Ranking, reranked
from wrac.language_tags import primary_subtag
from wrac.records import Hit, SparseVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wrac.protocols import Embedder, SparseEncoder, Store


@dataclass(frozen=True, slots=True)
class PageHits:
    """The hits of one page, best first."""

    url: str
    """Of the page, without fragment."""
    title: str
    hits: tuple[Hit, ...]

    @property
    def score(self) -> float:
        """Of its best hit."""
        return self.hits[0].score


UNREAD_DENSE_WEIGHT = 0.15
"""Weight of the dense side where the embedder does not read the language: the words lead."""
MOST_LANGUAGES = 3
"""Languages of a collection in whose terms a question is put at most."""


def search(
    query: str,
    *,
    store: Store,
    embedder: Embedder,
    sparse: SparseEncoder,
    limit: int = 5,
    site: str | None = None,
    filters: Mapping[str, object] | None = None,
    ranking: Ranking | None = None,
) -> list[Hit]:
    """The chunks that answer the query best, best first.

    ``filters`` narrows by flat payload keys (``language``, ``version``, ``path``, ``date`` ...), several values of one
    key mean any of them; ``since`` and ``until`` narrow to a span of time. ``ranking`` is how they are ranked
    (``make_ranking``), None for the defaults. Raises ``StoreError`` where the collection is missing or was written with
    other encoders, ``ConfigError`` for a filter that there is not.
    """
    ranking = ranking or Ranking()
    store.verify(embedder, sparse)
    languages = _document_languages(store, site, (filters or {}).get("language"))
    asked_in = guess_language(query)
    read = reads(embedder, asked_in) and (not languages or any(reads(embedder, language) for language in languages))
    hits = store.search(
        embedder.embed_query(query),
        encode_for(query, languages or [asked_in], sparse),
        limit=limit if ranking.reranker is None else max(limit, ranking.reranked),
        site=site,
        filters=filters,
        dense_weight=ranking.dense_weight if read else min(ranking.dense_weight, UNREAD_DENSE_WEIGHT),
        page_weight=ranking.page_weight,
    )
    return reranked(query, hits, ranking)[:limit]


def by_page(hits: Iterable[Hit]) -> list[PageHits]:
    """The hits by page, pages in the order of their best hit."""
    pages: dict[str, list[Hit]] = {}
    for hit in hits:
        pages.setdefault(page_of(hit), []).append(hit)
    return [PageHits(found[0].url.partition("#")[0], found[0].title, tuple(found)) for found in pages.values()]


def page_of(hit: Hit) -> str:
    """What all hits of one page of one site have in common."""
    return f"{hit.site} {hit.payload.get('page_id') or hit.url.partition('#')[0]}"


def reads(embedder: Embedder, language: str) -> bool:
    """Whether the embedder was trained on the language; true where the language is unknown."""
    return embedder.languages is None or not language or primary_subtag(language) in embedder.languages


def encode_for(query: str, languages: Sequence[str], sparse: SparseEncoder) -> SparseVector:
    """The query's terms as documents in these languages were encoded, each once, weight 1."""
    vectors = [sparse.encode_query(query, language) for language in languages]
    indices = np.unique(np.concatenate([vector.indices for vector in vectors]))
    return SparseVector(indices=indices.astype(np.uint32), values=np.ones(len(indices), dtype=np.float32))


def _document_languages(store: Store, site: str | None, wanted: object) -> list[str]:
    """The languages that hits can be in, by primary subtag."""
    if wanted:
        found = [wanted] if isinstance(wanted, str) else list(wanted) if isinstance(wanted, (list, tuple, set)) else []
    else:
        found = list(store.languages(site))
    return list(dict.fromkeys(primary_subtag(str(language)) for language in found))[:MOST_LANGUAGES]
