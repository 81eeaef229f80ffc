"""The page's own breadcrumb trail, kept as data before the element that shows it is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.removal import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LOWER: Final = "translate({}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
_microdata: Final = etree.XPath(
    "(//*[contains(@itemtype, 'schema.org/BreadcrumbList')])[1]//*[@itemprop='itemListElement']//*[@itemprop='name'][1]"
)
_marked: Final = etree.XPath(
    f"(//*[contains({_LOWER.format('@aria-label')}, 'breadcrumb')"
    f" or contains({_LOWER.format('@class')}, 'breadcrumb') or contains({_LOWER.format('@id')}, 'breadcrumb')"
    " or @id='nav-path' or (@class='related' and @role='navigation')]"
    "[not(self::body or self::html or self::main or self::article)][.//a])[1]"
)
_steps: Final = etree.XPath(
    ".//li[not(.//li)][not(contains(@class, 'separator'))][not(contains(@class, 'right'))]"
    "[not(contains(@class, 'aside'))]"
)
_step_links: Final = etree.XPath(".//a[not(ancestor::li[contains(@class, 'right')])]")
_SEPARATORS: Final = " \t\n\r\u00a0›»>/|→\u203a\u00bb:·•❯"
_LONGEST_STEP: Final = 120
_DEEPEST: Final = 12


def find_breadcrumb(root: HtmlElement, structured: tuple[str, ...], page_titles: tuple[str, ...]) -> tuple[str, ...]:
    """Outermost first, without the page itself: JSON-LD, else microdata, else the marked element."""
    trail = structured or tuple(text_of(name) for name in _microdata(root)) or _from_markup(root)
    steps = [step for step in (part.strip(_SEPARATORS) for part in trail) if step and len(step) <= _LONGEST_STEP]
    own = {title.casefold() for title in page_titles if title}
    while steps and steps[-1].casefold() in own:
        steps.pop()
    return tuple(steps[:_DEEPEST])


def _from_markup(root: HtmlElement) -> tuple[str, ...]:
    marked = _marked(root)
    if not marked:
        return ()
    items = _steps(marked[0]) or _step_links(marked[0])
    # The last step that is no link is the page itself, whatever it is called.
    if items and items[-1].tag == "li" and (items[-1].find(".//a[@href]") is None or _is_current(items[-1])):
        items = items[:-1]
    return tuple(text_of(item) for item in items)


def _is_current(item: HtmlElement) -> bool:
    return item.get("aria-current") is not None or item.find(".//*[@aria-current]") is not None
