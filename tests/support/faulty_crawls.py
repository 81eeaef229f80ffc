"""A site that changes between two crawls, and what must hold whatever stops the second one."""

from __future__ import annotations

import os
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mock_site import Reply, redirect

from ingest.check import check_site
from ingest.maintenance.session import open_session
from wrac.config import load_settings

if TYPE_CHECKING:
    from mock_site import MockSite, Route
    from product import Finished, Workspace

    from ingest.check import Violation

SITE = "docs_site"
START = "/docs/"
PLUGIN = Path(__file__).parent / "fault_plugin"
KILLED = -9

TOPICS = ("berths", "cranes", "dredging", "fenders", "gauges", "hawsers", "ice", "lamps", "moorings")


def page(topic: str, *, edited: bool = False, section: bool = False) -> Reply:
    """A page of two sections with words of its own; ``edited`` changes a paragraph, ``section`` adds a section."""
    year = "nineteen fifty" if edited else "nineteen hundred"
    body = f"<h1>Of {topic}</h1>" + "".join(
        f'<h2 id="{part}">{part.title()} of {topic}</h2>'
        + "".join(
            f"<p>The {part} of {topic} in the harbour are held to rule {number} of the year "
            f"{year if (part, number) == ('care', 1) else 'eighteen seventy'}, as the master of {topic} has it, "
            f"and the clerk writes each of them into the {part} book of {topic} before the tide turns.</p>"
            for number in range(3)
        )
        for part in ("care", "use", *(["repair"] if section else []))
    )
    return _reply(f"Of {topic}", body)


def _reply(title: str, body: str) -> Reply:
    html = f"<!DOCTYPE html><html lang=en><title>{title}</title><body><main>{body}</main></body></html>"
    return Reply(html, etag=f'"{zlib.crc32(html.encode()):08x}"')


def _index(topics: tuple[str, ...]) -> Reply:
    links = "".join(f'<li><a href="/docs/{topic}.html">The chapter of {topic}</a></li>' for topic in topics)
    return _reply(
        "Harbour rules", f"<h1>Harbour rules</h1><p>All rules of the harbour, a chapter each.</p><ul>{links}</ul>"
    )


def before() -> dict[str, Route]:
    """The site as the first crawl sees it."""
    topics = TOPICS[:8]
    return {START: _index(topics)} | {f"/docs/{topic}.html": page(topic) for topic in topics}


def after() -> dict[str, Route]:
    """Berths is edited, cranes is gone, dredging moved and is edited, fenders has one section more, moorings is new."""
    routes: dict[str, Route] = {START: _index((*TOPICS[3:8], "berths", "silt", "moorings"))}
    routes |= {f"/docs/{topic}.html": page(topic) for topic in TOPICS[4:]}
    routes["/docs/berths.html"] = page("berths", edited=True)
    routes["/docs/cranes.html"] = Reply("<h1>Gone</h1>", status=410)
    routes["/docs/dredging.html"] = redirect("/docs/silt.html", 301)
    routes["/docs/silt.html"] = page("dredging", edited=True)
    routes["/docs/fenders.html"] = page("fenders", section=True)
    return routes


BEFORE = {START, *(f"/docs/{topic}.html" for topic in TOPICS[:8])}
LEAVING = {"/docs/cranes.html", "/docs/dredging.html"}
"""Pages that the second crawl proves to be gone or elsewhere."""
AFTER = (BEFORE - LEAVING) | {"/docs/silt.html", "/docs/moorings.html"}


@dataclass
class Harbour:
    """The site, and a workspace whose data folder can be put back to what the first crawl left."""

    site: MockSite
    workspace: Workspace
    crawled: Path

    def put_back(self) -> None:
        """As after the first crawl; the site has changed since."""
        shutil.rmtree(self.workspace.data, ignore_errors=True)
        shutil.copytree(self.crawled, self.workspace.data)
        self.change()

    def change(self) -> None:
        """The site is another from now on."""
        self.site.routes = after()

    def clear(self) -> None:
        """As before the first crawl."""
        shutil.rmtree(self.workspace.data, ignore_errors=True)
        self.site.routes = before()

    def crawl(self, fault: str = "") -> Finished:
        """A crawl that FAULT stops, or one that nothing does."""
        self.workspace.environment["FAULT"] = fault
        done = self.workspace.crawl()
        self.workspace.environment["FAULT"] = ""
        assert "Traceback" not in done.everything, done
        if fault.startswith("kill"):
            assert done.code == KILLED, f"{fault} was never reached: {done}"
        elif fault:
            assert done.code in (5, 6), f"{fault}: {done}"
        else:
            assert done.code == 0, done
        return done

    def paths(self) -> dict[str, list[str]]:
        """Path of each page in the collection -> its texts, in reading order."""
        found: dict[str, list[tuple[int, str]]] = {}
        for payload in self.workspace.points().values():
            path = payload["url"].removeprefix(self.site.url)
            found.setdefault(path, []).append((payload["ordinal"], payload["page_content"]))
        return {path: [text for _, text in sorted(texts)] for path, texts in found.items()}

    def violations(self) -> list[Violation]:
        """What ``wrac check`` finds."""
        settings = load_settings(environment=self.workspace.environment, data_dir=self.workspace.data)
        with open_session(settings, [SITE]) as session:
            return check_site(session, SITE).violations

    # ---------------------------------------------------------------- what must hold

    def assert_no_page_is_absent(self) -> None:
        """A search reaches every page that it reached before, but for those that are proven to have left."""
        found = self.paths()
        assert set(found) >= BEFORE - LEAVING, "a search misses a page"
        # What moved is found under the one or the other URL.
        assert found.keys() & {"/docs/dredging.html", "/docs/silt.html"}, "a page that moved is absent"
        for path, texts in found.items():
            care = [text for text in texts if "care book" in text]
            assert care or path == START, f"{path} has lost a section: {texts}"

    def assert_is_after(self) -> None:
        """The collection is the site as it is now; nothing of it twice, nothing else in it."""
        found = self.paths()
        assert set(found) == AFTER, f"beside the site: {sorted(set(found) ^ AFTER)}"
        berths = "\n".join(found["/docs/berths.html"])
        assert (berths.count("nineteen fifty"), berths.count("nineteen hundred")) == (1, 0)
        assert any("Repair of fenders" in text for text in found["/docs/fenders.html"])
        for path, texts in found.items():
            assert len(set(texts)) == len(texts), f"{path} is there twice"
        self.assert_is_whole()

    def assert_is_whole(self) -> None:
        """Ledger, archive and collection agree."""
        assert self.violations() == [], "\n".join(map(str, self.violations()))

    def assert_is_before(self) -> None:
        """The collection is the site as the first crawl saw it."""
        assert set(self.paths()) == BEFORE
        self.assert_is_whole()


def make_harbour(site: MockSite, workspace: Workspace) -> Harbour:
    """The site was crawled once."""
    workspace.environment["PYTHONPATH"] = os.pathsep.join([str(PLUGIN), workspace.environment["PYTHONPATH"]])
    workspace.environment["FAULT"] = ""
    workspace.write_site(site.url + START, sitemap=False, loss_guard=0.5)
    harbour = Harbour(site, workspace, workspace.folder / "crawled")
    harbour.clear()
    harbour.crawl()
    harbour.assert_is_before()
    shutil.copytree(workspace.data, harbour.crawled)
    return harbour
