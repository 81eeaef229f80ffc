"""A collection in shards of qdrant-edge: a store like any other, with the payload indexes that our own filters need."""

from __future__ import annotations

from functools import partial

from qdrant_client import models

from indexing.layout import FILTER_KEYS
from indexing.store import QdrantStore

INDEXED_KEYS = ("site", "language", *FILTER_KEYS.values())
"""Without those of the frameworks' readers, which cannot open the folder: each index is flushed to disk when made."""


class EdgeStore(QdrantStore):
    """One collection of an edge folder, by its alias. Calls may come from any thread and run one at a time."""

    def _index(self, physical: str) -> None:
        make = partial(self._client.create_payload_index, physical, field_schema=models.PayloadSchemaType.KEYWORD)
        for key in INDEXED_KEYS:
            self._calls.run(partial(make, field_name=key))
