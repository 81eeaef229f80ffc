"""What is stored with a point, readable by LangChain, LlamaIndex and Haystack at their defaults.

    LangChain      page_content, metadata
    LlamaIndex     _node_content (JSON of a TextNode), _node_type, doc_id, document_id, ref_doc_id
    Haystack       content, meta
    MCP server     document
    everyone       the filter keys, flat

The text therefore stands in a point several times. Nothing secret is stored: URLs lose their credentials.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexing.citation import cite, path_prefixes, public_url
from indexing.dates import date_words
from indexing.layout import DIGEST_KEY, LAYOUT_VERSION, VECTORS_KEY, WINDOWS_KEY
from indexing.vectors import pack_windows
from wrac.ids import digest, digest_of, point_id
from wrac.language_tags import primary_subtag
from wrac.records import Point

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wrac.records import Chunk, ChunkVectors


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What all chunks of a page have in common."""

    site: str
    page_id: str
    url: str
    """Canonical URL, without fragment."""
    title: str
    fetched_at: datetime
    language: str = ""
    version: str = ""
    source_kind: str = "html"
    description: str = ""
    published: str = ""
    modified: str = ""
    trail: tuple[str, ...] = ()
    """The page's own breadcrumb trail, outermost first."""
    document_digest: str = ""
    recipe: str = ""
    """Names and versions of all that shaped the chunks."""
    pages_ok: int | None = None
    """Pages of a document of which everything readable is in its chunks; None where there are no pages."""
    pages_total: int | None = None


def build_points(page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> list[Point]:
    """One point per chunk, in order. The same page gives the same points; ``len(vectors) == len(chunks)``."""
    seen: Counter[str] = Counter()
    points = []
    for chunk, vector in zip(chunks, vectors, strict=True):
        identity = point_id(page.site, page.page_id, chunk.digest, seen[chunk.digest])
        seen[chunk.digest] += 1
        payload = build_payload(identity, page, chunk, vector, len(chunks))
        points.append(Point(id=identity, vectors=vector, payload=payload))
    return points


def build_payload(
    identity: str, page: PageFacts, chunk: Chunk, vectors: ChunkVectors, chunk_count: int
) -> dict[str, Any]:
    """The payload of one point; JSON values only."""
    facts = _facts(page, chunk, chunk_count)
    payload: dict[str, Any] = {
        **facts,
        "layout": LAYOUT_VERSION,
        "page_content": chunk.text,
        "metadata": dict(facts),
        "_node_content": _llama_node(identity, page.page_id, chunk.text, facts),
        "_node_type": "TextNode",
        "doc_id": page.page_id,
        "document_id": page.page_id,
        "ref_doc_id": page.page_id,
        "content": chunk.text,
        "meta": dict(facts),
        "document": chunk.text,
        "unit_ids": list(chunk.unit_ids),
        "recipe": page.recipe,
        DIGEST_KEY: _payload_digest(facts, chunk, page.recipe),
        VECTORS_KEY: vectors_digest(vectors),
    }
    if len(vectors.spans) > 1:
        payload["parts"] = [chunk.embed_text[start:end].strip() for start, end in vectors.spans]
        payload[WINDOWS_KEY] = pack_windows(vectors.windows)
    return payload


def _payload_digest(facts: dict[str, Any], chunk: Chunk, recipe: str) -> str:
    """Digest of all that the payload is made of, but for the time of fetching: that alone is no reason to write."""
    lasting = {key: value for key, value in facts.items() if key != "fetched_at"}
    told = json.dumps([LAYOUT_VERSION, lasting, recipe, chunk.unit_ids], sort_keys=True)
    return digest_of(told, chunk.text, chunk.embed_text)


def vectors_digest(vectors: ChunkVectors) -> str:
    """Digest of everything that is searched by; the dense vector follows from the windows."""
    return digest_of(
        digest(vectors.windows.tobytes()),
        digest(vectors.sparse.indices.tobytes()),
        digest(vectors.sparse.values.tobytes()),
    )


def _facts(page: PageFacts, chunk: Chunk, chunk_count: int) -> dict[str, Any]:
    url = public_url(page.url)
    return {
        "site": page.site,
        "page_id": page.page_id,
        "url": url,
        "source": cite(url, chunk.fragment, chunk.pages[0] if chunk.pages else None, page.source_kind),
        "paths": path_prefixes(url),
        "title": page.title,
        "description": page.description,
        "heading_path": list(chunk.heading_path),
        "breadcrumb": chunk.breadcrumb,
        "trail": list(page.trail),
        "language": page.language,
        "languages": list(dict.fromkeys(tag for tag in (primary_subtag(page.language), page.language.lower()) if tag)),
        "version": page.version,
        "source_kind": page.source_kind,
        "kind": chunk.kind,
        "published": page.published,
        "modified": page.modified,
        "dates": date_words(page.modified or page.published),
        "ordinal": chunk.ordinal,
        "chunk_count": chunk_count,
        "tokens": chunk.tokens,
        "digest": chunk.digest,
        "document_digest": page.document_digest,
        "pages": list(chunk.pages),
        "fetched_at": page.fetched_at.isoformat(),
        **({} if page.pages_total is None else {"pages_ok": page.pages_ok, "pages_total": page.pages_total}),
    }


def _llama_node(identity: str, page_id: str, text: str, facts: dict[str, Any]) -> str:
    """A LlamaIndex ``TextNode`` as JSON, with its page as the source document (relationship ``1``)."""
    node: dict[str, Any] = {
        "id_": identity,
        "embedding": None,
        "metadata": facts,
        "excluded_embed_metadata_keys": list(facts),
        "excluded_llm_metadata_keys": [key for key in facts if key not in ("title", "breadcrumb", "source")],
        "relationships": {
            "1": {"node_id": page_id, "node_type": "4", "metadata": {}, "hash": facts["document_digest"] or None}
        },
        "text": text,
        "mimetype": "text/plain",
        "class_name": "TextNode",
    }
    return json.dumps(node, ensure_ascii=False)
