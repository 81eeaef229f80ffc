"""One walk over a page that notes what the filters ask for, so that no filter has to walk it again.

A walk of its own per rule would cost more than parsing the page did; this one costs about as much.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_NOTED_TAGS: Final = frozenset(
    """
    a area article aside base body button datalist details dialog footer form frame h1 header html input label link
    main meta nav script search section select summary template time title ul ol dl table
    """.split()
)
_EMPTY_TAGS: Final = frozenset({"br", "hr", "img", "col", "wbr"})
"""Void elements, which hold no text that a filter could go for."""
_HIDING_KEYS: Final = frozenset({"hidden", "style", "aria-hidden"})
_OPENING_KEYS: Final = frozenset(
    {"aria-controls", "data-target", "data-bs-target", "data-tab", "data-tabs-target", "data-toggle-target", "for"}
)
_SWITCH_KEYS: Final = frozenset({"data-toggle", "data-bs-toggle", "aria-expanded", "aria-selected", "data-uk-toggle"})
_NOTED_KEYS: Final = _HIDING_KEYS | _OPENING_KEYS | _SWITCH_KEYS | {"href", "role", "name", "rel"}


@dataclass(slots=True)
class Survey:
    """Elements of one page in document order, by what they carry. Elements that were cut meanwhile are still listed."""

    by_tag: dict[str, list[HtmlElement]] = field(default_factory=dict)
    """Only tags that some filter asks for."""
    by_class: dict[str, list[HtmlElement]] = field(default_factory=dict)
    """By the whole class attribute: a page has few different ones, and each is judged once."""
    by_token: dict[str, list[HtmlElement]] = field(default_factory=dict)
    """By each single class."""
    by_id: dict[str, HtmlElement] = field(default_factory=dict)
    """The first element of each id."""
    with_role: list[HtmlElement] = field(default_factory=list)
    marked_hidden: list[HtmlElement] = field(default_factory=list)
    """Elements with an attribute that may hide them."""
    links: list[tuple[HtmlElement, str]] = field(default_factory=list)
    """Links that lead to another address, each with its ``href``."""
    inner_links: list[tuple[HtmlElement, str]] = field(default_factory=list)
    """Links that lead to a fragment of the page, each with its ``href``."""
    fragments: set[str] = field(default_factory=set)
    """Names that a link of the page points at."""
    not_followed: set[HtmlElement] = field(default_factory=set)
    """Links with ``rel=nofollow``."""
    opened_ids: set[str] = field(default_factory=set)
    """Ids that a control of the page refers to."""
    anchors: set[str] = field(default_factory=set)
    """Names that fragments can point at besides ids."""

    @property
    def assets(self) -> list[str]:
        """Addresses of style sheets and scripts."""
        links = (element.get("href") for element in self.tagged("link"))
        return [url for url in (*links, *(element.get("src") for element in self.tagged("script"))) if url]

    def tagged(self, *tags: str) -> Iterator[HtmlElement]:
        """Elements of the given tags (each one of the noted ones), tag by tag."""
        for tag in tags:
            yield from self.by_tag.get(tag, ())

    def points_at(self, name: str) -> bool:
        """Whether a fragment of that name leads to a place on the page."""
        return name in self.by_id or name in self.anchors


def take_survey(root: HtmlElement) -> Survey:
    """The survey of a whole document."""
    survey = Survey()
    by_tag, by_class, by_id = survey.by_tag, survey.by_class, survey.by_id
    for element in root.iter("*"):
        tag = element.tag
        if tag in _EMPTY_TAGS:
            continue
        if tag in _NOTED_TAGS:
            by_tag.setdefault(tag, []).append(element)
        for key, value in element.items():
            if key == "class":
                by_class.setdefault(value, []).append(element)
            elif key == "id":
                by_id.setdefault(value, element)
            elif key in _NOTED_KEYS:
                _note(survey, element, key, value)
    for classes, elements in by_class.items():
        for token in set(classes.split()):
            survey.by_token.setdefault(token, []).extend(elements)
    return survey


def _note(survey: Survey, element: HtmlElement, key: str, value: str) -> None:
    if key == "href":
        if value[:1] == "#":
            survey.fragments.add(value[1:])
            survey.inner_links.append((element, value))
        elif value and element.tag in ("a", "area"):
            survey.links.append((element, value))
    elif key in _HIDING_KEYS:
        survey.marked_hidden.append(element)
    elif key == "role":
        survey.with_role.append(element)
    elif key == "rel":
        if "nofollow" in value.lower():
            survey.not_followed.add(element)
    elif key in _OPENING_KEYS:
        survey.opened_ids.update(part.lstrip("#") for part in value.split())
    elif key == "name":
        if element.tag == "a":
            survey.anchors.add(value)
    elif (target := element.get("href") or "")[:1] == "#":
        survey.opened_ids.add(target[1:])
