"""What a run pays for: every bill goes to the ledger as it comes, and counts against the caps of run and site."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from ingest.ledger.bills import Purpose, Spending
from llm.budget import ZERO, Budget, Cap
from llm.prices import Price, price_of
from wrac.errors import ConfigError
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chunking.planners.figures import PlanningFigures
    from ingest.ledger import Ledger
    from wrac.config import Settings

REMOTE = "openai:"
"""Opens the name of an embedder that bills."""


def known_price(model: str, settings: Settings) -> Price | None:
    """The price of a model by the settings, else by the list; None where neither names it."""
    return price_of(model, {name: entry.model_dump(exclude_none=True) for name, entry in settings.prices.items()})


def cap(scope: str, tokens: int, dollars: float) -> Cap:
    """A cap as the settings give it: 0 for none."""
    return Cap(scope, tokens or None, Decimal(str(dollars)) if dollars else None)


def require_price(settings: Settings) -> Price | None:
    """The planner's price. Raises ``ConfigError`` where a price is not known that need be."""
    price = known_price(settings.planner_model, settings)
    if price is None and not settings.allow_unpriced:
        Budget(Cap("run"), None).require_price(settings.planner_model)
    if price is None:
        refuse_dollars(settings.planner_model, settings, "page", "run", "site")
    if settings.embedder.startswith(REMOTE):
        embedder = settings.embedder.removeprefix(REMOTE)
        if known_price(embedder, settings) is None:
            refuse_dollars(embedder, settings, "run", "site")
    return price


def refuse_dollars(model: str, settings: Settings, *scopes: str) -> None:
    """A cap in dollars that a model without a price could pass unseen is a ``ConfigError``."""
    for key in (f"max_{scope}_dollars" for scope in scopes):
        if getattr(settings, key):
            raise ConfigError(
                f"{key} cannot be held: the price of the model {model} is not known. Name it in wrac.toml "
                f'([prices."{model}"]), or cap tokens instead'
            )


class Account:
    """The bills of one run, its earlier sessions included. Safe between threads."""

    def __init__(self, ledger: Ledger, settings: Settings, site: str, run_id: int) -> None:
        self._ledger = ledger
        self._site = site
        self._run_id = run_id
        self._model = settings.planner_model
        self._price = known_price(self._model, settings)
        self._embedder = settings.embedder.removeprefix(REMOTE)
        self._embedder_price = known_price(self._embedder, settings)
        self._embedded = Usage()
        site_budget = Budget(cap("site", settings.max_site_tokens, settings.max_site_dollars), self._price)
        self.budget = Budget(cap("run", settings.max_run_tokens, settings.max_run_dollars), self._price, site_budget)
        """Of the run, inside that of the site; both start with what the ledger says was spent."""
        for budget, spent in ((self.budget, ledger.bills.of_run(run_id)), (site_budget, ledger.bills.of_site(site))):
            budget.spent = sum((spending.usage for spending in spent), Usage())
            budget.dollars = sum((spending.dollars or ZERO for spending in spent), ZERO)

    def for_page(self, page_id: str) -> Callable[[Usage], None]:
        """Books the bills of planning one page."""

        def book(usage: Usage) -> None:
            dollars = self._price.of(usage) if self._price else None
            spending = Spending(Purpose.PLANNING, self._model, usage, dollars)
            self._ledger.bills.add(self._site, self._run_id, spending, page_id)

        return book

    def for_document(self, page_id: str, model: str, price: Price | None) -> Budget:
        """What transcribing one document spends: inside the caps of run and site, booked as it comes."""

        def book(usage: Usage) -> None:
            spending = Spending(Purpose.TRANSCRIPTION, model, usage, price.of(usage) if price else None)
            self._ledger.bills.add(self._site, self._run_id, spending, page_id)

        return Budget(Cap("document"), price, self.budget, on_bill=book)

    def embedded(self, total: Usage) -> None:
        """Books what the embedder has billed in this session beyond what was booked before."""
        fresh = Usage(
            total.input_tokens - self._embedded.input_tokens,
            total.cached_tokens - self._embedded.cached_tokens,
            total.output_tokens - self._embedded.output_tokens,
            total.calls - self._embedded.calls,
        )
        if fresh == Usage():
            return
        self._embedded = total
        self.budget.charge(fresh, self._embedder_price)
        dollars = self._embedder_price.of(fresh) if self._embedder_price else None
        self._ledger.bills.add(self._site, self._run_id, Spending(Purpose.EMBEDDING, self._embedder, fresh, dollars))

    def bill(self) -> Bill:
        """What was spent so far."""
        return bill_of(self._ledger, self._site, self._run_id)

    def close_session(self, figures: PlanningFigures | None) -> PlanningFigures | None:
        """The figures of this session are on record; returns those of the whole run."""
        return figures and self._ledger.bills.add_figures(self._run_id, figures)


@dataclass(frozen=True, slots=True)
class Bill:
    """What was spent, by purpose and model."""

    run: tuple[Spending, ...] = ()
    site: tuple[Spending, ...] = ()
    """By all runs of the site."""

    def lines(self) -> list[str]:
        """For a person; none where nothing was spent."""
        lines = [f"{each.purpose.value} {each.model}: {in_words(each.usage, each.dollars)}" for each in self.run]
        if self.site and self.site != self.run:
            lines.append(f"all runs of the site: {in_words(*total(self.site))}")
        return lines


def bill_of(ledger: Ledger, site: str, run_id: int) -> Bill:
    """What a run, and all runs of its site, have spent."""
    return Bill(tuple(ledger.bills.of_run(run_id)), tuple(ledger.bills.of_site(site)))


def total(spendings: Iterable[Spending]) -> tuple[Usage, Decimal | None]:
    """Sums; the money is None where some of it is not known."""
    usage, dollars = Usage(), ZERO
    unknown = False
    for each in spendings:
        usage += each.usage
        unknown = unknown or each.dollars is None
        dollars += each.dollars or ZERO
    return usage, None if unknown else dollars


def in_words(usage: Usage, dollars: Decimal | None) -> str:
    """Calls, tokens and money, e.g. ``12 calls, 34,567 tokens in (8,192 cached), 345 out, $0.0123``."""
    calls = "1 call" if usage.calls == 1 else f"{usage.calls:,} calls"
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    return f"{calls}, {usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out, {money(dollars)}"


def money(dollars: Decimal | None) -> str:
    """US dollars, four places, or that the price is not known."""
    return "price not known" if dollars is None else f"${dollars:.4f}"
