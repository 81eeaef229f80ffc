"""Recognises the documentation generator that emitted a page, by what it emits and never by the name of a site."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from filters.generator_facts import GENERATORS
from filters.selectors import find_all

if TYPE_CHECKING:
    from filters.generator_facts import Generator
    from filters.scope import Scope
    from filters.survey import Survey
    from wrac.records import Removal

_TOKEN: Final = re.compile(r"[#.][\w-]+|~[^\s]+")


def recognise(survey: Survey) -> Generator | None:
    """The generator that emitted the page: its own meta element says so, else its ids and classes."""
    declared = [
        (meta.get("content") or "").strip().lower()
        for meta in survey.tagged("meta")
        if (meta.get("name") or "").lower() == "generator"
    ]
    by_meta = [g for g in GENERATORS if g.meta and any(value.startswith(g.meta) for value in declared)]
    if len(by_meta) == 1 and by_meta[0].kind != "article":
        return by_meta[0]
    assets = "\n".join(survey.assets)
    for generator in by_meta or GENERATORS:
        if any(all(_is_present(token, survey, assets) for token in marks) for marks in _split_marks(generator.marks)):
            return generator
    return by_meta[0] if by_meta else None


def drop_generator_chrome(scope: Scope) -> list[Removal]:
    """What the recognised generator puts into its content element without being content."""
    if scope.generator is None:
        return []
    rule = f"generator.{scope.generator.name}"
    found = (element for css in scope.generator.chrome for element in find_all(css, scope.survey))
    return [removal for element in found for removal in scope.cut(element, rule)]


def _is_present(token: str, survey: Survey, assets: str) -> bool:
    if token[0] == "~":
        return token[1:] in assets
    return token[1:] in (survey.by_id if token[0] == "#" else survey.by_token)


@cache
def _split_marks(marks: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_TOKEN.findall(one)) for one in marks)
