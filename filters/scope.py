"""What a filter works on: the element in which it may cut, what is protected there, and the guards every cut passes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.removal import holds_content, take_out, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from filters.generators import Generator
    from wrac.records import Removal

SMALL_SHARE: Final = 0.3
"""Share of the page's text up to which a rule that knows no more than a class name may cut."""

_opened_ids: Final = etree.XPath(
    "//@aria-controls | //@data-target | //@data-bs-target | //@data-tab | //@data-tabs-target"
    " | //*[@role='tab' or @data-toggle or @data-bs-toggle or @aria-expanded]/@href | //label/@for",
    smart_strings=False,
)


@dataclass(slots=True)
class Scope:
    """The part of one page that is being cleaned."""

    root: HtmlElement
    generator: Generator | None = None
    declared: bool = False
    """Whether ``root`` is the content element that the page itself names, rather than its whole body."""
    protected: frozenset[HtmlElement] = frozenset()
    """Elements that the site profile keeps, with all that holds them and all that they hold."""
    opened: frozenset[str] = frozenset()
    """Ids of elements that a control of the page opens."""
    characters: int = field(init=False)
    """Length of the text at the start."""

    def __post_init__(self) -> None:
        self.characters = len(text_of(self.root))

    def contains(self, element: HtmlElement) -> bool:
        """Whether the element still stands inside the scope (an earlier cut may have taken it along)."""
        node: HtmlElement | None = element
        while node is not None:
            if node is self.root:
                return node is not element
            node = node.getparent()
        return False

    def cut(self, element: HtmlElement, rule: str) -> list[Removal]:
        """Takes the element out unless it is protected, gone already, or the scope itself."""
        if element in self.protected or not self.contains(element):
            return []
        return take_out(element, rule)

    def cut_all(self, elements: Iterable[HtmlElement], rule: str) -> list[Removal]:
        """``cut`` over several elements; inner ones go with the outer."""
        return [removal for element in elements for removal in self.cut(element, rule)]

    def may_drop_by_name(self, element: HtmlElement, share: float = SMALL_SHARE) -> bool:
        """Whether a rule that knows no more than a class name may cut the element.

        Never one that holds code, a table or an ordered list, and never more than ``share`` of the text.
        """
        if element in self.protected or holds_content(element):
            return False
        return len(text_of(element)) <= share * self.characters


def ids_opened_by_controls(root: HtmlElement) -> frozenset[str]:
    """Ids that tabs, accordions and other controls of the page open."""
    return frozenset(part.lstrip("#") for value in _opened_ids(root) for part in value.split())


def link_share(element: HtmlElement) -> float:
    """Share of the element's text that stands in links or buttons, 0 to 1; 1 for an element without text."""
    total = len(text_of(element))
    if not total:
        return 1.0
    return min(1.0, sum(len(text_of(link)) for link in element.iter("a", "button")) / total)
