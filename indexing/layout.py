"""The one layout of every collection, which LangChain, LlamaIndex and Haystack read at their defaults.

One unnamed dense vector and one sparse vector, nothing else: Haystack refuses a collection that has any named dense
vector, so the window vectors of oversized chunks lie in the payload.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wrac.ids import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

LAYOUT_VERSION = 1
"""Raised whenever stored points would no longer be found or read; another version is another collection."""
DENSE = ""
"""The unnamed vector: the default of all three frameworks."""
SPARSE = "langchain-sparse"
WINDOWS_KEY = "window_vectors"
"""Payload key of a chunk's window vectors, where it has several: base64 of float16, see ``vectors.pack_windows``."""
RESCORED_KEYS = ("digest", "site", "page_id", WINDOWS_KEY)
"""Payload keys that the candidates of a search are scored again by."""
METADATA_KEY = "wrac"
DIGEST_KEY = "payload_digest"
"""Payload key: digest of what the payload says."""
VECTORS_KEY = "vectors_digest"
"""Payload key: digest of the vectors beside it."""

KEYWORD_KEYS = (
    "page_id",
    "doc_id",
    "url",
    "paths",
    "dates",
    "language",
    "languages",
    "version",
    "source_kind",
    "kind",
    "digest",
    "metadata.site",
    "metadata.language",
    "metadata.version",
    "meta.site",
    "meta.language",
    "meta.version",
)
"""Payload keys with an index, beside ``site``, which is the tenant key."""
FILTER_KEYS = {
    "page_id": "page_id",
    "url": "url",
    "path": "paths",
    "date": "dates",
    "language": "languages",
    "version": "version",
    "source_kind": "source_kind",
    "kind": "kind",
    "digest": "digest",
}
"""What a search may be narrowed by -> payload key.

``path`` and ``date`` match all below them (``/guide``, ``2026-05``), ``language=en`` also ``en-us``.
"""
SPAN_KEYS = ("since", "until")
"""What narrows to a span of time, both ends included; of pages that tell no date none is found by it."""


@dataclass(frozen=True, slots=True)
class CollectionLayout:
    """What a collection was made for; points of two layouts never share one."""

    embedder: str
    dimension: int
    sparse: str
    version: int = LAYOUT_VERSION

    def as_metadata(self) -> dict[str, object]:
        """What stands in the collection's own metadata."""
        return {
            METADATA_KEY: {
                "layout": self.version,
                "embedder": self.embedder,
                "dimension": self.dimension,
                "sparse": self.sparse,
            }
        }

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, object] | None) -> CollectionLayout | None:
        """The layout that a collection's metadata tells of; None where it is not one of ours."""
        told = (metadata or {}).get(METADATA_KEY)
        if not isinstance(told, dict):
            return None
        return cls(
            embedder=str(told.get("embedder", "")),
            dimension=int(told.get("dimension", 0)),
            sparse=str(told.get("sparse", "")),
            version=int(told.get("layout", 0)),
        )

    def physical_name(self, alias: str) -> str:
        """Name of the collection behind the alias, so that a rebuild can stand beside it: ``docs--minilm-3f2a91``."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.embedder.lower()).strip("-")[:40]
        mark = digest_of(str(self.version), self.embedder, str(self.dimension), self.sparse)[:6]
        return f"{alias}--{slug}-{mark}"

    def __str__(self) -> str:
        return f"{self.embedder} ({self.dimension} dimensions), {self.sparse}, layout {self.version}"
