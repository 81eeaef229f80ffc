"""Takes what a crawl saw at a URL into the ledger: one decision for each page, on record with its reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ingest import changes
from ingest.identity import identify
from ingest.ledger.rows import Decision, PageState, VariantKind
from ingest.recrawl import QUIET, Action, Observation, Rules, Verdict, decide
from ingest.twins import Twins
from wrac.language_tags import primary_subtag
from wrac.records import Outcome, PageOutcome, Validators
from wrac.urls import normalize_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ingest.gather import GatheredPage
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.lookalikes import MissingPages
    from wrac.config import SiteProfile
    from wrac.recipe import Recipes
    from wrac.records import FetchedPage


WHOLE_LOOK_AFTER = timedelta(days=30)
"""After so long a page is asked for whole: some servers' validators never change, whatever the page says."""
_STILL_VARIANT = "a variant before, and unchanged"


class Intake:
    """The pages of one run. Rows are saved; they are durable with the ledger's next flush."""

    def __init__(
        self,
        ledger: Ledger,
        run: RunRow,
        recipes: Recipes,
        site: SiteProfile,
        *,
        rules: Rules,
        missing: MissingPages,
        finished: Iterable[str],
        clock: Callable[[], datetime],
    ) -> None:
        """``finished``: ids of the pages that earlier sessions of the run finished."""
        self.actions: dict[Action, int] = {}
        """Pages of this session, by what was decided."""
        self.lacking: set[str] = set()
        """Ids of published pages that the collection lacks: each is published again, whatever becomes of its row."""
        self._ledger = ledger
        self._run = run
        self._recipes = recipes
        self._site = site
        self._rules = rules
        self._missing = missing
        self._clock = clock
        self._known = ledger.pages.known_ids(site.name)
        self._twins = Twins(ledger, run, any_known=bool(self._known))
        self._taken = set(finished)
        self._asked: dict[str, PageRow] = {}
        """Rows of pages that are being asked for."""

    # ------------------------------------------------------------ URLs

    def claim(self, key: str) -> bool:
        """Whether the page comes for the first time in this run; from now on it has."""
        if key in self._taken:
            return False
        self._taken.add(key)
        return True

    def give_back(self, key: str) -> None:
        """The page was not taken in after all."""
        self._taken.discard(key)

    def is_taken(self, key: str) -> bool:
        """Whether the stages found out in this run what the page is."""
        return key in self._taken

    def known(self, key: str) -> PageRow | None:
        """What earlier sessions and runs know about a page."""
        if key not in self._known:
            return None
        if key in self._asked:
            return self._asked.pop(key)
        return self._ledger.pages.get(self._site.name, key)

    def met(self, known: PageRow | None, key: str, url: str, depth: int) -> PageRow:
        """The row of a URL that this run met."""
        now = changes.timestamp(self._clock())
        return changes.met(known, site=self._site.name, page_id=key, url=url, run=self._run, depth=depth, now=now)

    # ------------------------------------------------------------ what was seen

    def ended(self, row: PageRow, outcome: PageOutcome) -> PageRow:
        """The URL ended without content."""
        if row.depth > 0 and self._missing.is_catch_all(outcome.target):
            reason = f"redirects to {outcome.target}, as addresses do that do not exist"
            outcome = PageOutcome(outcome.url, Outcome.GONE, reason)
        if outcome.outcome is Outcome.GONE and (known := self._missed(row)) is not None:
            return known
        if outcome.outcome is Outcome.REDIRECTED and outcome.target:
            key = identify(normalize_url(outcome.target) or outcome.target)
            row = replace(row, variant_of=key)
            self._ledger.pages.add_variant(self._site.name, row.url, key, VariantKind.REDIRECT, self._run.run_id)
            if row.point_ids:
                return self._save(changes.redirects(row, outcome.reason))
        seen = Observation(
            outcome.outcome, outcome.reason, outcome.status, by_profile=self._is_by_profile(row, outcome)
        )
        return self._decide(row, seen)

    def untouched(self, row: PageRow, known: PageRow, reason: str) -> PageRow:
        """The page is as it was when it was taken in last."""
        if self._site.languages and self._speaks_another_language(known):
            reason = f"the page is in {known.language}, the site profile asks for {', '.join(self._site.languages)}"
            return self._decide(row, Observation(Outcome.LANGUAGE, reason, by_profile=True))
        if known.state is PageState.VARIANT:  # of a page that may have changed: settled again when the crawl ends
            page = self.known(known.variant_of)
            canonical = page.url if page is not None else known.declared_canonical
            return self._save(changes.held(row, canonical, _STILL_VARIANT))
        if (first := self._twins.earlier(row)) is not None:
            return self._is_copy(row, first)
        row = self._decide(row, Observation(Outcome.UNCHANGED, reason))
        self._twins.add(row)
        return row

    def content(self, row: PageRow, page: FetchedPage, result: GatheredPage) -> PageRow:
        """The page has content."""
        new = changes.gathered(changes.fetched(row, page), result, self._recipes)
        if self._missing.looks_like(new):
            reason = "answers with the page that addresses have that do not exist"
            return self._decide(row, Observation(Outcome.GONE, reason, page.status))
        if result.canonical and identify(result.canonical) != row.page_id:
            reason = f"declares the canonical {result.canonical}; settled when the crawl ends"
            return self._save(changes.held(new, result.canonical, reason))
        if (first := self._twins.find(new)) is not None:
            return self._is_copy(new, first)
        if (incumbent := self._twins.incumbent(new)) is not None:
            reason = f"has the same text as {incumbent.url}; settled when the crawl ends"
            return self._save(changes.held(new, incumbent.url, reason))
        return self.has_content(new, before=row)

    def has_content(self, new: PageRow, before: PageRow) -> PageRow:
        """The page is indexed under its own URL, as far as its content allows; ``before`` is its row without that."""
        seen = Observation(
            Outcome.INDEXED, markdown=new.markdown_digest, facts=new.facts, tokens=new.tokens, recipe=new.recipe
        )
        verdict = decide(before, seen, self._rules)
        if verdict.action is Action.KEEP:
            return self._apply(before, verdict, Outcome.SHRUNK)
        is_unchanged = verdict.action is Action.TOUCH
        new = self._apply(new, verdict, Outcome.UNCHANGED if is_unchanged else Outcome.INDEXED)
        self._twins.add(new)
        return new

    def stands_alone(self, row: PageRow) -> PageRow:
        """The page was held and is no variant of what it was held for; of another page it may still be a copy."""
        if (first := self._twins.find(row)) is not None:
            return self._is_copy(row, first)
        if row.page_id in self.lacking:  # what its row said while it was not held
            row = replace(row, state=PageState.GATHERED)
        return self.has_content(row, before=changes.as_published(row) if row.point_ids else row)

    def is_variant(self, row: PageRow, page: PageRow, reason: str) -> PageRow:
        """The URL stands for another page, which is indexed."""
        is_news = row.state is not PageState.VARIANT and row.reason != _STILL_VARIANT
        if is_news and not row.point_ids:  # else the decision to withdraw it says so
            self._put_on_record(row, Verdict(Action.PASS, reason))
        row = replace(row, variant_of=page.page_id)
        return self._decide(row, Observation(Outcome.DUPLICATE, reason, elsewhere=page.url))

    def redirects(self, row: PageRow, page: PageRow | None) -> PageRow:
        """The URL of a published page redirects to ``page``, which is indexed; None: to nothing that is."""
        return self._decide(row, Observation(Outcome.REDIRECTED, row.reason, elsewhere=page.url if page else ""))

    def skipped(self, row: PageRow) -> PageRow:
        """The page is not due."""
        reason = f"not due before {row.due_at}"
        self._count(Action.SKIP)
        self._twins.add(row)
        return self._save(replace(row, outcome=Outcome.UNCHANGED, reason=reason))

    # ------------------------------------------------------------ conditional requests

    def validators(self, row: PageRow) -> Validators:
        """What a conditional request for a known page may send; empty where the whole answer is needed."""
        if not row.body_digest or not changes.is_settled(row) or self._is_long_ago(row.fetched_at):
            return Validators()
        self._asked[row.page_id] = row  # the answer will want it, too
        return Validators(row.etag, row.last_modified)

    def _is_long_ago(self, moment: str) -> bool:
        return bool(moment) and datetime.fromisoformat(moment) < self._clock() - WHOLE_LOOK_AFTER

    # ------------------------------------------------------------ inside

    def _decide(self, row: PageRow, seen: Observation) -> PageRow:
        return self._apply(row, decide(row, seen, self._rules), seen.outcome)

    def _is_copy(self, row: PageRow, first: PageRow) -> PageRow:
        self._ledger.pages.add_variant(self._site.name, row.url, first.page_id, VariantKind.IDENTICAL, self._run.run_id)
        return self.is_variant(row, first, f"has the same text as {first.url}")

    def _missed(self, row: PageRow) -> PageRow | None:
        """The row where this run found the page missing before: a run misses a page once."""
        known = self.known(row.page_id)
        return known if known and (known.run_id, known.outcome) == (self._run.run_id, Outcome.GONE) else None

    def _apply(self, row: PageRow, verdict: Verdict, outcome: Outcome) -> PageRow:
        self._count(verdict.action)
        if verdict.action not in QUIET and not (self._run.first and verdict.action is Action.NEW):
            self._put_on_record(row, verdict)
        return self._save(changes.decided(row, verdict, outcome, self._site, self._clock()))

    def _put_on_record(self, row: PageRow, verdict: Verdict) -> None:
        now = changes.timestamp(self._clock())
        decision = Decision(self._run.run_id, row.page_id, verdict.action, verdict.reason, verdict.evidence, now)
        self._ledger.pages.add_decision(self._site.name, decision)

    def _save(self, row: PageRow) -> PageRow:
        self._ledger.pages.save(row)
        return row

    def _count(self, action: Action) -> None:
        self.actions[action] = self.actions.get(action, 0) + 1

    def _is_by_profile(self, row: PageRow, outcome: PageOutcome) -> bool:
        """Whether it is the profile that keeps the page out: a server that sends something else proves nothing."""
        if outcome.outcome is Outcome.LANGUAGE:
            return self._speaks_another_language(row)
        return outcome.outcome is Outcome.OUT_OF_SCOPE and not outcome.target

    def _speaks_another_language(self, row: PageRow) -> bool:
        """Whether the page was published in a language that the profile does not ask for; most pages declare one."""
        language = primary_subtag(row.language)
        return bool(language) and language not in self._site.languages
