"""What the papers' authors published for the corpus: chunks and plans that GPT-4.1 made, what they cost and took."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wrac.records import Usage

if TYPE_CHECKING:
    from evaluation.corpora.ragmc import RagMultiCorpus


@dataclass(frozen=True, slots=True)
class PublishedElement:
    """One line-numbered piece of a document in W-RAC's structure map."""

    id: str
    """``heading_N`` or ``text_N``, N the line that it begins on, from 0."""
    line: int

    @property
    def is_heading(self) -> bool:
        """Whether its id says so."""
        return self.id.startswith("heading")


@dataclass(frozen=True, slots=True)
class PublishedChunks:
    """One document as a method published it."""

    filename: str
    chunks: tuple[str, ...]
    usage: Usage
    seconds: float
    """Wall time of the call, the model's latency included."""


@dataclass(frozen=True, slots=True)
class PublishedPlan(PublishedChunks):
    """One document with the identifiers that W-RAC's model answered."""

    markdown: str
    elements: tuple[PublishedElement, ...]
    arrays: tuple[tuple[str, ...], ...]


def published_agentic(corpus: RagMultiCorpus, organisation: str) -> list[PublishedChunks]:
    """Agentic chunking: the model wrote the text of every chunk. Empty where nothing is published."""
    file = corpus.published(organisation, "agentic", "jsonl")
    if file is None:
        return []
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [
        PublishedChunks(
            filename=row["file_name"],
            chunks=_texts(row.get("chunks")),
            usage=_usage(row.get("usage")),
            seconds=_seconds(row.get("time")),
        )
        for row in rows
    ]


def published_plans(corpus: RagMultiCorpus, organisation: str) -> list[PublishedPlan]:
    """W-RAC: the model answered identifiers. Empty where nothing is published."""
    file = corpus.published(organisation, "wrac", "json")
    if file is None:
        return []
    return [
        PublishedPlan(
            filename=row["filename"],
            chunks=_texts(row.get("chunks")),
            usage=_usage(row.get("token_usage")),
            seconds=_seconds(row.get("time_taken")),
            markdown=text if isinstance(text := row.get("markdown_content"), str) else "",
            elements=_elements(row.get("structure_map_output")),
            arrays=_arrays(row.get("gpt_chunks")),
        )
        for row in json.loads(file.read_text(encoding="utf-8"))
    ]


def _texts(chunks: Any) -> tuple[str, ...]:
    """The chunks; documents whose reply was lost have something else there."""
    return tuple(chunk for chunk in chunks if isinstance(chunk, str)) if isinstance(chunks, list) else ()


def _arrays(reply: Any) -> tuple[tuple[str, ...], ...]:
    arrays = reply.get("chunks") if isinstance(reply, dict) else None
    return tuple(tuple(map(str, array)) for array in arrays) if isinstance(arrays, list) else ()


def _elements(structure: Any) -> tuple[PublishedElement, ...]:
    found = structure if isinstance(structure, list) else []
    return tuple(PublishedElement(str(e["id"]), e["line"]) for e in found if isinstance(e.get("line"), int))


def _usage(billed: Any) -> Usage:
    if not isinstance(billed, dict):
        return Usage(calls=1)
    cached = (billed.get("input_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(billed.get("input_tokens") or 0, cached, billed.get("output_tokens") or 0, calls=1)


def _seconds(measured: Any) -> float:
    """Zero where no time was written down."""
    return float(measured) if isinstance(measured, int | float) and math.isfinite(measured) else 0.0
