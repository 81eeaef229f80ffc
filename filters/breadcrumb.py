"""The page's own breadcrumb trail, kept as data before the element that shows it is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from filters.text import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.survey import Survey

_SEPARATORS: Final = " \t\n\r\u00a0›»>/|→\u203a\u00bb:·•❯"
_TRAIL_TAGS: Final = frozenset({"nav", "ol", "ul", "div", "p"})
_TRAIL_IDS: Final = ("breadcrumbs", "breadcrumb", "nav-path", "path", "pagelocation")
_NO_STEP: Final = ("separator", "right", "aside", "divider", "footer")
_LONGEST_STEP: Final = 120
_DEEPEST: Final = 12


def find_breadcrumb(survey: Survey, structured: tuple[str, ...], page_titles: tuple[str, ...]) -> tuple[str, ...]:
    """Outermost first, without the page itself: JSON-LD, else microdata, else the marked element."""
    trail = structured or _from_markup(survey)
    steps = [step for step in (part.strip(_SEPARATORS) for part in trail) if step and len(step) <= _LONGEST_STEP]
    own = {title.casefold() for title in page_titles if title}
    while steps and steps[-1].casefold() in own:
        steps.pop()
    return tuple(steps[:_DEEPEST])


def _from_markup(survey: Survey) -> tuple[str, ...]:
    for marked in _marked(survey):
        if names := [text_of(name) for name in marked.iterfind(".//*[@itemprop='name']")]:
            return tuple(names)
        steps = [item for item in marked.iter("li") if _is_step(item)] or list(marked.iter("a"))
        # The last step that is no link is the page itself, whatever it is called.
        if steps and steps[-1].tag == "li" and (steps[-1].find(".//a[@href]") is None or _is_current(steps[-1])):
            steps.pop()
        if steps:
            return tuple(text_of(step) for step in steps)
    return ()


def _marked(survey: Survey) -> Iterator[HtmlElement]:
    for nav in survey.tagged("nav"):
        if "breadcrumb" in (nav.get("aria-label") or "").lower():
            yield nav
    for classes, elements in survey.by_class.items():
        if "readcrumb" in classes:
            yield from (element for element in elements if element.tag in _TRAIL_TAGS)
    for identifier in _TRAIL_IDS:
        if (found := survey.by_id.get(identifier)) is not None:
            yield found
    yield from (e for e in survey.by_token.get("related", ())[:1] if e.get("role") == "navigation")


def _is_step(item: HtmlElement) -> bool:
    classes = item.get("class") or ""
    return item.find(".//li") is None and not any(word in classes for word in _NO_STEP)


def _is_current(item: HtmlElement) -> bool:
    return item.get("aria-current") is not None or item.find(".//*[@aria-current]") is not None
