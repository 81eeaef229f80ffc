"""A stand-in for ``ingest.run.IngestRun``: links by regular expression, outcomes into a JSON file."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from ingest.ledger.rows import RunState
from ingest.progress import Progress, RunSummary
from wrac.errors import StoreError
from wrac.records import Directives, FetchedPage, Link, Outcome, PageOutcome, PageReport, Validators
from wrac.urls import normalize_url


@dataclass
class Resumed:
    depth: int
    links: tuple[Link, ...]


class FakeRun:
    """Keeps what the spider told it; ``FAKE_RUN_FILE`` gets all of it when the run ends."""

    def __init__(self, settings: object, profile: object, *, accept_loss: bool = False) -> None:
        self.outcomes: list[tuple[str, str, str, int]] = []
        self.file = Path(os.environ.get("FAKE_RUN_FILE", "fake_run.json"))
        self.pages = 0
        self.catch_all: set[str] = set()

    async def start(self) -> None:
        if message := os.environ.get("FAKE_RUN_LOCKED"):
            raise StoreError(message)

    def resumed(self) -> dict[str, Resumed]:
        stored = json.loads(os.environ.get("FAKE_RUN_RESUMED", "{}"))
        return {url: Resumed(depth, tuple(map(Link, links))) for url, (depth, links) in stored.items()}

    async def process(self, page: FetchedPage, depth: int) -> PageReport:
        self.pages += 1
        text = page.body.decode("utf-8", "replace")
        if "store-breaks" in text:
            raise StoreError("no space left on device")
        links = tuple(
            Link(urljoin(page.final_url, match[2]).partition("#")[0], "nofollow" in match[1] + match[3])
            for match in re.finditer(r'<a\b([^>]*)href="([^"]+)"([^>]*)>', text)
        )
        outcome = Outcome.INDEXED if text.strip() else Outcome.EMPTY
        canonical = re.search(r'<link rel="canonical" href="([^"]+)"', text)
        alternates = re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"', text)
        ended = PageOutcome(page.final_url, outcome)
        self.record(ended, depth=depth)
        return PageReport(
            ended,
            canonical=normalize_url(urljoin(page.final_url, canonical[1]) if canonical else page.final_url),
            links=links,
            directives=Directives(nofollow='content="nofollow"' in text),
            alternates=tuple(alternates),
        )

    def record(self, ended: PageOutcome, *, depth: int) -> None:
        self.outcomes.append((ended.url, str(ended.outcome), ended.reason, depth))

    def validators(self, url: str) -> Validators:
        return Validators()

    def blocked(self, url: str) -> None:
        return None

    def unseen(self) -> list[tuple[str, int]]:
        return []

    def learn_missing_redirect(self, target: str) -> None:
        self.catch_all.add(target)

    def is_catch_all(self, target: str) -> bool:
        return target in self.catch_all

    async def learn_missing_page(self, page: FetchedPage) -> None:
        pass

    def progress(self) -> Progress:
        return Progress(pages=self.pages, chunks=0, queue=0, published=0, seconds={})

    async def finish(self, completed: bool, note: str = "") -> RunSummary:
        self.file.write_text(json.dumps({"completed": completed, "outcomes": self.outcomes}), encoding="utf-8")
        return RunSummary(
            site="fake",
            collection="docs",
            run_id=1,
            state=RunState.FINISHED,
            outcomes=Counter(Outcome(outcome) for _, outcome, _, _ in self.outcomes),
            chunks=7,
            tokens=70,
            published=self.pages,
            waiting=0,
            embedded=7,
            reused=0,
            seconds={"clean": 0.5},
            place="a folder",
        )
