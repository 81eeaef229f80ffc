"""One page from its bytes to its clean content element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters import consent, furniture, hidden, login, navigation
from filters.content import cut_free, declared_content
from filters.generators import recognise, selector
from filters.links import base_url, find_directives, find_links
from filters.metadata import read_metadata
from filters.parse import STAGE, parse_html
from filters.removal import text_of
from filters.scope import Scope, ids_opened_by_controls
from wrac.errors import LoginWall, NothingExtracted
from wrac.records import CleanedPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

    from filters.generators import Generator
    from wrac.records import FetchedPage, Removal

_machinery: Final = etree.XPath(
    "//script[not(starts-with(@type, 'math/'))] | //style | //noscript | //template | //comment()"
    " | //processing-instruction() | //head/link | //object[not(normalize-space())] | //iframe"
)
_controls: Final = etree.XPath("descendant::*[self::select or self::datalist or self::input]")
_WALL_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True)
class CleaningRules:
    """CSS selectors out of a site profile."""

    keep: tuple[str, ...] = ()
    """No filter removes these, nor what they hold."""
    strip: tuple[str, ...] = ()
    """Always removed."""
    main: str = ""
    """The content element; empty to find it."""


FILTERS: Final[tuple[Callable[[Scope], list[Removal]], ...]] = (
    consent.drop_consent_managers,
    consent.drop_consent_banners,
    login.drop_login_forms,
    navigation.drop_landmarks,
    hidden.drop_hidden_elements,
    navigation.drop_search_boxes,
    navigation.drop_own_contents,
    navigation.drop_contents_labels,
    navigation.drop_edit_links,
    login.drop_login_prompts,
    furniture.drop_named_furniture,
    hidden.drop_invisible_characters,
)
"""In the order in which they run; each takes out what it names and returns its removals."""


def clean_page(page: FetchedPage, rules: CleaningRules = CleaningRules()) -> CleanedPage:  # noqa: B008
    """The page's main content with everything else recorded as removals.

    Links, directives and metadata are those of the whole page. Raises ``NothingExtracted`` where no text is left,
    ``LoginWall`` where the page is a login form and nothing else, ``UnsupportedContent`` for bytes that are no text.
    """
    root = parse_html(page.body, page.content_type)
    base = base_url(root, page.final_url)
    links = find_links(root, base)
    directives = find_directives(root, page.robots_tag)
    generator = recognise(root)
    metadata = read_metadata(
        root,
        url=page.final_url,
        base=base,
        header_canonical=page.link_canonical,
        generator=generator.name if generator else "",
    )
    asks_for_credentials = login.asks_for_credentials(root)
    _settle_templates(root)
    for element in _machinery(root):
        if element.getparent() is not None:
            element.drop_tree()
    content, removals = _content_of(root, generator, rules)
    _refuse_empty(content, removals, page.final_url, asks_for_credentials)
    return CleanedPage(content, page.final_url, base, metadata, directives, links, tuple(removals))


def _content_of(
    root: HtmlElement, generator: Generator | None, rules: CleaningRules
) -> tuple[HtmlElement, list[Removal]]:
    opened = ids_opened_by_controls(root)
    protected = _protected(root, rules.keep)
    removals: list[Removal] = []
    body = root.find("body") if root.find("body") is not None else root
    stripping = Scope(body)
    for css in rules.strip:
        removals += stripping.cut_all(selector(css)(root), "profile.strip")
    content = declared_content(root, generator, rules.main)
    declared = content is not None and content is not body
    if content is None:
        content = body
    else:
        removals += cut_free(content)
    scope = Scope(content, generator, declared, protected, opened)
    if generator is not None and generator.chrome:
        removals += scope.cut_all(selector(generator.chrome)(content), f"generator.{generator.name}")
    for run in FILTERS:
        removals += run(scope)
    return content, removals


def _settle_templates(root: HtmlElement) -> None:
    """Declarative shadow roots become part of the page, as browsers show them (HTML standard, section 4.12.3)."""
    for template in root.iter("template"):
        if template.get("shadowrootmode") or template.get("shadowroot"):
            template.tag = "div"


def _protected(root: HtmlElement, keep: tuple[str, ...]) -> frozenset[HtmlElement]:
    kept = [element for css in keep for element in selector(css)(root)]
    return frozenset(e for element in kept for e in (*element.iterancestors(), *element.iter()))


def _refuse_empty(content: HtmlElement, removals: list[Removal], url: str, asks_for_credentials: bool) -> None:
    text = text_of(content)
    if asks_for_credentials and len(text) < _WALL_CHARACTERS and content.find(".//pre") is None:
        raise LoginWall(f"{url} asks for credentials and shows {len(text)} characters besides", stage=STAGE)
    if not text and content.find(".//img") is None:
        removed = sum(removal.characters for removal in removals)
        raise NothingExtracted(
            f"{url} has no text after cleaning ({removed} characters in {len(removals)} removals; "
            "if they are content, name them under `keep` or `main` in the site profile)",
            stage=STAGE,
        )
