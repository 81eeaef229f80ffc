"""Plans by the model for files, without a ledger: the caps of page and run hold, and nothing is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from chunking import assemble
from ingest.bill import cap, in_words, require_price
from ingest.planning import make_planner, open_chat
from llm.budget import Budget
from service.documents import page_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.page_records import PageRecord
    from wrac.config import Settings


class ModelPlans:
    """One model for many files; a context manager that holds its connections."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        """Raises ``ConfigError`` where the model has no known price, or no key."""
        run_cap = cap("run", settings.max_run_tokens, settings.max_run_dollars)
        self._budget = Budget(run_cap, require_price(settings))
        self._client = open_chat(settings, environment)
        self._planner = make_planner(settings, page_settings(settings).limits, self._client, budget=self._budget)

    def plan(self, record: PageRecord) -> PageRecord:
        """The record with the model's plan, or that of the rules where it has none, and the chunks of it."""
        plan = self._planner.plan(record.tree)
        return replace(record, plan=plan, chunks=assemble(record.tree, plan))

    def summary(self) -> list[str]:
        """What was asked, what it cost, and what went by rule after all; a line each."""
        figures, budget = self._planner.figures, self._budget
        lines = [f"planning: {figures.in_words()}", f"bill: {in_words(budget.spent, budget.money)}"]
        return lines + ([f"by rule: {reasons}"] if (reasons := figures.reasons()) else [])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
