"""What a crawl gathered and did not publish, because it could not or because the loss guard stopped it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ingest.indexer import CollectionIndexer
from ingest.ledger.rows import PageState, RunKind, RunState
from ingest.loss import check_loss
from ingest.maintenance.placing import WRITE_PAGES, batches
from ingest.maintenance.profile import profile_of
from ingest.maintenance.remake import ModelPlans, Remade
from ingest.maintenance.renewal import UNKNOWN
from ingest.maintenance.session import open_session
from ingest.page_settings import PageSettings
from ingest.publish import Publisher
from wrac.errors import ConfigError
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.bill import Account
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.maintenance.session import Session
    from wrac.config import Settings, SiteProfile
    from wrac.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Published:
    """What was done."""

    site: str
    published: int = 0
    withdrawn: int = 0
    embedded: int = 0
    reused: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    """Pages that could not be published: URL and reason."""


def publish_gathered(settings: Settings, site: str, *, accept_loss: bool = False) -> Published:
    """All that earlier runs gathered of the site is in the collection, and what they found gone is not.

    Raises ``LossGuard`` where that would lose too much and ``accept_loss`` is not set; ``ConfigError`` where the last
    crawl did not see the whole site; ``StoreError``, ``TransientError``, after which the same command goes on.
    """
    with open_session(settings, [site]) as session:
        profile = profile_of(session.ledger, site)
        crawl = session.ledger.runs.last(site, RunKind.CRAWL)
        if crawl is not None:
            _refuse_half(crawl)
        rows = list(session.ledger.pages.in_state(site, PageState.GATHERED))
        leaving = list(session.ledger.pages.in_state(site, PageState.LEAVING))
        if not rows and not leaving:
            return Published(site)
        if not accept_loss:
            check_loss(session.ledger, site, profile.loss_guard)
        indexer = CollectionIndexer(settings, profile.collection)
        indexer.prepare()
        recipe = (crawl and session.ledger.runs.recipe(crawl.recipe)) or UNKNOWN
        run = session.begin(site, RunKind.PUBLISH, recipe)
        account = session.account(run)
        if profile.planner != "rule":
            rows = _planned(session, profile, rows, recipe, account)
        done = _publish(session, indexer, run, rows, account)
        session.finish(
            site,
            {"published": done.published, "withdrawn": done.withdrawn},
            {"embedded": done.embedded, "reused": done.reused},
            exit_code=3 if done.failed else 0,
        )
        if crawl is not None and crawl.state is not RunState.FINISHED:
            note = f"published by run {run.run_id}"
            session.ledger.runs.update(replace(crawl, state=RunState.FINISHED, note=note))
        return done


def _refuse_half(crawl: RunRow) -> None:
    if crawl.state in (RunState.RUNNING, RunState.INTERRUPTED):
        raise ConfigError(
            f"run {crawl.run_id} of {crawl.site} broke off before it had seen the whole site: `wrac crawl` goes on "
            f"with it and publishes; publishing half of a change is refused"
        )


def _publish(
    session: Session, indexer: CollectionIndexer, run: RunRow, rows: Sequence[PageRow], account: Account
) -> Published:
    publisher = Publisher(
        session.ledger, session.archive, indexer, run, account=account, now=session.now, timer=session.timer
    )
    for batch in batches(rows):
        publisher.embed([row.page_id for row in batch], get_ready=True)
        if len(publisher.ready) >= WRITE_PAGES:
            session.patiently(publisher.publish)
    session.patiently(publisher.publish)
    session.patiently(publisher.withdraw)  # after all others, so that a page that moved is never absent
    if session.ledger.publishes.has_manifest(run):
        publishes = session.ledger.publishes
        publishes.complete_manifest(publishes.open_manifest(run, session.now()), session.now())
    figures = publisher.figures
    after = (session.ledger.pages.get(run.site, row.page_id) for row in rows)
    failed = [(row.url, row.reason) for row in after if row is not None and row.outcome is Outcome.FAILED]
    return Published(run.site, figures.pages, figures.withdrawn, figures.embedded, figures.reused, failed=tuple(failed))


def _planned(
    session: Session, profile: SiteProfile, rows: Sequence[PageRow], recipe: Recipe, account: Account
) -> list[PageRow]:
    """The pages with their plans by the model; replies that were paid for are not asked for again."""
    from ingest.planning import provisional  # noqa: PLC0415 - its client takes a second to load

    page_settings = PageSettings.of(session.settings, profile)
    plans = ModelPlans(session.settings, page_settings, session.ledger, session.archive, account, recipe.planning)
    done = []
    for page in plans.replanned(Remade(row, row) for row in rows):
        after = page.after
        if after is None:
            continue
        if page.unasked:
            made_with = session.ledger.runs.recipe(after.recipe) or recipe
            later = provisional(replace(recipe, conversion=made_with.conversion))
            session.ledger.runs.add_recipe(later)
            after = replace(after, recipe=later.digest)
        session.ledger.pages.save(after)
        done.append(after)
    session.ledger.pages.flush()
    return done
