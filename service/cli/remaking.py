"""What ``wrac reconvert``, ``replan`` and ``reembed`` have in common: how they are run, and what they say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.ledger.rows import RunKind
    from ingest.maintenance.forecast import Forecast
    from ingest.maintenance.renewal import Renewal

Site: TypeAlias = Annotated[str, typer.Argument(metavar="SITE", help="A site that was crawled, by name.")]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Say what would change and cost; nothing is written or paid.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")]
SHOWN = 10
"""Pages that are listed for a person."""


def remake_site(site: str, kind: RunKind, *, dry_run: bool, as_json: bool, accept_loss: bool = False) -> None:
    """Runs the command, or says what it would do."""
    from ingest.maintenance.remaking import forecast, remake
    from service.state import require_ledger
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    require_ledger(settings)
    if dry_run:
        found = forecast(settings, site, kind)
        if as_json:
            write_bytes(json_line(_forecast_record(found)))
        else:
            _show_forecast(found, settings.embedder)
        return
    done = remake(settings, site, kind, accept_loss=accept_loss)
    for renewal in done:
        if as_json:
            write_bytes(json_line({**asdict(renewal), "kind": renewal.kind.value}))
        else:
            _show(renewal)
    if any(renewal.kept for renewal in done):
        raise typer.Exit(ExitCode.INCOMPLETE)


def _show(done: Renewal) -> None:
    typer.secho(plain(done.site), bold=True)
    if not done.changed and not done.kept:
        typer.echo(f"  Nothing to {done.kind}: all {done.pages:,} pages are made by today's recipe.")
    else:
        typer.echo(
            f"  {done.changed:,} of {done.pages:,} pages published anew: {done.chunks_before:,} chunks before, "
            f"{done.chunks_after:,} now"
        )
        typer.echo(
            f"  points   {done.synced.upserted:,} written, {done.synced.refreshed:,} with a new payload alone, "
            f"{done.synced.kept:,} as they were, {done.synced.deleted:,} deleted"
        )
        typer.echo(f"  vectors  {done.embedded:,} texts embedded, {done.reused:,} out of the archive")
    if done.collection:
        typer.echo(plain(f"  Readers use {done.collection} now. {done.previous} is kept:"))
        typer.echo(
            plain(f"  `wrac rollback {done.site}` switches back, `wrac prune` drops it when it is no longer needed.")
        )
    _show_kept(done.kept, done.waiting)


def _show_forecast(found: Forecast, embedder: str) -> None:
    from ingest.bill import money

    typer.secho(plain(", ".join(found.sites)), bold=True)
    typer.echo(f"  {found.changed:,} of {found.pages:,} pages would be published anew")
    typer.echo(
        f"  chunks   {found.chunks_before:,} now, {found.chunks_after:,} then, {found.chunks_new:,} of them with a "
        f"text that is not in the collection"
    )
    price = "" if found.dollars is None else f", {money(found.dollars)}"
    typer.echo(plain(f"  vectors  {found.texts:,} texts to embed by {embedder}, {found.tokens:,} tokens{price}"))
    if found.planning is not None:
        usage = found.planning.planning
        highest = found.planning.highest
        dollars = "price not known" if highest is None else f"{money(found.planning.lowest)} to {money(highest)}"
        typer.echo(
            f"  planning {usage.calls:,} calls ({found.planning.paid:,} more were paid for before), "
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {dollars}"
        )
    if found.collection:
        typer.echo(plain(f"  A collection {found.collection} would be built beside the one in use, and switched to."))
    _show_kept(found.kept, found.waiting)


def _show_kept(kept: tuple[tuple[str, str], ...], waiting: int) -> None:
    if kept:
        typer.echo(f"  {len(kept):,} pages stay as they are:")
    for url, reason in kept[:SHOWN]:
        typer.echo(f"    {one_line(url)}: {one_line(reason)}")
    if len(kept) > SHOWN:
        typer.echo(f"    and {len(kept) - SHOWN:,} more (--json lists all)")
    if waiting:
        typer.echo(f"  {waiting:,} pages have newer versions that are not published yet and were left alone.")


def _forecast_record(found: Forecast) -> dict[str, Any]:
    values = asdict(found) | {"kind": found.kind.value, "dry_run": True}
    for name in ("lowest", "highest", "embedding_dollars"):
        if values["planning"] is not None and values["planning"][name] is not None:
            values["planning"][name] = float(values["planning"][name])
    values["dollars"] = None if found.dollars is None else float(found.dollars)
    return values
