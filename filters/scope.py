"""What a filter works on: the element in which it may cut, what is protected there, and the guards every cut passes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from filters.removal import take_out
from filters.text import holds_code, holds_content, holds_table, length_of, link_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

    from filters.generator_facts import Generator
    from filters.survey import Survey
    from wrac.records import Removal

SMALL_SHARE: Final = 0.3
"""Share of the page's text up to which a rule that knows no more than a class name may cut."""
LONGEST_LINE: Final = 120
MOST_MEASURED: Final = 300
_NEVER_LINE: Final = frozenset({"html", "body", "main", "article", "td", "pre"})
MOSTLY_LINKS: Final = 0.6
"""Share of link text from which a block is a menu rather than prose."""


@dataclass(slots=True)
class Scope:
    """The part of one page that is being cleaned."""

    root: HtmlElement
    survey: Survey
    generator: Generator | None = None
    declared: bool = False
    """Whether ``root`` is the content element that the page itself names, rather than its whole body."""
    protected: frozenset[HtmlElement] = frozenset()
    """Elements that the site profile keeps, with all that holds them and all that they hold."""
    url: str = ""
    """The page's own address."""
    base: str = ""
    """What its relative links resolve against."""
    characters: int = field(init=False)
    """Length of the text at the start."""

    def __post_init__(self) -> None:
        self.characters = length_of(self.root)

    @property
    def documented(self) -> bool:
        """Whether a known generator made the page, whose content element holds no furniture of articles."""
        return self.generator is not None and self.generator.kind != "article"

    @property
    def file_name(self) -> str:
        """Last step of the page's own path, by which its links may name it; empty for a folder."""
        return self.url.partition("#")[0].partition("?")[0].rpartition("/")[2]

    def contains(self, element: HtmlElement) -> bool:
        """Whether the element stands inside the scope (an earlier cut may have taken it along)."""
        node = element.getparent()
        while node is not None:
            if node is self.root:
                return True
            node = node.getparent()
        return False

    def within(self, elements: Iterable[HtmlElement]) -> Iterator[HtmlElement]:
        """Those of the elements that stand inside the scope at the moment they are asked for."""
        return (element for element in elements if self.contains(element))

    def within_few(self, elements: Iterable[HtmlElement]) -> Iterator[HtmlElement]:
        """``within`` for rules that measure what is round an element: a hostile page has any number of them."""
        return islice(self.within(elements), MOST_MEASURED)

    def cut(self, element: HtmlElement, rule: str) -> list[Removal]:
        """Takes the element out unless it is protected, gone already, or the scope itself."""
        if element in self.protected or not self.contains(element):
            return []
        return take_out(element, rule)

    def may_drop_by_name(self, element: HtmlElement, share: float = SMALL_SHARE) -> bool:
        """Whether a rule that knows no more than a class name may cut the element.

        Never one that holds code, a table or an ordered list, and never more than ``share`` of the text, except that a
        block that is mostly links may be long and may number them.
        """
        if element in self.protected:
            return False
        if not holds_content(element):
            return length_of(element) <= share * self.characters or link_share(element) >= MOSTLY_LINKS
        return not holds_code(element) and not holds_table(element) and link_share(element) >= MOSTLY_LINKS


def line_round(scope: Scope, link: HtmlElement) -> HtmlElement:
    """The outermost line of which the link is the main part."""
    line = link
    for ancestor in link.iterancestors():
        if ancestor is scope.root or ancestor.tag in _NEVER_LINE or length_of(ancestor) > LONGEST_LINE:
            break
        if link_share(ancestor) < MOSTLY_LINKS or holds_code(ancestor):
            break
        line = ancestor
    return line
