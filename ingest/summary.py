"""How a run ended, put together from the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.ledger.rows import PageState
from ingest.progress import RunSummary
from wrac.language_tags import primary_subtag
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from chunking.planners.figures import PlanningFigures
    from conversion.drac.figures import TranscriptionFigures
    from ingest.bill import Bill
    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from ingest.publish import PublishFigures
    from ingest.recrawl import Action
    from ingest.report.files import Written
    from wrac.config import Settings
    from wrac.errors import WracError


def summarize(
    ledger: Ledger,
    run: RunRow,
    settings: Settings,
    figures: PublishFigures,
    seconds: Mapping[str, float],
    languages: frozenset[str] | None,
    error: WracError | None,
    bill: Bill,
    planning: PlanningFigures | None,
    report: Written,
    transcription: TranscriptionFigures | None,
) -> RunSummary:
    """The summary of a run that has ended."""
    totals = ledger.pages.totals(run.site, run.run_id, (Outcome.INDEXED, Outcome.UNCHANGED))
    states = ledger.pages.count_by("state", run.site)
    waiting = states.get(PageState.GATHERED.value, 0) + states.get(PageState.HELD.value, 0)
    return RunSummary(
        site=run.site,
        collection=run.collection,
        run_id=run.run_id,
        state=run.state,
        outcomes={Outcome(name): count for name, count in run.counts.items()},
        chunks=totals.chunks,
        tokens=totals.tokens,
        published=figures.pages,
        withdrawn=figures.withdrawn,
        kept={Outcome(name): count for name, count in ledger.pages.kept_on_doubt(run.site, run.run_id).items()},
        missing=ledger.pages.missing(run.site, run.run_id),
        waiting=waiting,
        embedded=figures.embedded,
        reused=figures.reused,
        seconds=dict(seconds),
        place=settings.store_place,
        notes=(
            *_notes(ledger, run, languages, waiting, error),
            *_planning_notes(planning),
            *filter(None, [report.problem]),
        ),
        report=str(report.path or ""),
        bill=bill,
        planning=planning,
        transcription=transcription,
        error=error,
    )


def session_figures(
    done: PublishFigures,
    actions: Mapping[Action, int],
    seconds: Mapping[str, float],
    transcription: TranscriptionFigures | None,
) -> dict[str, float]:
    """What a session did, by name; ``docs/reports.md`` explains them."""
    figures: dict[str, float] = {
        "published": done.pages,
        "withdrawn": done.withdrawn,
        "points_kept": done.synced.kept,
        "points_refreshed": done.synced.refreshed,
        "points_upserted": done.synced.upserted,
        "points_deleted": done.synced.deleted,
        "embedded": done.embedded,
        "reused": done.reused,
    }
    if transcription is not None:
        told = {name: count for name, count in transcription.as_dict().items() if isinstance(count, int)}
        figures |= {f"transcription_{name}": count for name, count in told.items()}
    figures |= {f"pages_{action}": count for action, count in actions.items()}
    return figures | {f"seconds_{stage}": round(spent, 3) for stage, spent in seconds.items()}


def _notes(
    ledger: Ledger, run: RunRow, languages: frozenset[str] | None, waiting: int, error: WracError | None
) -> Iterator[str]:
    if languages is not None:
        for language, pages in ledger.pages.languages(run.site, run.run_id).items():
            subtag = primary_subtag(language)
            if subtag and subtag not in languages:
                subject = "1 page is" if pages == 1 else f"{pages} pages are"
                yield (
                    f"{subject} in {language!r}, which the embedder does not read "
                    f"(it reads {', '.join(sorted(languages))}): there search goes by words alone. "
                    f"Set `embedder` in wrac.toml to a multilingual model, e.g. "
                    f"fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
                )
    if waiting and error is not None:
        yield (
            f"{waiting} pages are gathered and not in the collection yet. Run the same command again: "
            f"they are published from the archive, without fetching them."
        )


def _planning_notes(figures: PlanningFigures | None) -> Iterator[str]:
    if figures is None or not figures.by_rule:
        return
    total = sum(figures.by_rule.values())
    subject = "1 question was" if total == 1 else f"{total} questions were"
    yield f"{subject} planned by rule instead of by the model ({figures.reasons()})"
