"""The part of CSS that generator facts are written in, matched against a survey instead of the whole tree.

"article.bd-article", "#content > main", "div.body[role=main]", ".wy-breadcrumbs, .related"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from cssselect import SelectorError
from lxml.cssselect import CSSSelector

from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from filters.survey import Survey

_PART: Final = re.compile(r"\[([\w-]+)=([\w-]+)\]|#([\w-]+)|\.([\w-]+)|([\w-]+)")


@dataclass(frozen=True, slots=True)
class _Compound:
    tag: str
    identifier: str
    classes: frozenset[str]
    attributes: tuple[tuple[str, str], ...]

    def matches(self, element: HtmlElement) -> bool:
        return (
            (not self.tag or element.tag == self.tag)
            and (not self.identifier or element.get("id") == self.identifier)
            and (not self.classes or self.classes.issubset((element.get("class") or "").split()))
            and all(element.get(name) == value for name, value in self.attributes)
        )

    def candidates(self, survey: Survey) -> Iterable[HtmlElement]:
        if self.identifier:
            found = survey.by_id.get(self.identifier)
            return () if found is None else (found,)
        if self.classes:
            return min((survey.by_token.get(name, []) for name in self.classes), key=len)
        if self.attributes:
            return survey.with_role
        return survey.by_tag.get(self.tag, ())


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from the innermost outwards; the flag says whether the next outer one must be the parent."""

    steps: tuple[tuple[_Compound, bool], ...]

    def find(self, survey: Survey) -> list[HtmlElement]:
        """Matching elements of the surveyed page."""
        return [element for element in self.steps[0][0].candidates(survey) if self._matches(element)]

    def _matches(self, element: HtmlElement) -> bool:
        if not self.steps[0][0].matches(element):
            return False
        node = element
        for (compound, _), (_, direct) in zip(self.steps[1:], self.steps, strict=False):
            outer = node.getparent()
            while outer is not None and not compound.matches(outer):
                outer = None if direct else outer.getparent()
            if outer is None:
                return False
            node = outer
        return True


def find_all(css: str, survey: Survey) -> list[HtmlElement]:
    """Elements that the selector matches."""
    return _parse(css).find(survey)


@cache
def _parse(css: str) -> Selector:
    steps: list[tuple[_Compound, bool]] = []
    direct = False
    for word in css.split():
        if word == ">":
            direct = True
            continue
        steps.append((_compound(word), direct))
        direct = False
    return Selector(tuple(reversed(steps)))


def _compound(css: str) -> _Compound:
    tag, identifier, classes, attributes = "", "", set(), []
    for name, value, by_id, by_class, by_tag in _PART.findall(css):
        if name:
            attributes.append((name, value))
        identifier = by_id or identifier
        tag = by_tag or tag
        if by_class:
            classes.add(by_class)
    return _Compound(tag, identifier, frozenset(classes), tuple(attributes))


def select(root: HtmlElement, css: str) -> list[HtmlElement]:
    """Elements that a selector of full CSS matches, for the selectors that a site profile brings.

    Raises ``ConfigError`` for what is no selector.
    """
    return cast("list[HtmlElement]", _compiled(css)(root))


@cache
def _compiled(css: str) -> CSSSelector:
    try:
        return CSSSelector(css, translator="html")
    except SelectorError as error:
        raise ConfigError(f"{css!r} in the site profile is no CSS selector: {error}") from error
