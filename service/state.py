"""What earlier runs left behind, opened to be read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ingest.ledger import Ledger
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wrac.config import Settings


def open_ledger(settings: Settings) -> Ledger:
    """The ledger; where none was ever written, a ``ConfigError`` that says so, and nothing is made."""
    if not _has_ledger(settings):
        raise _nothing_crawled(settings)
    return Ledger(settings.ledger_url)


@contextmanager
def known_ledger(settings: Settings) -> Iterator[Ledger | None]:
    """The ledger, open; None where none was ever written, and nothing is made."""
    if not _has_ledger(settings):
        yield None
        return
    with Ledger(settings.ledger_url) as ledger:
        yield ledger


def require_ledger(settings: Settings) -> None:
    """Raises ``ConfigError`` where no ledger was ever written: opening one would make it."""
    if not _has_ledger(settings):
        raise _nothing_crawled(settings)


def require_collection(settings: Settings) -> None:
    """Raises ``ConfigError`` where the embedded collection was never written: opening it would make its folder."""
    if (folder := settings.store_folder) is None or folder.exists():
        return
    if _has_ledger(settings):
        raise ConfigError(
            f"{folder} does not exist, but sites were crawled with this ledger: run `wrac crawl SITE_OR_URL` "
            "again, which publishes them there, or set store (WRAC_STORE) to where they are"
        )
    raise _nothing_crawled(settings)


def _has_ledger(settings: Settings) -> bool:
    return bool(settings.ledger) or (settings.data_dir / "ledger.sqlite").exists()


def _nothing_crawled(settings: Settings) -> ConfigError:
    return ConfigError(
        f"nothing was crawled into {settings.data_dir} yet: run `wrac crawl URL` here, or set data_dir "
        "(WRAC_DATA_DIR) to where it was"
    )
