"""Everything that this project raises on purpose.

    WracError
    |-- ConfigError            before any work: names the key and the file
    |-- PageError              this page stops, the crawl goes on
    |   |-- LoginWall          the page asks for credentials instead of showing content
    |   |-- NothingExtracted   no content was left after cleaning
    |   |-- ConversionFailed   the document could not be turned into Markdown
    |   |-- EmbeddingFailed    the embedder refused the page's texts
    |   `-- UnsupportedContent no converter reads this kind of content
    |-- StoreError             the collection, the ledger or the archive cannot be used
    |   `-- StoreLocked        another process holds the embedded collection, or crawls the same site
    |-- LossGuard              a publish would lose too much of what the collection has: nothing was published
    |-- RerankFailed           a reranker gave no order: hits stay as the search ranked them
    |-- NotSwitched            a collection that was built anew failed its checks: readers still use the one before
    `-- TransientError         may pass by itself: nothing is lost, the same command goes on

"Unchanged" is a value, not an error; a broken plan is data (``chunking.validate``), not an error.
Messages name the thing, the place and the next step.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known one, or nothing."""
    nearest = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


class WracError(Exception):
    """Base of all errors of this project."""


class ConfigError(WracError):
    """The configuration cannot be used; raised before any work is done."""


class PageError(WracError):
    """One page or document cannot go on; others can."""

    reason = "page-error"

    def __init__(self, message: str, *, stage: str, page_id: str = "") -> None:
        super().__init__(message)
        self.stage = stage
        self.page_id = page_id

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling between worker processes.
        return _rebuild, (type(self), str(self), self.stage, self.page_id)


def _rebuild(cls: type[PageError], message: str, stage: str, page_id: str) -> PageError:
    return cls(message, stage=stage, page_id=page_id)


class LoginWall(PageError):
    """The page asks for credentials instead of showing content."""

    reason = "login-wall"


class NothingExtracted(PageError):
    """No content was left after cleaning."""

    reason = "nothing-extracted"


class ConversionFailed(PageError):
    """The document could not be turned into Markdown."""

    reason = "conversion-failed"


class EmbeddingFailed(PageError):
    """The embedder refused the page's texts."""

    reason = "embedding-failed"


class UnsupportedContent(PageError):
    """No converter reads this kind of content."""

    reason = "unsupported-content"


class StoreError(WracError):
    """The collection, the ledger or the archive cannot be used; what was gathered waits for the next run."""


class StoreLocked(StoreError):
    """Another process holds the embedded collection, or crawls the same site."""


class LossGuard(WracError):
    """A publish would lose too much of what the collection has; nothing was published, and a person has to look."""


class NotSwitched(WracError):
    """A collection built anew failed its checks; readers still use the one before, and a person has to look."""


class RerankFailed(WracError):
    """A reranker gave no order; hits stay as the search ranked them."""


class TransientError(WracError):
    """A failure that may pass by itself: nothing is lost, and the same command goes on where this one stopped."""
