"""What the ledger knows about money: every bill of a model, and the replies that were paid for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from chunking.planners.figures import PlanningFigures
from ingest.ledger.schema import bills, plan_replies, plannings, transcripts
from wrac.records import Usage

if TYPE_CHECKING:
    from ingest.ledger.database import Database

_PICO = Decimal(10) ** 12


class Purpose(StrEnum):
    """What a model was paid for."""

    PLANNING = "planning"
    EMBEDDING = "embedding"
    TRANSCRIPTION = "transcription"


@dataclass(frozen=True, slots=True)
class Spending:
    """What one model billed for one purpose."""

    purpose: Purpose
    model: str
    usage: Usage
    dollars: Decimal | None
    """US dollars at the prices of the day; None where the price of some of it was not known."""


class BillLedger:
    """Bills are durable as soon as they are added: a process killed afterwards has still paid."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, site: str, run_id: int, spending: Spending, page_id: str = "") -> None:
        """The bill is on record; ``page_id`` is empty where a request served several pages."""
        usage = spending.usage
        values = {
            "site": site,
            "run_id": run_id,
            "page_id": page_id,
            "purpose": spending.purpose.value,
            "model": spending.model,
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "calls": usage.calls,
            "picodollars": None if spending.dollars is None else int((spending.dollars * _PICO).to_integral_value()),
        }
        with self._database.transaction() as connection:
            connection.execute(bills.insert().values(values))

    def of_run(self, run_id: int) -> list[Spending]:
        """What a run has spent, all of its sessions together, by purpose and model."""
        return self._sums(bills.c.run_id == run_id)

    def of_site(self, site: str) -> list[Spending]:
        """What all runs of a site have spent."""
        return self._sums(bills.c.site == site)

    def of_page(self, site: str, page_id: str) -> list[Spending]:
        """What all runs have spent on one page alone."""
        return self._sums(bills.c.site == site, bills.c.page_id == page_id)

    def add_figures(self, run_id: int, figures: PlanningFigures) -> PlanningFigures:
        """The figures of one more session of a run are on record; returns those of the whole run."""
        before = self.figures(run_id)
        whole = figures if before is None else before + figures
        with self._database.transaction() as connection:
            row = {"run_id": run_id, "figures": json.dumps(whole.as_dict(), sort_keys=True)}
            self._database.upsert(connection, plannings, [row])
        return whole

    def figures(self, run_id: int) -> PlanningFigures | None:
        """What the model was asked in a run; None where the rules planned it, or where it has not ended yet."""
        with self._database.transaction() as connection:
            stored = connection.scalar(sa.select(plannings.c.figures).where(plannings.c.run_id == run_id))
        return None if stored is None else PlanningFigures.of(json.loads(stored))

    def find_reply(self, key: str) -> str | None:
        """The reply that was kept under a key."""
        with self._database.transaction() as connection:
            reply: str | None = connection.scalar(sa.select(plan_replies.c.reply).where(plan_replies.c.key == key))
            return reply

    def keep_reply(self, key: str, reply: str, page_id: str = "") -> None:
        """The reply, which was paid for a page, is found under its key from now on."""
        with self._database.transaction() as connection:
            self._database.upsert(connection, plan_replies, [{"key": key, "reply": reply, "page_id": page_id}])

    def find_transcript(self, key: str) -> str | None:
        """The page of a document that was kept under a key."""
        with self._database.transaction() as connection:
            page: str | None = connection.scalar(sa.select(transcripts.c.page).where(transcripts.c.key == key))
            return page

    def keep_transcript(self, key: str, page: str, page_id: str = "") -> None:
        """The page, which was paid for a document, is found under its key from now on."""
        with self._database.transaction() as connection:
            self._database.upsert(connection, transcripts, [{"key": key, "page": page, "page_id": page_id}])

    def _sums(self, *conditions: Any) -> list[Spending]:
        names = ("input_tokens", "cached_tokens", "output_tokens", "calls", "picodollars")
        unpriced = sa.func.count() - sa.func.count(bills.c.picodollars)
        sums: list[Any] = [sa.func.coalesce(sa.func.sum(bills.c[name]), 0) for name in names]
        query: Any = sa.select(bills.c.purpose, bills.c.model, *sums, unpriced)
        query = query.where(*conditions).group_by(bills.c.purpose, bills.c.model)
        with self._database.transaction() as connection:
            rows = connection.execute(query.order_by(bills.c.purpose, bills.c.model)).all()
        return [
            Spending(
                Purpose(purpose),
                model,
                Usage(int(fresh), int(cached), int(output), int(calls)),
                None if unknown else Decimal(int(pico)) / _PICO,
            )
            for purpose, model, fresh, cached, output, calls, pico, unknown in rows
        ]
