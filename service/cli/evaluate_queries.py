"""``wrac evaluate queries``: a user's own questions, put to the collection in use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.asking import Rerank  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.questions.answers import Evaluation
    from indexing.reranking import Ranking
    from ingest.ledger import Ledger
    from ingest.questions import Question
    from wrac.config import Settings, SiteProfile

DEFAULT_COLLECTION = "docs"


def queries(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="Questions: CSV, TSV, JSON Lines, JSON or TOML; the site's canaries unless given."
        ),
    ] = None,
    *,
    site: Annotated[str, typer.Option(help="Only pages of this site; all of the collection unless given.")] = "",
    collection: Annotated[
        str, typer.Option(help="Collection to ask; the one that the site was published into unless given.")
    ] = "",
    k: Annotated[
        int | None,
        typer.Option("-k", "--k", min=1, max=100, help="Hits among which the answer must be; 5 unless given."),
    ] = None,
    rerank: Rerank = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="MEASURE=NUMBER", help="End with code 3 below this, e.g. hit@5=0.9. May be given again."),
    ] = None,
    json_file: Annotated[
        str,
        typer.Option("--json", metavar="FILE", help="Write everything to FILE too; - prints it in place of tables."),
    ] = "",
    html_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page to open in a browser.")
    ] = None,
) -> None:
    """Ask questions with known answers: what is found, how high, and why what is not found is not.

    A first line `query,url` and below it one question a line is enough. No model is asked but the embedder.
    """
    from evaluation.questions.page import render_page
    from evaluation.questions.record import as_record
    from ingest.questions import DEFAULT_K, read_questions
    from service.cli.evaluation_files import print_json, require_folders, write_json, write_text
    from service.cli.evaluation_tables import show_evaluation
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    require_folders(json_file, html_file)
    asked_file = file or _canaries(site)
    questions = read_questions(asked_file)
    among = k or DEFAULT_K
    floors = _floors(fail_under or [], questions, among)
    settings = load_settings()
    evaluation, about = _evaluated(questions, settings, site, collection, among, rerank=rerank)
    unmet = _unmet(evaluation, floors)
    record = as_record(evaluation, {"file": asked_file.name, **about})
    if json_file not in ("", "-"):
        write_json(Path(json_file), record)
    if html_file is not None:
        told = {
            "questions of": asked_file.name,
            "collection": about["collection"],
            "embedder": about["embedder"],
            "ranking": about["ranking"],
        }
        title = f"{site or 'All sites'}: {len(questions)} questions"
        write_text(html_file, render_page(evaluation, title, told, unmet="; ".join(unmet)))
    if json_file == "-":
        print_json(record)
    else:
        show_evaluation(evaluation)
    for line in unmet:
        typer.echo(line, err=True)
    if unmet:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _canaries(site: str) -> Path:
    """The file that the site's profile names. Raises ``ConfigError`` where there is none."""
    from wrac.config import SITES_DIR, load_site
    from wrac.errors import ConfigError

    canaries = load_site(site).canaries if site and (SITES_DIR / f"{site}.toml").exists() else ""
    if not canaries:
        of = (
            f"`canaries` of sites/{site}.toml names none"
            if site
            else "--site with `canaries` in its profile would, too"
        )
        raise ConfigError(f"name a file of questions: wrac evaluate queries FILE ({of})")
    return Path(canaries)


def _evaluated(
    questions: Sequence[Question], settings: Settings, site: str, collection: str, k: int, *, rerank: bool | None
) -> tuple[Evaluation, dict[str, Any]]:
    from evaluation.questions.asking import Collection, evaluate
    from evaluation.questions.diagnosis import World
    from indexing.remembered import RememberedQueries
    from ingest.archive import FileArchive
    from ingest.questions import Targets
    from service.cli.asking import asked
    from service.state import known_ledger

    with known_ledger(settings) as ledger:
        sites = _sites(ledger, site)
        name = collection or _collection_of(ledger, site)
        archive = FileArchive(settings.archive_url) if ledger is not None else None
        with asked(name, rerank=rerank) as held:
            held.store.verify(held.embedder, held.sparse)
            if not held.store.count(site or None):
                raise _nothing_there(name, site, settings)
            embedder = RememberedQueries(held.embedder)
            world = World(Targets(ledger, archive, sites), _profiles(sites))
            asked_of = Collection(held.store, embedder, held.sparse, site, held.ranking)
            evaluation = evaluate(questions, asked_of, world, k)
        about = {"collection": name, "embedder": embedder.name, "sparse": held.sparse.name}
        return evaluation, {**about, "ranking": _in_words(held.ranking)}


def _in_words(ranking: Ranking) -> str:
    weights = f"dense {ranking.dense_weight:g}, page {ranking.page_weight:g}"
    return f"{weights}, reranked by {ranking.reranker.name}" if ranking.reranker is not None else weights


def _sites(ledger: Ledger | None, site: str) -> list[str]:
    """The sites that are meant. Raises ``ConfigError`` for one that the ledger does not know."""
    from wrac.errors import ConfigError, did_you_mean

    if ledger is None:
        return [site] if site else []
    known = ledger.runs.sites()
    if site and site not in known:
        there = ", ".join(known) or "none yet"
        raise ConfigError(f"--site {site}: no such site was crawled{did_you_mean(site, known)} (sites: {there})")
    return [site] if site else known


def _collection_of(ledger: Ledger | None, site: str) -> str:
    run = ledger.runs.last(site) if ledger is not None and site else None
    return run.collection if run is not None else DEFAULT_COLLECTION


def _profiles(sites: Sequence[str]) -> Mapping[str, SiteProfile]:
    """Of those sites that have a file that can be read: a diagnosis is no place to complain of another."""
    from wrac.config import SITES_DIR, load_site
    from wrac.errors import ConfigError

    found = {}
    for name in sites:
        if (SITES_DIR / f"{name}.toml").exists():
            try:
                found[name] = load_site(name)
            except ConfigError:
                continue
    return found


def _nothing_there(collection: str, site: str, settings: Settings) -> Exception:
    from wrac.errors import ConfigError

    of = f" of site {site!r}" if site else ""
    return ConfigError(
        f"the collection {collection!r} in {settings.store_place} holds nothing{of}: `wrac status` lists sites and "
        "collections; fill it with `wrac crawl`"
    )


def _floors(given: Sequence[str], questions: Sequence[Question], k: int) -> dict[str, float]:
    """Least values by measure. Raises ``ConfigError``."""
    from evaluation.questions.asking import measure_names
    from wrac.errors import ConfigError, did_you_mean

    known = measure_names(questions, k)
    floors = {}
    for text in given:
        name, _, number = (part.strip() for part in text.partition("="))
        if name not in known:
            raise ConfigError(
                f"--fail-under {text}: {name!r} is not measured with --k {k}{did_you_mean(name, known)} "
                f"(measures: {', '.join(known)})"
            )
        try:
            floors[name] = float(number)
        except ValueError:
            floors[name] = -1.0
        if not 0 <= floors[name] <= 1:
            raise ConfigError(f"--fail-under {text}: write a number from 0 to 1, as in {name}=0.9")
    return floors


def _unmet(evaluation: Evaluation, floors: Mapping[str, float]) -> list[str]:
    import math

    told = []
    for measure, floor in floors.items():
        value = evaluation.mean(measure)
        if math.isnan(value):
            told.append(f"{measure} could not be measured, and --fail-under asks for {floor:g}")
        elif value < floor:
            told.append(f"{measure} is {value:.3f}, below the {floor:g} of --fail-under")
    return told
