"""Which pages are variants of another, so that each page is indexed once and none is lost.

A declared canonical is a claim (RFC 6596). It is honoured where the page it names is itself indexed and holds what
this page holds. Sites whose template names the home page on every page are common; theirs are all indexed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wrac.records import UnitTree

MIN_SHARED = 0.8
"""Share of a page's content tokens that must stand on its canonical, too."""


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A page that declares another canonical."""

    page_id: str
    url: str
    canonical_id: str
    canonical_url: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a held page is."""

    page: HeldPage
    variant_of: str
    """Id of the page that it is a variant of; empty where it is indexed under its own URL."""
    reason: str
    evidence: str = ""


def settle(
    held: Iterable[HeldPage], is_indexed: Callable[[str], bool], shared: Callable[[str, str], float]
) -> list[Settlement]:
    """One settlement for each held page, the same in whatever order they were met.

    ``is_indexed(page_id)`` tells of pages that are not held; ``shared(page_id, canonical_id)`` is the share of the
    first page's content that stands on the second.
    """
    pages = {page.page_id: page for page in sorted(held, key=lambda page: (len(page.url), page.url))}
    own: set[str] = set()
    settled: dict[str, Settlement] = {}
    for page in _targets_first(pages):
        target = page.canonical_id
        if target in settled and settled[target].variant_of:
            target = settled[target].variant_of
        if not (target in own or (target not in pages and is_indexed(target))):
            settled[page.page_id] = Settlement(page, "", f"its canonical {page.canonical_url} is not indexed")
        elif (share := shared(page.page_id, target)) < MIN_SHARED:
            reason = f"its canonical {page.canonical_url} is another page"
            settled[page.page_id] = Settlement(page, "", reason, f"{share:.0%} of its content stands there")
        else:
            reason = f"variant of its canonical {page.canonical_url}"
            settled[page.page_id] = Settlement(page, target, reason, f"{share:.0%} of its content stands there")
            continue
        own.add(page.page_id)
    return [settled[page_id] for page_id in pages]


def shared_content(tree: UnitTree, canonical: UnitTree) -> float:
    """Share of a tree's content tokens whose units stand in the other tree, 1.0 where it has no content."""
    there = {unit.digest for unit in canonical.units if not unit.is_heading}
    content = [unit for unit in tree.units if not unit.is_heading]
    total = sum(unit.tokens for unit in content)
    return sum(unit.tokens for unit in content if unit.digest in there) / total if total else 1.0


def _targets_first(pages: Mapping[str, HeldPage]) -> list[HeldPage]:
    """Pages after the held pages that they point to; a ring is entered at its shortest URL, which then stands alone."""
    order: list[HeldPage] = []
    done: set[str] = set()
    for first in pages.values():
        path: list[HeldPage] = []
        on_path: set[str] = set()
        page: HeldPage | None = first
        while page is not None and page.page_id not in done and page.page_id not in on_path:
            path.append(page)
            on_path.add(page.page_id)
            page = pages.get(page.canonical_id)
        if page is not None and page.page_id in on_path:
            ring = path[path.index(page) :]
            head = min(ring, key=lambda p: (len(p.url), p.url))
            path = [*path[: path.index(page)], *_turned(ring, head)]
        order.extend(reversed(path))
        done |= on_path
    return order


def _turned(ring: list[HeldPage], head: HeldPage) -> list[HeldPage]:
    """The ring so that ``head`` comes last, hence first after reversal."""
    cut = ring.index(head) + 1
    return ring[cut:] + ring[:cut]
