"""A collection in Qdrant: the same calls for the embedded folder, for memory and for a server."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from qdrant_client import models

from indexing import query
from indexing.fusion import PAGE_WEIGHT
from indexing.layout import DIGEST_KEY, KEYWORD_KEYS, SPARSE, VECTORS_KEY, CollectionLayout
from indexing.translation import condition_for, digests_of, point_struct
from wrac.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    import numpy as np
    from qdrant_client import QdrantClient

    from indexing.calls import Calls
    from indexing.edge.engine import EdgeEngine
    from indexing.local_index import LocalIndex
    from wrac.protocols import Embedder, SparseEncoder
    from wrac.records import Hit, Point, PointDigests, SparseVector

T = TypeVar("T")

UPSERT_BATCH = 64
"""Points of one request: about 1 MB, far from a server's limit of 32 MiB."""
SCROLL_BATCH = 2_000


class QdrantStore:
    """One collection, by the alias that chatbots open. Calls may come from any thread."""

    def __init__(
        self,
        client: QdrantClient | EdgeEngine,
        alias: str,
        calls: Calls,
        *,
        on_close: Callable[[], None] = lambda: None,
        shared: bool = False,
    ) -> None:
        """``shared``: the client belongs to another store, whose ``close`` ends this one as well."""
        self.name = alias
        self.place = calls.place
        self._client = client
        self._calls = calls
        self._on_close = on_close
        self._shared = shared
        self._verified: CollectionLayout | None = None

    # ------------------------------------------------------------ the collection

    def ensure(self, embedder: Embedder, sparse: SparseEncoder) -> None:
        """The collection exists with our layout and indexes, for these encoders; made where there was none."""
        layout = CollectionLayout(embedder.name, embedder.dimension, sparse.name)
        if self._exists():
            self._compare(layout)
            self._index(self.physical() or self.name)
            return
        physical = layout.physical_name(self.name)
        self._make(physical, layout)
        self.switch(physical)
        self._compare(layout)

    def verify(self, embedder: Embedder, sparse: SparseEncoder) -> None:
        """The collection exists and was written with these encoders, else ``StoreError``; nothing is made."""
        layout = CollectionLayout(embedder.name, embedder.dimension, sparse.name)
        if layout == self._verified:
            return
        if not self._exists():
            raise StoreError(
                f"there is no collection {self.name!r} in {self.place}: fill it first, e.g. with `wrac crawl URL`"
            )
        self._compare(layout)

    def _exists(self) -> bool:
        return self._calls.run(lambda: self._client.collection_exists(self.name))

    def _compare(self, wanted: CollectionLayout) -> None:
        found = self._layout_of(self.name)
        if found is None:
            raise StoreError(
                f"the collection {self.name!r} in {self.place} was not made by this project: "
                "set another `collection` in the site profile"
            )
        if found != wanted:
            raise StoreError(
                f"the collection {self.name!r} in {self.place} was written with {found}, not with {wanted}. Vectors of "
                f"two models cannot be compared: set the embedder back; or run `wrac reembed SITE`, which builds the "
                "collection anew beside this one from the archive and then switches to it; or set another `collection` "
                "in the site profile and crawl into that"
            )
        self._verified = wanted

    # ------------------------------------------------------------ its generations

    def physical(self) -> str | None:
        """Name of the collection that readers of the alias reach now; None where there is none."""
        known = self._calls.run(self._client.get_aliases).aliases
        return next((alias.collection_name for alias in known if alias.alias_name == self.name), None)

    def layout(self) -> CollectionLayout | None:
        """What the collection was made for; None where there is none, or where it is not one of ours."""
        return self._layout_of(self.name) if self._exists() else None

    def generations(self) -> dict[str, CollectionLayout]:
        """Every collection that was ever made for the alias and still stands, by its own name."""
        names = [each.name for each in self._calls.run(self._client.get_collections).collections]
        found = {name: self._layout_of(name) for name in sorted(names) if name.startswith(f"{self.name}--")}
        return {name: layout for name, layout in found.items() if layout and layout.physical_name(self.name) == name}

    def generation(self, physical: str) -> QdrantStore:
        """One of ``generations``, by its own name; open for as long as this store is."""
        return QdrantStore(self._client, physical, self._calls, shared=True)

    def beside(self, layout: CollectionLayout) -> QdrantStore:
        """The collection for another layout, made and indexed where it is missing; readers still reach the old one."""
        physical = layout.physical_name(self.name)
        self._make(physical, layout)
        return self.generation(physical)

    def switch(self, physical: str) -> None:
        """Readers of the alias reach this collection from now on: one call, with no moment in between."""
        actions: list[models.AliasOperations] = []
        if self.physical() is not None:
            actions.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=self.name)))
        link = models.CreateAlias(collection_name=physical, alias_name=self.name)
        actions.append(models.CreateAliasOperation(create_alias=link))
        self._calls.run(lambda: self._client.update_collection_aliases(actions))
        self._verified = None

    def drop(self, physical: str) -> None:
        """The generation is gone with its points. Raises ``StoreError`` where readers reach it, or none is so named."""
        if physical == self.physical() or physical not in self.generations():
            raise StoreError(f"the collection {physical!r} in {self.place} is in use or not one of {self.name!r}: kept")
        self._calls.run(lambda: self._client.delete_collection(physical))

    def _layout_of(self, name: str) -> CollectionLayout | None:
        info = self._calls.run(lambda: self._client.get_collection(name))
        return CollectionLayout.from_metadata(info.config.metadata)

    def _make(self, physical: str, layout: CollectionLayout) -> None:
        if not self._calls.run(lambda: self._client.collection_exists(physical)):
            self._calls.run(lambda: self._create(physical, layout))
        self._index(physical)

    def _create(self, physical: str, layout: CollectionLayout) -> None:
        cosine = models.VectorParams(size=layout.dimension, distance=models.Distance.COSINE)
        self._client.create_collection(
            physical,
            vectors_config=cosine,
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            metadata=layout.as_metadata(),
        )

    def _index(self, physical: str) -> None:
        tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
        schemas: dict[str, Any] = {"site": tenant, "fetched_at": models.PayloadSchemaType.DATETIME}
        schemas.update(dict.fromkeys(KEYWORD_KEYS, models.PayloadSchemaType.KEYWORD))
        known = self._calls.run(lambda: self._client.get_collection(physical)).payload_schema or {}
        make = partial(self._client.create_payload_index, physical, wait=True)
        for key, schema in schemas.items():
            if key not in known:
                self._calls.run(partial(make, field_name=key, field_schema=schema))

    # ------------------------------------------------------------ points

    def upsert(self, points: Sequence[Point]) -> None:
        """All points are stored and visible to the next search. Running twice is a no-op."""
        for batch in _batches([point_struct(point) for point in points], UPSERT_BATCH):
            self._calls.run(partial(self._client.upsert, self.name, points=batch, wait=True))

    def delete(self, point_ids: Iterable[str]) -> None:
        """None of the ids is in the collection; unknown ids are no error."""
        for batch in _batches(list(point_ids), SCROLL_BATCH):
            chosen = models.PointIdsList(points=list[models.ExtendedPointId](batch))
            self._calls.run(partial(self._client.delete, self.name, points_selector=chosen, wait=True))

    def set_payload(self, payloads: Mapping[str, Mapping[str, object]]) -> None:
        """Replaces the payload of each point, vectors untouched."""
        operations = [
            models.OverwritePayloadOperation(
                overwrite_payload=models.SetPayload(payload=dict(payload), points=[identity])
            )
            for identity, payload in payloads.items()
        ]
        for batch in _batches(operations, UPSERT_BATCH):
            self._calls.run(partial(self._client.batch_update_points, self.name, update_operations=batch, wait=True))

    def existing(self, point_ids: Sequence[str]) -> set[str]:
        """Which of the ids are stored."""
        found: set[str] = set()
        for batch in _batches(list(point_ids), SCROLL_BATCH):
            records = self._calls.run(partial(self._client.retrieve, self.name, ids=batch, with_payload=False))
            found.update(str(record.id) for record in records)
        return found

    def page_points(self, site: str, page_id: str) -> set[str]:
        """Ids of all points of one page."""
        return set(self.page_digests(site, page_id))

    def page_digests(self, site: str, page_id: str) -> Mapping[str, PointDigests]:
        """What is stored for one page, by point id."""
        condition = condition_for(site, {"page_id": page_id})
        return {str(record.id): digests_of(record) for record in self._scroll(condition, [DIGEST_KEY, VECTORS_KEY])}

    def site_digests(self, site: str) -> Mapping[str, Mapping[str, PointDigests]]:
        """What is stored for one site: page id -> point id -> digests, read in one pass."""
        found: dict[str, dict[str, PointDigests]] = {}
        for record in self._scroll(condition_for(site, None), ["page_id", DIGEST_KEY, VECTORS_KEY]):
            page = str((record.payload or {}).get("page_id", ""))
            found.setdefault(page, {})[str(record.id)] = digests_of(record)
        return found

    def site_points(self, site: str) -> set[str]:
        """Ids of all points of one site."""
        return {str(record.id) for record in self._scroll(condition_for(site, None), payload=False)}

    def languages(self, site: str | None = None) -> Sequence[str]:
        """BCP 47 tags of the stored points, the most frequent first, unknown ones left out."""
        facet = partial(self._client.facet, self.name, key="language", facet_filter=condition_for(site, None))
        return [str(hit.value) for hit in self._calls.run(facet).hits if hit.value]

    def count(self, site: str | None = None) -> int:
        """Exact number of points, of one site or of all."""
        count = partial(self._client.count, self.name, count_filter=condition_for(site, None), exact=True)
        return self._calls.run(count).count

    def _scroll(self, condition: models.Filter | None, payload: bool | list[str]) -> Iterator[models.Record]:
        page = partial(
            self._client.scroll, self.name, scroll_filter=condition, limit=SCROLL_BATCH, with_payload=payload
        )
        offset: Any = None
        while True:
            records, offset = self._calls.run(partial(page, offset=offset))
            yield from records
            if offset is None:
                return

    # ------------------------------------------------------------ search

    def search(
        self,
        dense: np.ndarray,
        sparse: SparseVector,
        *,
        limit: int,
        site: str | None = None,
        filters: Mapping[str, object] | None = None,
        dense_weight: float = query.DENSE_WEIGHT,
        page_weight: float = PAGE_WEIGHT,
    ) -> list[Hit]:
        """Hybrid search, best first; chunks of the same text count once. Raises ``ConfigError`` for unknown filters."""
        asked = query.Question(dense, sparse, condition_for(site, filters), limit, dense_weight, page_weight)
        return query.answer(asked, self._searched(), self._calls, self.name)

    def _searched(self) -> QdrantClient | EdgeEngine | LocalIndex:
        """What answers a search."""
        return self._client

    # ------------------------------------------------------------ end

    def close(self) -> None:
        """Lets go of the collection; further calls are errors."""
        if self._shared:
            return
        try:
            self._calls.run(self._client.close)
        finally:
            self._on_close()

    def __enter__(self) -> QdrantStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    return (list(items[start : start + size]) for start in range(0, len(items), size))
