"""The calls that a store makes, answered by shards of qdrant-edge in one folder.

A shard is one collection in a folder of its own; aliases are ours (``manifest``), and so is the lock (``holding``). The
engine writes ahead: a process that is killed loses nothing that a call has returned from, the next ``load`` reads it
again. Flushed to disk it is when the engine is closed.
"""

from __future__ import annotations

import shutil
import uuid
from typing import TYPE_CHECKING, Any

import qdrant_edge as edge
from qdrant_client import models

from indexing.edge import translation
from indexing.edge.errors import engine_errors
from indexing.edge.manifest import Manifest, left_behind, shard_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from qdrant_client.http.models import QueryResponse  # in ``models`` another one has its name


class EdgeEngine:
    """The collections of one folder, which nobody else has open. Raises ``ValueError``, ``RuntimeError``, ``OSError``.

    Signatures are those of ``QdrantClient``; every name may be an alias. Nothing is done later, whatever ``wait`` says.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest = Manifest.read(folder)
        self._shards: dict[str, edge.EdgeShard] = {}
        self._facets: dict[tuple[str, str, int, str], models.FacetResponse] = {}
        self._closed = False
        self._writing = False
        for lost in left_behind(folder, self._manifest):
            shutil.rmtree(lost)

    # ------------------------------------------------------------ collections and aliases

    def collection_exists(self, collection_name: str) -> bool:
        """Whether there is a collection of this name or alias."""
        return self._told().resolve(collection_name) is not None

    def get_collections(self) -> models.CollectionsResponse:
        """All collections, by their own names."""
        return models.CollectionsResponse(
            collections=[models.CollectionDescription(name=name) for name in self._told().collections]
        )

    def get_collection(self, collection_name: str) -> models.CollectionInfo:
        """What a collection was made with: of all that a server tells, the metadata alone."""
        metadata = self._told().collections[self._own(collection_name)]
        return models.CollectionInfo.model_construct(config=models.CollectionConfig.model_construct(metadata=metadata))

    def get_aliases(self) -> models.CollectionsAliasesResponse:
        """All aliases."""
        return models.CollectionsAliasesResponse(
            aliases=[
                models.AliasDescription(alias_name=alias, collection_name=own)
                for alias, own in self._told().aliases.items()
            ]
        )

    def create_collection(
        self,
        collection_name: str,
        vectors_config: models.VectorParams,
        sparse_vectors_config: Mapping[str, models.SparseVectorParams],
        metadata: dict[str, Any],
    ) -> None:
        """An empty collection stands; the manifest names it last, so that a half-made one is none."""
        self._begin_writing()
        place = shard_folder(self._folder, collection_name)
        place.mkdir(parents=True)
        with engine_errors():
            shard = edge.EdgeShard.create(str(place), translation.config(vectors_config, sparse_vectors_config))
        self._shards[collection_name] = shard
        self._manifest.collections[collection_name] = metadata
        self._manifest.save(self._folder)

    def delete_collection(self, collection_name: str) -> None:
        """The collection is gone with its files."""
        own = self._own(collection_name)
        self._begin_writing()
        del self._manifest.collections[own]
        self._manifest.save(self._folder)
        if (shard := self._shards.pop(own, None)) is not None:
            with engine_errors():
                shard.close()
        shutil.rmtree(shard_folder(self._folder, own))

    def update_collection_aliases(self, change_aliases_operations: Sequence[models.AliasOperations]) -> None:
        """All changes are made, in one step."""
        aliases = dict(self._told().aliases)
        for each in change_aliases_operations:
            if isinstance(each, models.CreateAliasOperation):
                aliases[each.create_alias.alias_name] = self._own(each.create_alias.collection_name)
            elif isinstance(each, models.DeleteAliasOperation):
                aliases.pop(each.delete_alias.alias_name, None)
            else:
                raise ValueError(f"the edge engine does not know {each!r}")  # noqa: TRY004
        self._begin_writing()
        self._manifest.aliases = aliases
        self._manifest.save(self._folder)

    def create_payload_index(
        self,
        collection_name: str,
        field_name: str,
        field_schema: models.PayloadSchemaType | models.KeywordIndexParams,
        *,
        wait: bool = True,  # noqa: ARG002
    ) -> None:
        """The key has an index."""
        with engine_errors():
            known = self._shard(collection_name).info().payload_schema
        if field_name not in known:
            operation = edge.UpdateOperation.create_field_index(field_name, translation.schema(field_schema))
            self._write(collection_name, operation)

    # ------------------------------------------------------------ points

    def upsert(
        self,
        collection_name: str,
        points: Sequence[models.PointStruct],
        *,
        wait: bool = True,  # noqa: ARG002
    ) -> None:
        """The points are stored in place of any others of their ids."""
        with engine_errors():
            operation = edge.UpdateOperation.upsert_points([translation.point(each) for each in points])
        self._write(collection_name, operation)

    def delete(
        self,
        collection_name: str,
        points_selector: models.PointIdsList,
        *,
        wait: bool = True,  # noqa: ARG002
    ) -> None:
        """None of the ids is stored."""
        with engine_errors():
            operation = edge.UpdateOperation.delete_points([str(each) for each in points_selector.points])
        self._write(collection_name, operation)

    def batch_update_points(
        self,
        collection_name: str,
        update_operations: Sequence[models.OverwritePayloadOperation],
        *,
        wait: bool = True,  # noqa: ARG002
    ) -> None:
        """Each payload is what it was overwritten with, in order."""
        for each in update_operations:
            told = each.overwrite_payload
            with engine_errors():
                points: list[int | uuid.UUID | str] = [str(identity) for identity in told.points or []]
                operation = edge.UpdateOperation.overwrite_payload(points, told.payload)
            self._write(collection_name, operation)

    def retrieve(self, collection_name: str, ids: Sequence[Any], with_payload: Any = True) -> list[models.Record]:
        """Those of the points that are stored."""
        with engine_errors():
            shard = self._shard(collection_name)
            return translation.records(
                shard.retrieve(
                    [str(each) for each in ids], with_payload=translation.shown(with_payload), with_vector=False
                )
            )

    def scroll(
        self,
        collection_name: str,
        scroll_filter: models.Filter | None = None,
        limit: int = 10,
        *,
        offset: Any = None,
        with_payload: Any = True,
    ) -> tuple[list[models.Record], Any]:
        """A page of points by ascending id, and where the next one starts; None behind the last."""
        with engine_errors():
            request = edge.ScrollRequest(
                offset=offset,
                limit=limit,
                filter=translation.condition(scroll_filter),
                with_payload=translation.shown(with_payload),
            )
            found, following = self._shard(collection_name).scroll(request)
            return translation.records(found), following

    def facet(
        self, collection_name: str, key: str, facet_filter: models.Filter | None = None, limit: int = 10
    ) -> models.FacetResponse:
        """The values of a payload key that has an index, the most frequent first; counted anew after a write.

        Every search asks for the languages, and counting goes through all points.
        """
        asked = (self._own(collection_name), key, limit, facet_filter.model_dump_json() if facet_filter else "")
        if (known := self._facets.get(asked)) is None:
            with engine_errors():
                request = edge.FacetRequest(key, limit=limit, exact=True, filter=translation.condition(facet_filter))
                found = self._shard(collection_name).facet(request).hits
            hits = [models.FacetValueHit(value=hit.value, count=hit.count) for hit in found]
            known = self._facets[asked] = models.FacetResponse(hits=hits)
        return known

    def count(
        self, collection_name: str, count_filter: models.Filter | None = None, *, exact: bool = True
    ) -> models.CountResult:
        """How many points match."""
        with engine_errors():
            request = edge.CountRequest(exact=exact, filter=translation.condition(count_filter))
            return models.CountResult(count=self._shard(collection_name).count(request))

    # ------------------------------------------------------------ search

    def query_batch_points(self, collection_name: str, requests: Sequence[models.QueryRequest]) -> list[QueryResponse]:
        """The answer to each request, in order."""
        with engine_errors():
            batch = edge.QueryBatchRequest([translation.query(each) for each in requests])
            return [translation.answer(found) for found in self._shard(collection_name).query_batch(batch)]

    def query_points(
        self,
        collection_name: str,
        query: Any,
        *,
        query_filter: models.Filter | None = None,
        limit: int = 10,
        with_payload: Any = True,
    ) -> QueryResponse:
        """The points nearest to a dense vector."""
        request = models.QueryRequest(query=query, filter=query_filter, limit=limit, with_payload=with_payload)
        return self.query_batch_points(collection_name, [request])[0]

    # ------------------------------------------------------------ end

    def close(self) -> None:
        """All that was written is on disk, room of deleted points is taken back; further calls are errors."""
        if self._closed:
            return
        self._closed = True
        for shard in self._shards.values():
            with engine_errors():
                if self._writing:
                    shard.optimize()
                    shard.flush()
                shard.close()
        self._shards.clear()
        if self._writing:
            self._manifest.written = uuid.uuid4().hex
            self._manifest.save(self._folder)

    # ------------------------------------------------------------ shards

    def _told(self) -> Manifest:
        if self._closed:
            raise RuntimeError("the collection is closed")
        return self._manifest

    def _own(self, name: str) -> str:
        own = self._told().resolve(name)
        if own is None:
            raise ValueError(f"there is no collection {name!r}")
        return own

    def _shard(self, name: str) -> edge.EdgeShard:
        own = self._own(name)
        if own not in self._shards:
            self._shards[own] = edge.EdgeShard.load(str(shard_folder(self._folder, own)))
        return self._shards[own]

    def _write(self, name: str, operation: edge.UpdateOperation) -> None:
        self._begin_writing()
        with engine_errors():
            self._shard(name).update(operation)

    def _begin_writing(self) -> None:
        """Whoever finds the folder from now on, and not closed, knows that it may have changed."""
        self._told()
        self._facets.clear()
        if not self._writing:
            self._manifest.written = ""
            self._manifest.save(self._folder)
            self._writing = True
