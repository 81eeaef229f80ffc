"""One page from its bytes to its clean content element."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters import bars, consent, controls, furniture, generators, hidden, labels, login, navigation
from filters.content import cut_free, declared_content
from filters.generators import recognise
from filters.links import base_url, find_directives, find_links
from filters.login import asks_for_credentials
from filters.metadata import read_metadata
from filters.parse import STAGE, parse_html
from filters.removal import sweep, take_out
from filters.scope import Scope
from filters.selectors import select
from filters.survey import take_survey
from filters.text import holds_content, text_of
from filters.vote import voted_content
from wrac.errors import LoginWall, NothingExtracted
from wrac.records import CleanedPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml.html import HtmlElement

    from filters.survey import Survey
    from wrac.records import FetchedPage, Removal

_MACHINERY: Final = ("style", "embed")
_FALLBACKS: Final = ("noscript", "iframe", "object", "canvas")
"""Their content shows where a browser cannot show what they stand for."""
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


_NO_RULES: Final = CleaningRules()

FILTERS: Final[tuple[Callable[[Scope], list[Removal]], ...]] = (
    generators.drop_generator_chrome,
    consent.drop_consent_managers,
    consent.drop_consent_banners,
    login.drop_login_forms,
    navigation.drop_landmarks,
    hidden.drop_hidden_elements,
    navigation.drop_site_names,
    navigation.drop_search_boxes,
    labels.drop_skip_links,
    navigation.drop_own_contents,
    bars.drop_direction_bars,
    navigation.drop_edit_links,
    login.drop_login_prompts,
    furniture.drop_named_furniture,
    furniture.drop_share_links,
    labels.drop_feedback_widgets,
    labels.drop_related_sections,
    labels.drop_copyright_lines,
    controls.drop_forms,
    controls.drop_controls,
    hidden.drop_invisible_characters,
)
"""In the order in which they run; each takes out what it names and returns its removals."""
LAST_FILTERS: Final[tuple[Callable[[Scope], list[Removal]], ...]] = (bars.drop_page_lists, bars.drop_top_bars)
"""Those that measure a block against the content, once it stands free."""


def clean_page(page: FetchedPage, rules: CleaningRules = _NO_RULES) -> CleanedPage:
    """The page's main content with everything else recorded as removals.

    Links, directives and metadata are those of the whole page. Raises ``NothingExtracted`` where no text is left,
    ``LoginWall`` where the page is a login form and nothing else, ``UnsupportedContent`` for bytes that are no text.
    """
    root = parse_html(page.body, page.content_type)
    survey = take_survey(root)
    base = base_url(survey, page.final_url)
    links, directives = find_links(survey, base), find_directives(survey, page.robots_tag)
    generator = recognise(survey)
    fallbacks = _drop_machinery(root, survey)
    named = select(root, rules.main)[:1] if rules.main else []
    content = named[0] if named else declared_content(survey, generator)
    asks = asks_for_credentials(survey, content)
    metadata = read_metadata(
        root,
        survey,
        content=content,
        url=page.final_url,
        base=base,
        header_canonical=page.link_canonical,
        generator=generator.name if generator else "",
    )
    body = root.find("body")
    protected = _protected(root, rules.keep)
    scope = Scope(root if body is None else body, survey, generator, protected=protected, url=page.final_url, base=base)
    stripped = [r for css in rules.strip for e in select(root, css) for r in scope.cut(e, "profile.strip")]
    sweep(root)
    clean, cuts = _extract(scope, content, metadata.title)
    removals = [*fallbacks, *stripped, *cuts]
    _refuse_empty(clean, removals, page.final_url, asks)
    return CleanedPage(clean, page.final_url, base, metadata, directives, links, tuple(removals))


def _extract(whole: Scope, content: HtmlElement | None, title: str) -> tuple[HtmlElement, list[Removal]]:
    """The cleaned content element: the declared one, else what filters and vote leave of the body."""
    if content is not None:
        removals = [] if content is whole.root else cut_free(content, title)
        scope = replace(whole, root=content, declared=True)
        return content, removals + _filtered(scope, (*FILTERS, *LAST_FILTERS))
    removals = _filtered(whole, FILTERS)
    voted = voted_content(whole.root)
    if voted is not None:
        removals += cut_free(voted, title)
    clean = whole.root if voted is None else voted
    return clean, removals + _filtered(replace(whole, root=clean), LAST_FILTERS)


def _drop_machinery(root: HtmlElement, survey: Survey) -> list[Removal]:
    """What no browser shows as text. Scripts of type ``math/tex`` are formulas; shadow roots are part of the page."""
    for element in survey.tagged("script", "template"):
        if element.get("shadowrootmode") or element.get("shadowroot"):
            element.tag = "div"
        elif element.getparent() is not None and not (element.get("type") or "").startswith("math/"):
            element.drop_tree()
    etree.strip_elements(root, *_MACHINERY, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    outermost = [e for e in root.iter(*_FALLBACKS) if next(e.iterancestors(*_FALLBACKS), None) is None]
    removals = [removal for element in outermost for removal in take_out(element, f"machinery.{element.tag}")]
    sweep(root)
    return removals


def _filtered(scope: Scope, filters: Iterable[Callable[[Scope], list[Removal]]]) -> list[Removal]:
    removals: list[Removal] = []
    for run in filters:
        if found := run(scope):
            removals += found
            sweep(scope.root)
    sweep(scope.root)
    return removals


def _protected(root: HtmlElement, keep: tuple[str, ...]) -> frozenset[HtmlElement]:
    kept = [element for css in keep for element in select(root, css)]
    return frozenset(e for element in kept for e in (*element.iterancestors(), *element.iter()))


def _refuse_empty(content: HtmlElement, removals: list[Removal], url: str, asks: bool) -> None:
    # XPath knows the white space of XML only; a page of no-break spaces is as empty as one of blanks.
    characters = len(text_of(content).strip())
    if asks and characters < _WALL_CHARACTERS and not holds_content(content):
        raise LoginWall(f"{url} asks for credentials and shows {characters} characters besides", stage=STAGE)
    if not characters and next(content.iter("img"), None) is None:
        removed = sum(removal.characters for removal in removals)
        raise NothingExtracted(
            f"{url} has no text after cleaning ({removed} characters in {len(removals)} removals; "
            "if they are content, name them under `keep` or `main` in the site profile)",
            stage=STAGE,
        )
