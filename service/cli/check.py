"""``wrac check``: whether ledger, archive and collection agree."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.check import Checked
    from ingest.repair import Repaired

SHOWN = 20
"""Violations of one rule that are listed for a person."""


def check(
    sites: Annotated[list[str] | None, typer.Argument(metavar="[SITE]...", help="All sites unless named.")] = None,
    *,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend from the archive what can be: nothing is fetched or embedded.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")] = False,
) -> None:
    """Prove that every page is in the collection, whole and once; name what is not, and the command that mends it.

    Ends with 3 where something is wrong, after a repair where something still is.
    """
    from ingest.check import check_site
    from ingest.maintenance.session import open_session
    from ingest.repair import repair_site
    from service.state import open_ledger
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    with open_ledger(settings) as ledger:
        known = ledger.runs.sites()
    if not known:
        typer.echo("No run is known yet: `wrac crawl URL`.", err=True)
    is_whole = True
    for site in sites or known:
        with open_session(settings, [site]) as session:
            found = check_site(session, site)
            repaired = repair_site(session, found) if repair and found.violations else None
            if repaired is not None:
                found = check_site(session, site)
        if as_json:
            write_bytes(json_line(_as_dict(found, repaired)))
        else:
            _show(found, repaired)
        is_whole = is_whole and not found.violations
    if not is_whole:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _as_dict(found: Checked, repaired: Repaired | None) -> dict[str, Any]:
    return {
        "site": found.site,
        "collection": found.collection,
        "pages": found.pages,
        "points": found.points,
        "unfinished": found.unfinished,
        "violations": [asdict(each) for each in found.violations],
        "repaired": None if repaired is None else asdict(repaired),
    }


def _show(found: Checked, repaired: Repaired | None) -> None:
    typer.secho(plain(found.site), bold=True)
    if repaired is not None:
        _show_repair(repaired)
    verdict = f"{len(found.violations)} violations" if found.violations else "whole"
    typer.echo(plain(f"  {found.pages} pages, {found.points} points in {found.collection!r}: {verdict}"))
    rules = dict.fromkeys(each.rule for each in found.violations)
    for rule in rules:
        those = [each for each in found.violations if each.rule is rule]
        for each in those[:SHOWN]:
            place = f" {one_line(each.url or each.page_id)}:" if each.page_id else ""
            typer.echo(f"  {rule.value}:{place} {one_line(each.detail)}")
        if len(those) > SHOWN:
            typer.echo(f"  {rule.value}: and {len(those) - SHOWN} more (--json lists all)")
        for command in dict.fromkeys(each.command for each in those):
            typer.echo(plain(f"    mend it: {command}"))


def _show_repair(repaired: Repaired) -> None:
    synced = repaired.synced
    typer.echo(
        f"  mended: {repaired.pages} pages written again ({synced.upserted} points added, {synced.refreshed} "
        f"corrected, {synced.deleted} deleted), {repaired.orphans} orphans deleted, {repaired.ledger} ledger entries"
    )
    if repaired.forgotten:
        typer.echo(f"  {repaired.forgotten} pages will be fetched whole by the next crawl")
    if repaired.left:
        typer.echo(plain(f"  orphans left: {repaired.left}"))
