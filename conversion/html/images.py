"""Images: kept with their alternative text, decoration left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.marks import visible

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "srcset")
_EMOJI = re.compile(r"emoji|twemoji|wp-smiley", re.IGNORECASE)
_FORMULA = re.compile(r"(?:^|[\s_-])(?:math|tex|latex|mwe-math-fallback)", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]<&])")


def image(state: State, element: HtmlElement) -> str:
    """``![alt](source)``, the bare text of an emoji or formula image; empty for decoration."""
    alternative = " ".join(visible(element.get("alt") or "").split())
    if not alternative or element.get("role") in ("presentation", "none") or element.get("aria-hidden") == "true":
        return ""
    name = element.get("class") or ""
    if _EMOJI.search(name) or state.plain:
        return alternative
    if _FORMULA.search(name):
        return state.keep(f"${alternative.strip('$ ')}$")
    target = source(state, element)
    return state.keep(f"![{_SPECIAL.sub(_escape, alternative)}]({target})")


def source(state: State, element: HtmlElement) -> str:
    """Absolute address of the picture that a reader would see, lazy loading looked through; empty for inline data."""
    candidates = [element.get("src"), *(element.get(name) for name in _LAZY)]
    lazy = [c for c in candidates[1:] if c]
    if candidates[0] and lazy and _is_placeholder(candidates[0]):
        candidates = lazy
    for candidate in candidates:
        if candidate and (target := state.links.absolute(_first_of_set(candidate))):
            return target
    return ""


def _is_placeholder(reference: str) -> bool:
    return bool(re.search(r"^data:|placeholder|blank\.|spacer|pixel|loading", reference))


def _first_of_set(candidate: str) -> str:
    """The first address of a ``srcset`` value; any other value as it is."""
    if re.search(r"\s\d+(?:\.\d+)?[wx]\s*(?:,|$)", candidate):
        return candidate.split(maxsplit=1)[0].rstrip(",")
    return candidate


def _escape(special: re.Match[str]) -> str:
    return "\\" + special.group(1)
