"""Planning by a model: a stage between gathering and publishing, beside the crawl, in threads that wait for a server.

A page comes with its plan by rule, already in the archive. The model's plan replaces it; whatever goes wrong, the page
keeps a lossless plan and goes on. Nothing is lost with the process: a page that was not planned yet is planned by the
next session, and replies that were paid for are kept.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chunking import assemble
from chunking.planners.kept import NOT_ASKED
from chunking.planners.llm import LLMPlanner, PlanningOptions
from chunking.planners.wire import Preview
from ingest.archive import Kind
from ingest.bill import cap, require_price
from ingest.codec import encode
from ingest.gather import find_record
from ingest.ledger.rows import PageState
from ingest.row_queue import INTERRUPTED, RowQueue
from llm.chat import ChatClient
from wrac.errors import ConfigError, WracError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chunking import WindowLimits
    from chunking.planners.figures import PlanningFigures
    from chunking.planners.llm import PlanCache
    from conversion.drac.figures import TranscriptionFigures
    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.gather import GatheredPage
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord
    from ingest.planning_stage import Ready
    from llm.budget import Budget
    from llm.guarded import Chat
    from wrac.config import Settings
    from wrac.recipe import Recipe, Recipes
    from wrac.records import ChunkPlan, FetchedPage, Group

PLANNED_PAGE: ContextVar[str] = ContextVar("planned_page", default="")
"""Id of the page that a thread asks the model about: its replies go when the page is erased."""

logger = logging.getLogger(__name__)


def planning_options(settings: Settings) -> PlanningOptions:
    """How planning calls look by the settings."""
    return PlanningOptions(
        preview=Preview(settings.planner_preview),
        preview_words=settings.planner_preview_words,
        input_budget=settings.planner_input_tokens,
        concurrency=settings.planner_concurrency,
    )


def open_chat(settings: Settings, environment: Mapping[str, str]) -> ChatClient:
    """The planner's model. Raises ``ConfigError`` for a key that is missing, before anything is asked."""
    key = settings.planner_api_key_env
    if settings.planner_base_url and "planner_api_key_env" in settings.model_fields_set and not environment.get(key):
        raise ConfigError(f"the environment variable {key} (planner_api_key_env) is not set: export it")
    return ChatClient(
        settings.planner_model,
        settings.planner_base_url,
        key,
        environment,
        timeout=settings.planner_timeout,
        max_retries=settings.planner_retries,
    )


def make_planner(
    settings: Settings,
    limits: WindowLimits,
    client: Chat,
    *,
    budget: Budget | None = None,
    cache: PlanCache | None = None,
) -> LLMPlanner:
    """The planner that the settings describe."""
    return LLMPlanner(
        client,
        limits=limits,
        options=planning_options(settings),
        budget=budget,
        page_cap=cap("page", settings.max_page_tokens, settings.max_page_dollars),
        cache=cache,
    )


def planning_recipe(by_rule: str, settings: Settings) -> str:
    """The planning part of the recipe: all that shapes a plan by the model, given that of the rules."""
    options = planning_options(settings)
    words = f":{options.preview_words}" if options.preview is Preview.WORDS else ""
    return (
        f"{by_rule} {LLMPlanner.version} {settings.planner_model} preview={options.preview}{words} "
        f"input={options.input_budget} output={options.output_budget}"
    )


