"""``wrac crawl``: becomes ``scrapy crawl docs_site``; its exit code, its output and every signal are its own."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def crawl(
    target: Annotated[
        str,
        typer.Argument(
            metavar="[URL|SITE]",
            help="Where the crawl starts, or NAME of sites/NAME.toml; sites/docs_site.toml unless given.",
            show_default=False,
        ),
    ] = "",
    *,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Another value for a key of the profile, e.g. max_pages=50."),
    ] = None,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="Take what is found as it is, even where much is lost: somebody looked."),
    ] = False,
) -> None:
    """Crawl a site into the collection; run it again to refresh, or to go on where it was interrupted."""
    given = [*(changes or []), *(["accept_loss=true"] if accept_loss else [])]
    arguments, environment = scrapy_command(target, given, os.environ)
    sys.stdout.flush()
    sys.stderr.flush()
    _become(arguments, environment)


def scrapy_command(
    target: str, changes: Sequence[str], environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Command line and environment of the crawl; works in any folder, without a ``scrapy.cfg``."""
    # -P: a folder of the caller's named like one of our packages must not be imported instead of it.
    arguments = [sys.executable, "-P", "-m", "scrapy", "crawl", "docs_site"]
    if target:
        arguments += ["-a", f"url={target}" if _is_url(target) else f"site={target}"]
    for change in changes:
        arguments += ["-a", change]
    return arguments, {**environment, "SCRAPY_SETTINGS_MODULE": "crawler.settings"}


def _is_url(target: str) -> bool:
    """A site's name has neither scheme, path nor port; a bare host counts as a URL where no profile has its name."""
    from wrac.config import SITES_DIR

    if (SITES_DIR / f"{target}.toml").exists():
        return False
    return re.search(r"://|[/:]|^localhost$|\.[a-z]{2,}$", target, re.IGNORECASE) is not None


def _become(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    os.execve(arguments[0], arguments, environment)  # noqa: S606 - no shell is wanted
