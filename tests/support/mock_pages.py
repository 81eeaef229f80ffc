"""A healthy documentation site, made from data: a small handbook in a full page frame."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from mock_site import Reply, Route, redirect, text

if TYPE_CHECKING:
    from collections.abc import Iterable

START = "/docs/"
LAST_MODIFIED = 1_700_000_000.0


@dataclass(frozen=True)
class Section:
    """A heading with its anchor, and what stands under it as HTML."""

    heading: str
    anchor: str
    html: str


@dataclass(frozen=True)
class Page:
    """A page of the handbook."""

    path: str
    title: str
    lead: str
    sections: tuple[Section, ...]


CODE = "def dock(ship):\n    while ship.distance > 0:\n        ship.ahead(slow=True)\n    return ship.moor()"

PAGES = (
    Page(
        START,
        "Harbour handbook",
        "The handbook of the Saltmarsh harbour office, for pilots, clerks and crane drivers.",
        (Section("Who reads this", "who", "<p>Everybody who moves a vessel or a parcel through the harbour.</p>"),),
    ),
    Page(
        "/docs/install.html",
        "Installing the tide gauge",
        "A tide gauge is bolted to the quay wall below the lowest astronomical tide.",
        (
            Section(
                "Mounting on granite",
                "granite",
                "<p>Granite splits along its grain, so the holes follow the grain and not the plumb line. To mount the "
                "gauge on a granite wall:</p><ol>"
                "<li>Drill four holes of twelve millimetres, each as deep as the anchor is long and a thumb more.</li>"
                "<li>Blow the dust out of the holes with the bellows, brush them, and blow them out again.</li>"
                "<li>Set the anchors with epoxy resin, turning each of them twice while it goes in.</li>"
                "<li>Wait six hours before loading the anchors; below five degrees wait a whole day.</li>"
                "<li>Hang the bracket on the upper two anchors and level it with the brass shims of the set.</li>"
                "<li>Tighten all four nuts crosswise, first by hand and then to sixty newton metres.</li></ol>"
                "<p>The harbour master signs the log before the gauge is put to use, and the mason keeps a core of "
                "each hole for the archive of the works department.</p>",
            ),
            Section(
                "Calibrating the float",
                "calibrate",
                "<p>Lower the brass float until the pointer reads zero, then turn the knurled screw by one notch. "
                "Calibration drifts by two millimetres a month in brackish water and by half of that in a lock, where "
                "the salt is thin. Two readings at slack water, taken an hour apart, tell whether the drift is due to "
                "the float or to the chain: a worn chain reads low at both, a leaking float only at the second.</p>"
                "<p>A float that leaks is weighed, dried over night on the boiler and weighed again. If it has lost "
                "more than eleven grams, the seam is soldered and the whole calibration starts anew. Never varnish a "
                "float: varnish peels after one winter and the flakes jam the pulley. The spare float hangs in the "
                "lamp room behind the door, with its own certificate and the date of its last weighing.</p>",
            ),
        ),
    ),
    Page(
        "/docs/berths.html",
        "Berths and their limits",
        "Every berth has a depth, a length and a crane.",
        (
            Section(
                "Table of berths",
                "berth-table",
                "<table><thead><tr><th>Berth</th><th>Depth</th><th>Crane</th></tr></thead><tbody>"
                "<tr><td>North quay</td><td>9.5 m</td><td>40 tonnes</td></tr>"
                "<tr><td>Coal pier</td><td>7.2 m</td><td>12 tonnes</td></tr>"
                "<tr><td>Fish dock</td><td>4.1 m</td><td>none</td></tr></tbody></table>",
            ),
            Section(
                "Reserving a berth",
                "reserve",
                "<p>Reservations are taken by the duty clerk up to nine days ahead and lapse after ninety minutes "
                "of unannounced delay.</p>",
            ),
        ),
    ),
    Page(
        "/docs/pilot/approach.html",
        "Approach by night",
        "Between dusk and dawn only one vessel at a time may pass the breakwater.",
        (
            Section(
                "Leading lights",
                "lights",
                "<p>Keep the occulting green light above the fixed red one; when they part, steer "
                "towards the lower.</p>",
            ),
            Section(
                "Docking by program",
                "program",
                "<p>The pilot boat runs this routine:</p>"
                f'<pre><code class="language-python">{escape(CODE)}</code></pre>',
            ),
        ),
    ),
    Page(
        "/docs/pilot/fog.html",
        "Signals in fog",
        "In fog the siren of the breakwater sounds two long blasts every ninety seconds.",
        (
            Section(
                "Answering the siren",
                "answer",
                "<p>A vessel under way answers with one prolonged blast; a vessel at anchor rings the bell rapidly "
                "for five seconds.</p>",
            ),
        ),
    ),
    Page(
        "/docs/only-in-sitemap.html",
        "Winter storage of buoys",
        "No page links here: the sitemap alone names this page.",
        (
            Section(
                "Stacking",
                "stacking",
                "<p>Stack conical buoys in rows of seven on oak sleepers, painted side to the south.</p>",
            ),
        ),
    ),
)

CHROME_WORDS = (
    "We value your privacy",
    "Accept all cookies",
    "Sign in to your harbour account",
    "Previous chapter",
    "Edit this page on the forge",
    "Copyright of the harbour office",
    "Skip to main content",
)
"""Text of the page frame; none of it may reach a chunk."""


def frame(title: str, main: str, *, head: str = "", trail: str = "Handbook", listed: Iterable[Page] = ()) -> str:
    """A whole page around ``main``, with everything that documentation sites put around their content."""
    entries = [("/docs/", "Home"), *((f"{page.path}?utm_source=menu", page.title) for page in listed)]
    menu = "".join(f'<li><a href="{path}">{escape(name)}</a></li>' for path, name in entries)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} | Harbour</title>{head}</head><body>
<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="dialog" aria-label="Cookie banner">
<p>We value your privacy. We and our partners use cookies.</p>
<button id="onetrust-accept-btn-handler">Accept all cookies</button></div></div>
<a class="skip-link" href="#content">Skip to main content</a>
<header><nav aria-label="Main"><ul>{menu}</ul></nav>
<form class="login" action="/session" method="post"><label>Sign in to your harbour account</label>
<input type="text" name="user"><input type="password" name="secret"><button>Go</button></form></header>
<aside class="sidebar"><nav><ul>{menu}</ul></nav></aside>
<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol><li><a href="/docs/">{escape(trail)}</a></li></ol></nav>
<main id="content"><article>{main}</article></main>
<nav class="pager" aria-label="Pager"><a rel="prev" href="/docs/#who">Previous chapter</a></nav>
<a class="edit-link" href="https://forge.invalid/edit">Edit this page on the forge</a>
<footer><p>Copyright of the harbour office</p></footer>
</body></html>"""


