"""``wrac estimate``: what planning by the model would cost, before a token is paid for."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.terminal import json_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from ingest.estimate import Estimate
    from ingest.ledger.rows import PageRow
    from service.transcripts import DocumentsEstimate
    from wrac.config import Settings


def estimate(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="SITE|PATH...",
            help="A site that was crawled, by name; or PDF, Office, HTML or Markdown files or folders.",
        ),
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show pages, calls, tokens and money of planning by the model, and of transcribing documents.

    Nothing is sent; no key is needed.
    """
    from wrac.config import load_settings
    from wrac.errors import ConfigError

    settings = load_settings()
    paths = [Path(target) for target in targets]
    documents: DocumentsEstimate | None = None
    if all(path.exists() for path in paths):
        found = _of_files(settings, paths)
        documents = _of_documents(settings, paths)
    elif len(targets) == 1:
        found, documents = _of_site(settings, targets[0])
    else:
        missing = next(str(path) for path in paths if not path.exists())
        raise ConfigError(f"{missing} does not exist: give files and folders, or the name of one site")
    if as_json:
        extra = {"transcription": _transcription(documents)} if documents else {}
        write_bytes(json_line(_record(settings, found) | extra))
    else:
        _show(settings, found)
        if documents:
            _show_documents(documents)


def _of_files(settings: Settings, paths: Sequence[Path]) -> Estimate:
    from ingest.estimate import estimate as sum_up
    from ingest.estimate import forecasting_planner
    from service.cli.walk import Walk
    from service.documents import page_settings

    walk = Walk(paths, "")
    planner = forecasting_planner(settings, page_settings(settings).limits)
    return sum_up((record for _, record in walk), planner, settings)


def _of_documents(settings: Settings, paths: Sequence[Path]) -> DocumentsEstimate | None:
    """None where there is no document among the files."""
    from ingest.documents_on_disk import is_document_name
    from service.documents import find_documents

    files = [source for source in find_documents(paths) if is_document_name(source.path)]
    if not files:
        return None
    from service.transcripts import estimate_documents, read_files

    return estimate_documents(settings, read_files(files))


def _transcription(found: DocumentsEstimate) -> dict[str, Any]:
    usage = found.forecast.usage
    return {
        "model": found.model,
        "documents": found.forecast.documents,
        "unread": found.unread,
        "pages": found.forecast.pages,
        "kept": found.forecast.kept,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "dollars": _number(found.dollars),
    }


def _show_documents(found: DocumentsEstimate) -> None:
    from ingest.bill import money

    forecast = found.forecast
    usage = forecast.usage
    kept = f", {forecast.kept:,} of them blank, twice there or paid for before" if forecast.kept else ""
    unread = f"; {found.unread:,} more cannot be read" if found.unread else ""
    price = f"{money(found.dollars)} (price: {found.as_of})" if found.as_of else "price not known"
    documents, pages = _many(forecast.documents, "document"), _many(forecast.pages, "page")
    what = f"transcribing {documents}{unread}: {pages}{kept}"
    tokens = f"{_many(usage.calls, 'call')}; {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    typer.echo(plain(f"{what}; {tokens}"))
    typer.echo(plain(f"transcribing by {found.model}: {price}; pages that have to be asked for twice come on top"))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _of_site(settings: Settings, site: str) -> tuple[Estimate, DocumentsEstimate | None]:
    from ingest.archive import FileArchive
    from ingest.estimate import document_bodies, forecasting_planner, gathered_records
    from ingest.estimate import estimate as sum_up
    from ingest.planning import LedgerPlanCache
    from service.documents import page_settings
    from service.state import open_ledger
    from wrac.errors import ConfigError

    with open_ledger(settings) as ledger:
        if site not in ledger.runs.sites():
            known = ", ".join(ledger.runs.sites()) or "none yet"
            raise ConfigError(f"{site} is neither a file nor a site that was crawled (sites: {known})")
        planner = forecasting_planner(settings, page_settings(settings).limits, LedgerPlanCache(ledger))
        archive = FileArchive(settings.archive_url)
        rows: list[PageRow] = []
        found = sum_up(gathered_records(ledger, archive, site, rows), planner, settings)
        bodies = document_bodies(ledger, archive, site, rows)
        if (first := next(bodies, None)) is None:
            return found, None
        from service.transcripts import estimate_documents

        return found, estimate_documents(settings, chain([first], bodies))


def _record(settings: Settings, found: Estimate) -> dict[str, Any]:
    dollars = ("lowest", "highest", "embedding_dollars")
    values = asdict(found) | {name: _number(getattr(found, name)) for name in dollars}
    return {"model": settings.planner_model, "embedder": settings.embedder, **values}


def _number(dollars: Decimal | None) -> float | None:
    return None if dollars is None else float(dollars)


def _show(settings: Settings, found: Estimate) -> None:
    from ingest.bill import money

    usage = found.planning
    lines = [
        f"{found.pages:,} pages, of which {found.asked:,} need the model and the rules decide the others",
        f"{usage.calls:,} calls"
        + (f", {found.paid:,} more were paid for before" if found.paid else "")
        + f"; {usage.input_tokens:,} tokens in ({usage.cached_tokens:,} of them cached at best), "
        f"{usage.output_tokens:,} out",
    ]
    if found.lowest is None:
        lines.append(f"planning {settings.planner_model}: price not known; name it in wrac.toml (prices)")
    else:
        lines.append(
            f"planning {settings.planner_model}: {money(found.lowest)} to {money(found.highest)} (price: {found.as_of})"
        )
    if found.embedding.input_tokens:
        lines.append(
            f"embedding {settings.embedder}: {found.embedding.input_tokens:,} tokens, {money(found.embedding_dollars)}"
        )
    lines.append("Output is counted on the rules' own plan; thinking before an answer, and repair calls, come on top.")
    for line in lines:
        typer.echo(plain(line))
