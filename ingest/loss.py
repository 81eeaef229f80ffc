"""What a publish would take away from a collection, and whether that is too much to go on without a person."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.ledger.rows import INDEXED_STATES, PageState
from wrac.errors import LossGuard

if TYPE_CHECKING:
    from ingest.ledger import Ledger

MIN_FOUND_AGAIN = 0.5
"""Share of the content of the pages that lead to another one that this must hold to stand for them."""
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Loss:
    """What of a site's published pages would be gone."""

    pages_before: int
    pages_lost: int
    """Pages that leave and whose content is not found again on another page."""
    tokens_before: int
    tokens_lost: int
    """Content of those, and what shrinking pages lose."""
    pages_affected: int = 0
    """Pages that leave or shrink."""
    examples: tuple[str, ...] = ()
    """URLs that lose most."""

    @property
    def of_pages(self) -> float:
        """Share of the pages."""
        return self.pages_lost / self.pages_before if self.pages_before else 0.0

    @property
    def of_tokens(self) -> float:
        """Share of the content tokens."""
        return self.tokens_lost / self.tokens_before if self.tokens_before else 0.0

    def exceeds(self, limit: float) -> bool:
        """Whether either share is above ``limit``. One page of several may always go: on proof, as any other."""
        if self.pages_affected <= 1 < self.pages_before:
            return False
        return max(self.of_pages, self.of_tokens) > limit


def measure_loss(ledger: Ledger, site: str) -> Loss:
    """What the next publish of the site would lose, by the ledger."""
    rows = list(ledger.pages.published(site))
    leaving = [row for row in rows if row.state is PageState.LEAVING]
    lost = {row.page_id: row.published_tokens for row in leaving}
    led: dict[str, list[str]] = defaultdict(list)
    for row in leaving:
        target = row.variant_of or next(
            (
                other.page_id
                for other in ledger.pages.with_markdown(site, row.published_markdown)
                if other.state in INDEXED_STATES
            ),
            "",
        )
        if target:
            led[target].append(row.page_id)
    for target, sources in led.items():
        page = ledger.pages.get(site, target)
        content = sum(lost[key] for key in sources)
        if page is not None and page.state in INDEXED_STATES and page.tokens >= MIN_FOUND_AGAIN * content:
            for key in sources:
                del lost[key]
    pages_lost = len(lost)
    for row in rows:
        if row.state is PageState.GATHERED and row.tokens < row.published_tokens:
            lost[row.page_id] = row.published_tokens - row.tokens
    worst = sorted((row for row in rows if row.page_id in lost), key=lambda row: (-lost[row.page_id], row.url))
    return Loss(
        pages_before=len(rows),
        pages_lost=pages_lost,
        tokens_before=sum(row.published_tokens for row in rows),
        tokens_lost=sum(lost.values()),
        pages_affected=len(lost),
        examples=tuple(row.url for row in worst[:_EXAMPLES]),
    )


def check_loss(ledger: Ledger, site: str, limit: float) -> None:
    """Raises ``LossGuard`` where the next publish of the site would lose a larger share than ``limit``."""
    loss = measure_loss(ledger, site)
    if loss.exceeds(limit):
        raise LossGuard(
            f"publishing {site} would lose {loss.pages_lost} of {loss.pages_before} pages ({loss.of_pages:.0%}) and "
            f"{loss.of_tokens:.0%} of the content; the limit is {limit:.0%} (loss_guard of the site profile). "
            f"Most is lost at {', '.join(loss.examples)}. Nothing was changed in the collection. "
            f"If that is right: wrac publish {site} --accept-loss. If not: mend the site or the profile and crawl again"
        )
