"""The stage between gathering and publishing, in which a site's own planner has its say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chunking import WindowLimits
    from chunking.planners.figures import PlanningFigures
    from conversion.drac.figures import TranscriptionFigures
    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.gather import GatheredPage
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from wrac.config import Settings, SiteProfile
    from wrac.recipe import Recipes
    from wrac.records import FetchedPage


class Ready(Protocol):
    """Takes each page that is planned, in the event loop."""

    def __call__(self, before: PageRow, after: PageRow) -> None:
        """``after`` is saved; ``before`` is the row that was put."""
        ...


class PlanningStage(Protocol):
    """Pages on their way to the publish queue. For one event loop."""

    @property
    def figures(self) -> PlanningFigures | None:
        """What a model was asked; None where none is."""
        ...

    @property
    def transcription(self) -> TranscriptionFigures | None:
        """What became of pages of documents that a model was shown; None where none is."""
        ...

    @property
    def seconds(self) -> float:
        """Time spent on plans, waiting for a server included, summed over all threads."""
        ...

    def __len__(self) -> int:
        """Pages that wait or are at work."""
        ...

    @property
    def recipes(self) -> frozenset[str]:
        """Digests of the recipes that pages of this run are made with."""
        ...

    def start(self) -> None:
        """Works beside the crawl from now on."""
        ...

    def put(self, row: PageRow) -> None:
        """The page, which is in the archive with its plan by rule, is handed on in its turn."""
        ...

    async def second_look(self, page: FetchedPage, result: GatheredPage, previous: str) -> GatheredPage:
        """What became of a page that the stages got nothing from, looked at by a model; as it was where none can.

        ``previous`` is the digest of the record that is published for it. Raises ``StoreError``, ``TransientError``
        once interrupted.
        """
        ...

    async def drain(self) -> None:
        """Every page put is planned and handed on. Raises ``StoreError``, ``TransientError`` once interrupted."""
        ...

    def interrupt(self) -> None:
        """Whoever waits for ``drain`` waits no longer: nothing more is asked, and it raises ``TransientError``."""
        ...

    async def stop(self) -> None:
        """Nothing more is asked. Pages that were not planned wait for the next session of the run."""
        ...

    def close(self) -> None:
        """Nothing is open."""
        ...


class ByRule:
    """Pages come planned by rule, and are handed on at once."""

    figures: PlanningFigures | None = None
    transcription: TranscriptionFigures | None = None
    seconds: float = 0.0

    def __init__(self, recipes: Recipes, ready: Ready) -> None:
        self.recipes = frozenset(recipe.digest for recipe in recipes)
        self._ready = ready

    def __len__(self) -> int:
        """No page waits."""
        return 0

    def start(self) -> None:
        """There is nothing to start."""

    def put(self, row: PageRow) -> None:
        """The page is handed on."""
        self._ready(row, row)

    async def second_look(self, page: FetchedPage, result: GatheredPage, previous: str) -> GatheredPage:  # noqa: ARG002
        """Rules see no more at a second look."""
        return result

    async def drain(self) -> None:
        """No page waits."""

    def interrupt(self) -> None:
        """No page waits."""

    async def stop(self) -> None:
        """No page waits."""

    def close(self) -> None:
        """Nothing was opened."""


class SitePlanning:
    """How the pages of a site are planned."""

    def __init__(
        self, site: SiteProfile, settings: Settings, limits: WindowLimits, environment: Mapping[str, str], by_rule: str
    ) -> None:
        """``by_rule`` is the planning part of the rules' recipe. Raises ``ConfigError``: no price, no key."""
        self._by_rule = site.planner == "rule"
        self._settings = settings
        self._limits = limits
        self._environment = environment
        self.recipe = by_rule
        """The planning part of the recipe."""
        if not self._by_rule:
            from ingest import planning  # noqa: PLC0415 - its client takes a second to load, and few sites need it

            self.recipe = planning.prepare(by_rule, settings, environment)
        self._site = site
        if site.transcriber != "none":
            from ingest import transcribing_stage  # noqa: PLC0415 - as above

            transcribing_stage.prepare(settings, environment)

    def open(self, ledger: Ledger, archive: Archive, account: Account, recipes: Recipes, ready: Ready) -> PlanningStage:
        """The stage of one run; documents go through their transcription before it where the site has them do so."""
        if self._site.transcriber == "none":
            return self._open(ledger, archive, account, recipes, ready)
        from ingest.page_settings import PageSettings  # noqa: PLC0415 - as below
        from ingest.transcribing_stage import Transcribing  # noqa: PLC0415 - its client takes a second to load

        return Transcribing(
            self._settings,
            PageSettings.of(self._settings, self._site),
            self._environment,
            ledger,
            archive,
            account,
            recipes,
            ready,
            lambda taken: self._open(ledger, archive, account, recipes, taken),
        )

    def _open(
        self, ledger: Ledger, archive: Archive, account: Account, recipes: Recipes, ready: Ready
    ) -> PlanningStage:
        if self._by_rule:
            return ByRule(recipes, ready)
        from ingest import planning  # noqa: PLC0415 - as above

        client = planning.open_chat(self._settings, self._environment)
        cache = planning.LedgerPlanCache(ledger)
        planner = planning.make_planner(self._settings, self._limits, client, budget=account.budget, cache=cache)
        return planning.ByModel(planner, client, ledger, archive, account, recipes=recipes, ready=ready)
