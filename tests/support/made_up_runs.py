"""Runs of a made-up site, written to ledger and archive as a crawl would, without a crawler or an embedder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ingest.archive import FileArchive, Kind
from ingest.codec import encode
from ingest.identity import identify
from ingest.ledger import Ledger
from ingest.ledger.rows import Decision, PageRow, PageState, Publication, RunState
from ingest.page import process_page
from ingest.page_settings import PageSettings
from wrac.ids import digest
from wrac.recipe import Recipe
from wrac.records import FetchedPage, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ingest.ledger.rows import RunRow
    from ingest.page_records import PageRecord

SITE = "docs"
BASE = "https://docs.test/"
RECIPE = Recipe("filters/1 html/1", "tree/1 rule/1", "minilm")
BEGIN = datetime(2026, 1, 5, 3, 0, tzinfo=UTC)


def page_of(title: str, *paragraphs: str, before: str = "") -> str:
    """The HTML of a page; ``before`` stands in front of its main content."""
    text = "".join(p if p.startswith("<") else f"<p>{p}</p>" for p in paragraphs)
    return f"<html><head><title>{title}</title></head><body>{before}<main><h1>{title}</h1>{text}</main></body></html>"


class MadeUpSite:
    """A ledger and an archive, and the runs that are written to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = Ledger(f"sqlite:///{folder / 'ledger.sqlite'}")
        self.archive = FileArchive(str(folder / "archive"))
        self._runs = 0

    def run(
        self,
        publish: Mapping[str, str],
        *,
        withdraw: Mapping[str, str] | None = None,
        ends: Mapping[str, tuple[Outcome, str]] | None = None,
        decide: Mapping[str, tuple[str, str, str]] | None = None,
        figures: Mapping[str, float] | None = None,
        note: str = "",
        state: RunState = RunState.FINISHED,
    ) -> RunRow:
        """A run that published these pages (path -> HTML), withdrew these (path -> path of the page that stands for
        them, or nothing), saw these end otherwise, and decided so (path -> decision, reason, evidence)."""
        started = BEGIN + timedelta(days=self._runs)
        self._runs += 1
        run = self.ledger.runs.start(
            SITE, first=self._runs == 1, collection="docs", recipe=RECIPE, started_at=started.isoformat()
        )
        manifest = self.ledger.publishes.open_manifest(run, run.started_at)
        items = [self._publish(run, path, html) for path, html in publish.items()]
        items += [self._withdraw(run, path, target) for path, target in (withdraw or {}).items()]
        for path, (outcome, reason) in (ends or {}).items():
            row = self._row(run, path)
            self.ledger.pages.save(replace(row, outcome=outcome, reason=reason))
        for path, (name, reason, evidence) in (decide or {}).items():
            made = Decision(run.run_id, identify(BASE + path), name, reason, evidence, run.started_at)
            self.ledger.pages.add_decision(SITE, made)
        self.ledger.pages.flush()
        self.ledger.publishes.record(SITE, manifest, items, run.started_at)
        self.ledger.publishes.complete_manifest(manifest, run.started_at)
        done = replace(
            run,
            state=state,
            finished_at=(started + timedelta(minutes=4, seconds=12)).isoformat(),
            counts=self.ledger.pages.count_by("outcome", SITE, run.run_id),
            figures=dict(figures or {}),
            note=note,
            exit_code=0,
        )
        self.ledger.runs.update(done)
        return done

    def record(self, path: str, html: str) -> PageRecord:
        """What the stages make of a page."""
        url, body = BASE + path, html.encode()
        fetched = FetchedPage(
            url=url,
            final_url=url,
            status=200,
            content_type="text/html",
            body=body,
            fetched_at=BEGIN,
            body_digest=digest(body),
        )
        processed = process_page(fetched, PageSettings())
        assert processed.record is not None, processed.outcome
        return processed.record

    def _publish(self, run: RunRow, path: str, html: str) -> Publication:
        record = self.record(path, html)
        key = self.archive.put(Kind.PAGE, encode(record))
        # As in the collection: the same text of the same page is the same point.
        points = tuple(digest(f"{path} {chunk.digest}".encode()) for chunk in record.chunks)
        row = replace(
            self._row(run, path),
            state=PageState.GATHERED,
            outcome=Outcome.INDEXED,
            reason="",
            record=key,
            markdown_digest=record.document.digest,
            recipe=RECIPE.digest,
            title=record.metadata.title,
        )
        self.ledger.pages.save(row)
        return Publication(row.page_id, key, record.document.digest, RECIPE.digest, points)

    def _withdraw(self, run: RunRow, path: str, target: str) -> Publication:
        row = self._row(run, path)
        variant = identify(BASE + target) if target else ""
        outcome = Outcome.REDIRECTED if target else Outcome.GONE
        self.ledger.pages.save(replace(row, state=PageState.TOMBSTONE, outcome=outcome, variant_of=variant))
        return Publication(row.page_id, row.record, row.markdown_digest, row.recipe, (), withdrawn=True)

    def _row(self, run: RunRow, path: str) -> PageRow:
        key = identify(BASE + path)
        known = self.ledger.pages.get(SITE, key)
        return replace(known or PageRow(SITE, key, BASE + path), run_id=run.run_id)
