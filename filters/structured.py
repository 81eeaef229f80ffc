"""What a page says about itself in JSON-LD (schema.org, https://schema.org/docs/gs.html)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from filters.survey import Survey

_DEEPEST: Final = 6
_LARGEST: Final = 500_000


@dataclass(frozen=True, slots=True)
class StructuredData:
    """Facts out of JSON-LD; empty where there are none."""

    published: str = ""
    modified: str = ""
    language: str = ""
    breadcrumb: tuple[str, ...] = ()


def read_structured_data(survey: Survey) -> StructuredData:
    """The first value of each fact in document order. A broken script is as good as none."""
    published = modified = language = ""
    breadcrumb: tuple[str, ...] = ()
    for script in survey.tagged("script"):
        text = script.text or ""
        if "ld+json" not in (script.get("type") or "") or len(text) > _LARGEST:
            continue
        try:
            data = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        for thing in _things(data, 0):
            published = published or _string(thing.get("datePublished"))
            modified = modified or _string(thing.get("dateModified"))
            language = language or _string(thing.get("inLanguage"))
            if not breadcrumb and "BreadcrumbList" in _types(thing):
                breadcrumb = _trail(thing)
    return StructuredData(published, modified, language, breadcrumb)


def _things(data: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _DEEPEST:
        return
    if isinstance(data, list):
        for item in data:
            yield from _things(item, depth + 1)
    elif isinstance(data, dict):
        yield data
        for key in ("@graph", "breadcrumb", "mainEntity", "mainEntityOfPage"):
            if key in data:
                yield from _things(data[key], depth + 1)


def _types(thing: dict[str, Any]) -> tuple[str, ...]:
    value = thing.get("@type")
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


def _trail(thing: dict[str, Any]) -> tuple[str, ...]:
    items = thing.get("itemListElement")
    found: list[tuple[float, str]] = []
    for place, item in enumerate(items if isinstance(items, list) else []):
        if not isinstance(item, dict):
            continue
        inner = item.get("item")
        name = _string(item.get("name")) or (_string(inner.get("name")) if isinstance(inner, dict) else "")
        if name:
            found.append((_position(item.get("position"), place), name))
    return tuple(name for _, name in sorted(found, key=lambda pair: pair[0]))


def _position(value: Any, default: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float(default)


def _string(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
