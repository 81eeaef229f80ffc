"""``wrac forget``: pages that must be erased wherever they are kept, and must not come back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.maintenance.forgetting import Forgotten, Target
    from wrac.config import Settings

SHOWN = 20


def forget(
    url: Annotated[
        str,
        typer.Argument(
            metavar="[URL|PREFIX]",
            help="A page; a folder that ends in /, with all below it; or the beginning of URLs, with * at its end.",
            show_default=False,
        ),
    ] = "",
    *,
    site: Annotated[str, typer.Option(help="Only in this site; without a URL the whole site.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    unblock: Annotated[bool, typer.Option("--unblock", help="Erase nothing; let crawls fetch it again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line; needs --yes.")] = False,
) -> None:
    """Erase pages out of collection, ledger, archive, caches and reports, and keep crawls from bringing them back."""
    from ingest.maintenance.forgetting import allow_again, find_targets
    from ingest.maintenance.forgetting import forget as erase
    from service.state import require_ledger
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    require_ledger(settings)
    if unblock:
        _unblock(allow_again(settings, url, site), url or site)
        return
    targets = find_targets(settings, url, site)
    if not targets:
        typer.echo(plain(f"No site has {url}. `wrac forget {url} --site NAME` keeps it out of a site."), err=True)
        raise typer.Exit(ExitCode.INCOMPLETE)
    if not yes:
        _ask(targets)
    for done in erase(settings, targets):
        if as_json:
            write_bytes(json_line(asdict(done)))
        else:
            _show(done, settings)


def _ask(targets: Sequence[Target]) -> None:
    for target in targets:
        what = "the whole site" if target.is_whole_site else f"{len(target.pages):,} URLs"
        typer.secho(plain(f"{target.site}: {what} would be erased for good"), bold=True)
        for row in target.pages[:SHOWN]:
            typer.echo(f"  {one_line(row.url)}")
        if len(target.pages) > SHOWN:
            typer.echo(f"  and {len(target.pages) - SHOWN:,} more")
        for page in target.elsewhere[:SHOWN]:
            typer.echo(f"  {one_line(page)} stays: what is erased are other URLs of it")
    typer.confirm("Neither a rollback nor a crawl brings it back. Erase it?", abort=True, err=True)


def _show(done: Forgotten, settings: Settings) -> None:
    typer.secho(plain(done.site), bold=True)
    typer.echo(
        f"  {done.pages:,} URLs forgotten and blocked: {done.points:,} points, {done.objects:,} archive objects "
        f"({done.bytes:,} bytes) and {done.reports:,} reports erased"
    )
    typer.echo(plain(f"  Copies of {settings.data_dir} that were made before still have it."))


def _unblock(sites: Sequence[str], what: str) -> None:
    from wrac.exit_codes import ExitCode

    for site in sites:
        typer.echo(plain(f"{site}: the next crawl may fetch {what} again"))
    if not sites:
        typer.echo(plain(f"{what} was not blocked; write it as it was given to `wrac forget`."), err=True)
        raise typer.Exit(ExitCode.INCOMPLETE)
