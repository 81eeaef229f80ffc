"""``wrac explain``: what became of a page, and what was cut from it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.explain import Explanation
    from ingest.ledger import Ledger
    from ingest.page_records import PageRecord
    from wrac.records import Removal

SHOWN_DECISIONS = 3
"""The latest decisions about a page that are shown to a person."""


def explain(
    url: Annotated[str, typer.Argument(help="URL of a page that a crawl met.")],
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line, for each site that has the page.")
    ] = False,
) -> None:
    """Show how a page ended, which parts were cut from it by which rule, and what it became."""
    from ingest.archive import FileArchive
    from ingest.explain import explain_url
    from service.state import open_ledger
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    with open_ledger(settings) as ledger:
        found = explain_url(ledger, FileArchive(settings.archive_url), url if "://" in url else f"https://{url}")
        if not found:
            known = "`wrac status` lists what was crawled."
            if Path(url).exists():
                known = (
                    "A file is known by its path below the folder that was ingested, as file:///care/mesh.pdf; "
                    "`wrac status` lists the sites of files, too."
                )
            typer.echo(plain(f"No crawl met {url}. {known}"), err=True)
            raise typer.Exit(ExitCode.INCOMPLETE)
        for explanation in found:
            report = _as_dict(ledger, explanation)
            if as_json:
                write_bytes(json_line(report))
            else:
                _show(report, explanation.record)


def _as_dict(ledger: Ledger, explanation: Explanation) -> dict[str, Any]:
    from ingest.bill import in_words

    row, record = explanation.row, explanation.record
    return {
        "url": row.url,
        "site": row.site,
        "outcome": row.outcome.value,
        "reason": row.reason,
        "state": row.state.value,
        "status": row.status,
        "fetched": row.fetched_at,
        "variant_of": _url_of(ledger, row.site, row.variant_of),
        "variants": [url for url, _ in explanation.variants],
        "title": row.title,
        "language": row.language,
        "generator": record.metadata.generator if record else "",
        "planner": record.plan.planner if record else "",
        "plan_repairs": sorted({violation.rule for violation in record.plan.repairs}) if record else [],
        "spent": [in_words(each.usage, each.dollars) for each in explanation.spent],
        "converter": record.document.converter if record else "",
        "pages": [asdict(page) for page in record.pages] if record else [],
        "chunks": row.chunks,
        "tokens": row.tokens,
        "decisions": [asdict(decision) for decision in explanation.decisions],
        "removals": [asdict(removal) for removal in record.removals] if record else [],
        "damage": explanation.damage,
    }


def _url_of(ledger: Ledger, site: str, page_id: str) -> str:
    row = ledger.pages.get(site, page_id) if page_id else None
    return row.url if row is not None else page_id


def _show(report: dict[str, Any], record: PageRecord | None) -> None:
    from ingest.documents import pages_in_words

    typer.secho(plain(report["url"]), bold=True)
    reason = f": {report['reason']}" if report["reason"] else ""
    lines = {
        "site": report["site"],
        "outcome": f"{report['outcome']}{reason} ({report['state']})",
        "fetched": report["fetched"] + (f", status {report['status']}" if report["status"] else ""),
        "title": report["title"],
        "language": report["language"],
        "generator": report["generator"],
        "variant of": report["variant_of"],
        "variants": ", ".join(report["variants"]),
        "read": pages_in_words(record.pages) if record else "",
        "content": f"{report['chunks']} chunks, {report['tokens']} tokens" if report["chunks"] else "",
        "planned": "; ".join([f"by {report['planner']}", *report["plan_repairs"]]) if report["planner"] else "",
        "paid": "; ".join(report["spent"]),
        "damage": report["damage"],
    }
    for name, value in lines.items():
        if value:
            typer.echo(f"  {name:<11}{one_line(value)}")
    for decision in report["decisions"][:SHOWN_DECISIONS]:
        typer.echo(f"  {'decision':<11}{one_line('{decision}: {reason} ({decided_at})'.format(**decision))}")
    if record is not None:
        _show_removals(record.removals)


def _show_removals(removals: tuple[Removal, ...]) -> None:
    if not removals:
        typer.echo("  Nothing was cut.")
        return
    parts = "1 part was" if len(removals) == 1 else f"{len(removals)} parts were"
    typer.echo(f"  {parts} cut, {sum(removal.characters for removal in removals)} characters:")
    for removal in removals:
        holds = f", holds {', '.join(removal.holds)}" if removal.holds else ""
        typer.echo(f"    {removal.rule}, {removal.characters} characters{holds}: {one_line(removal.locator)}")
        if removal.preview:
            typer.echo(f"      {one_line(removal.preview)}")