class LedgerPlanCache:
    """Paid replies in the ledger. Implements ``chunking.planners.asking.PlanCache``."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def get(self, key: str) -> str | None:
        """The stored reply, or None."""
        return self._ledger.bills.find_reply(key)

    def put(self, key: str, reply: str) -> None:
        """The reply survives a process that is killed right afterwards."""
        # Databases take neither NUL nor lone surrogates; both can only stand where no identifier does.
        kept = reply.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        self._ledger.bills.keep_reply(key, kept, PLANNED_PAGE.get())


@dataclass(frozen=True, slots=True)
class _Planned:
    """What became of one page."""

    record: str
    """Digest of its new record."""
    chunks: int
    tokens: int
    unasked: bool
    """Part of it goes by rule only until the model can be asked."""


class ByModel:
    """Pages on their way from the archive through the model. Implements ``ingest.planning_stage.PlanningStage``."""

    transcription: TranscriptionFigures | None = None

    def __init__(
        self,
        planner: LLMPlanner,
        client: ChatClient,
        ledger: Ledger,
        archive: Archive,
        account: Account,
        *,
        recipes: Recipes,
        ready: Ready,
    ) -> None:
        self.figures: PlanningFigures | None = planner.figures
        self._planner = planner
        self._client = client
        self._ledger = ledger
        self._archive = archive
        self._account = account
        self._planning = recipes.pages.planning
        self._made = {made.digest: recipe for recipe in recipes for made in (recipe, provisional(recipe))}
        """The recipe that a page is to end with, by digest of that which it comes with."""
        self._ready = ready
        self._queue = RowQueue(
            "wrac-plan",
            planner.options.concurrency,
            handle=self._plan,
            take_in=self._take_in,
            interrupted="pages were planned by the model",
        )

    def __len__(self) -> int:
        """Pages that wait or are at work."""
        return len(self._queue)

    @property
    def seconds(self) -> float:
        """Time spent on plans, waiting for the server included, summed over all threads."""
        return self._queue.seconds

    @property
    def recipes(self) -> frozenset[str]:
        """Digests of the recipes that pages of this run are made with."""
        return frozenset(self._made)

    def start(self) -> None:
        """Works beside the crawl from now on."""
        for recipe in self._made.values():
            self._ledger.runs.add_recipe(provisional(recipe))
        self._queue.start()

    def put(self, row: PageRow) -> None:
        """The page is planned in its turn. It is in the archive, planned by rule.

        A page that was gathered with another recipe keeps its plan: the run did not look at it.
        """
        if row.recipe not in self.recipes:
            self._ready(row, row)
            return
        self._queue.put(row)

    async def second_look(self, page: FetchedPage, result: GatheredPage, previous: str) -> GatheredPage:  # noqa: ARG002
        """A planner sees no page."""
        return result

    async def drain(self) -> None:
        """Every page put is planned and handed on. Raises ``StoreError``, ``TransientError`` once interrupted."""
        await self._queue.drain()

    def interrupt(self) -> None:
        """See ``PlanningStage.interrupt``."""
        self._planner.stop(INTERRUPTED)
        self._queue.interrupt()

    async def stop(self) -> None:
        """Nothing more is asked. Pages that were not planned wait for the next session of the run."""
        self._planner.stop(INTERRUPTED)
        await self._queue.stop()

    def close(self) -> None:
        """No connection is kept; a thread that still waits for a reply holds its own, and no process up."""
        self._client.close()

    def _plan(self, row: PageRow) -> _Planned | None:
        """In a thread. None where the page stays as it is."""
        if (record := find_record(self._archive, row.record)) is None:
            return None  # the publisher meets the same and says so
        if record.plan.planner == self._planner.name and not is_unasked(record.plan):
            return None  # by an earlier session
        PLANNED_PAGE.set(row.page_id)
        try:
            plan = self._planner.plan(record.tree, self._account.for_page(row.page_id), kept=self._kept(row, record))
            record = replace(record, plan=plan, chunks=assemble(record.tree, plan), planning=self._planning)
        except WracError:
            raise
        except Exception as error:  # noqa: BLE001 (a fault of ours must not cost the page, which has a plan)
            # The exception's text may quote the page.
            logger.warning("%s stays planned by rule: %s in the planner", row.url, type(error).__name__)
            self._planner.figures.answered(outcomes=[f"{type(error).__name__} in the planner"], changed=False)
            return None
        digest = self._archive.put(Kind.PAGE, encode(record))
        tokens = sum(chunk.tokens for chunk in record.chunks)
        return _Planned(digest, len(record.chunks), tokens, is_unasked(plan))

    def _kept(self, row: PageRow, record: PageRecord) -> tuple[Group, ...]:
        """Groups that the model decided for the published version of the page, and that stand."""
        previous = find_record(self._archive, row.published_record)
        return previous.groups_for(record.tree, self._planning, self._planner.limits) if previous else ()

    def _take_in(self, row: PageRow, planned: _Planned | None) -> None:
        now = self._ledger.pages.get(row.site, row.page_id)
        if now is None or now.state is not PageState.GATHERED or now.record != row.record:
            return
        if planned is not None:
            if self._queue.is_stopping and planned.unasked:
                return
            recipe = provisional(self._made[now.recipe]) if planned.unasked else self._made[now.recipe]
            now = replace(
                now, record=planned.record, chunks=planned.chunks, tokens=planned.tokens, recipe=recipe.digest
            )
            self._ledger.pages.save(now)
        self._ready(row, now)


def provisional(recipe: Recipe) -> Recipe:
    """The recipe of a page that was not planned by the model yet: another one, so that the next run looks again."""
    return replace(recipe, planning=f"{recipe.planning} not-asked")


def is_unasked(plan: ChunkPlan) -> bool:
    """Whether part of the plan is by rule only until the model can be asked."""
    return any(violation.rule.startswith(NOT_ASKED) for violation in plan.repairs)


def prepare(by_rule: str, settings: Settings, environment: Mapping[str, str]) -> str:
    """The planning part of the recipe. Raises ``ConfigError`` where planning cannot begin: no price, no key."""
    require_price(settings)
    open_chat(settings, environment).close()
    return planning_recipe(by_rule, settings)