def article(page: Page, *, extra: str = "") -> str:
    """The content of ``page`` as HTML."""
    sections = "".join(
        f'<h2 id="{s.anchor}">{escape(s.heading)}<a class="headerlink" href="#{s.anchor}">¶</a></h2>{s.html}'
        for s in page.sections
    )
    return f"<h1>{escape(page.title)}</h1><p>{page.lead}</p>{sections}{extra}"


def page_reply(base: str, page: Page, *, extra: str = "", canonical: bool = True) -> Reply:
    """``page`` as it is served: canonical link, validators, frame."""
    head = f'<link rel="canonical" href="{base}{page.path}">' if canonical else ""
    body = frame(page.title, article(page, extra=extra), head=head, listed=PAGES[:5])
    return Reply(body, etag=f'"{zlib.crc32(body.encode()):08x}"', last_modified=LAST_MODIFIED)


def links(*targets: str) -> str:
    """A list of links to ``targets``."""
    items = "".join(f'<li><a href="{escape(target)}">See {escape(target)}</a></li>' for target in targets)
    return f"<ul>{items}</ul>"


def simple(title: str, body: str, *, head: str = "") -> Reply:
    """A plain page in the frame; its text names the title, so that it can be found."""
    return Reply(frame(title, f"<h1>{escape(title)}</h1>{body}", head=head))


# ---------------------------------------------------------------- the healthy site


def handbook(base: str) -> dict[str, Route]:
    """The handbook with sitemap index, robots.txt and the variants under which its pages are linked."""
    variants = links(
        "/docs/install.html#granite",
        "/docs/install.html?utm_campaign=spring",
        "/docs/index.html",
        "/docs/old-gauge.html",
        "/elsewhere/shop.html",
        "/docs/pilot/approach.html",
    )
    routes: dict[str, Route] = {page.path: page_reply(base, page) for page in PAGES}
    routes[START] = page_reply(base, PAGES[0], extra=variants)
    routes["/docs/index.html"] = routes[START]
    routes["/docs/old-gauge.html"] = redirect("/docs/install.html", 301)
    routes["/elsewhere/shop.html"] = simple("Shop", "<p>Ropes and lamps for sale.</p>")
    routes["/robots.txt"] = text(f"User-agent: *\nDisallow: /docs/private/\n\nSitemap: {base}/sitemap.xml\n")
    routes |= sitemaps(base, [page.path for page in PAGES])
    return routes


def sitemaps(base: str, paths: list[str]) -> dict[str, Route]:
    """A sitemap index with a plain and a gzipped part that name ``paths``."""
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    head = '<?xml version="1.0" encoding="UTF-8"?>'

    def urls(part: list[str]) -> str:
        rows = "".join(f"<url><loc>{base}{path}</loc><lastmod>2026-01-01</lastmod></url>" for path in part)
        return f"{head}<urlset {space}>{rows}</urlset>"

    parts = "".join(f"<sitemap><loc>{base}/{name}</loc></sitemap>" for name in ("sitemap-1.xml", "sitemap-2.xml.gz"))
    return {
        "/sitemap.xml": Reply(f"{head}<sitemapindex {space}>{parts}</sitemapindex>", content_type="application/xml"),
        "/sitemap-1.xml": Reply(urls(paths[::2]), content_type="application/xml"),
        "/sitemap-2.xml.gz": Reply(gzip.compress(urls(paths[1::2]).encode()), content_type="application/gzip"),
    }
