"""A collection in shards of qdrant-edge: a store like any other, without what only the readers of other stores need."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from qdrant_client import models

from indexing.layout import FILTER_KEYS
from indexing.store import QdrantStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wrac.records import Point

INDEXED_KEYS = ("site", "language", *FILTER_KEYS.values())
"""Without those of the frameworks' readers, which cannot open the folder: each index is flushed to disk when made."""
READERS_KEYS = frozenset({"metadata", "_node_content", "_node_type", "content", "meta", "document"})
"""Payload keys in which the frameworks read once more what our own keys say: half of a payload, and a search decodes
the payloads of all its candidates."""


class EdgeStore(QdrantStore):
    """One collection of an edge folder, by its alias. Calls may come from any thread and run one at a time."""

    def upsert(self, points: Sequence[Point]) -> None:
        """All points are stored and visible to the next search. Running twice is a no-op."""
        super().upsert([replace(point, payload=_own_keys(point.payload)) for point in points])

    def set_payload(self, payloads: Mapping[str, Mapping[str, object]]) -> None:
        """Replaces the payload of each point, vectors untouched."""
        super().set_payload({identity: _own_keys(payload) for identity, payload in payloads.items()})

    def generation(self, physical: str) -> EdgeStore:
        """One of ``generations``, by its own name; open for as long as this store is."""
        return EdgeStore(self._client, physical, self._calls, shared=True)

    def _index(self, physical: str) -> None:
        make = partial(self._client.create_payload_index, physical, field_schema=models.PayloadSchemaType.KEYWORD)
        for key in INDEXED_KEYS:
            self._calls.run(partial(make, field_name=key))


def _own_keys(payload: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in payload.items() if key not in READERS_KEYS}
