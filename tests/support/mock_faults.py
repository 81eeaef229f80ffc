"""Everything that goes wrong on real sites: one page of each fault, traps without end, and misconfigured sites."""

from __future__ import annotations

import zipfile
from io import BytesIO

from mock_pages import START, frame, links, simple
from mock_site import Reply, Request, Route, redirect, text

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HUGE = 33 * 1024 * 1024
DEPTH = 5_000


def zipped(**members: str) -> bytes:
    """A zip archive of these members, the same bytes every time; ``__`` in a name stands for a slash."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("__", "/") + ".xml"), content)
    return packed.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
DOCX = zipped(
    **{
        "[Content_Types]": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/></Types>',
        "word__document": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>A form.</w:t></w:r></w:p></w:body>'
        "</w:document>",
    }
)
ZIP = zipped(data="<rows/>")

FAULTS = (
    "/docs/missing.html",
    "/docs/gone.html",
    "/docs/broken.html",
    "/docs/busy.html",
    "/docs/throttled.html",
    "/docs/private/ledger.html",
    "/docs/noindex.html",
    "/docs/xrobots.html",
    "/docs/nofollow.html",
    "/docs/ring-a.html",
    "/docs/members.html",
    "/docs/manual.pdf",
    "/docs/form.docx",
    "/docs/huge.html",
    "/docs/empty.html",
    "/docs/charset.html",
    "/docs/binary.html",
    "/docs/malformed.html",
    "/docs/deep.html",
    "/docs/reset.html",
    "/docs/slow.html",
    "/docs/picture.png",
    "/docs/archive.zip",
)
"""What the start page of ``faults`` links to."""


def _at_second(reply: Reply, trouble: Reply) -> Route:
    return lambda request: trouble if request.times == 1 else reply


def _menu(request: Request) -> Reply:
    return simple("Faults", "<p>One fault behind every link of this list.</p>" + links(*FAULTS))


def _next_to_nofollow() -> Reply:
    body = '<p>Nofollowed pages are not followed.</p><a href="/docs/behind-nofollow.html">onwards</a>'
    return simple("Nofollow", body, head='<meta name="robots" content="nofollow">')


def faults() -> dict[str, Route]:
    """A start page that links to one page of each fault, and those pages."""
    later = (("Retry-After", "1"),)
    noindex = '<meta name="robots" content="noindex">'
    return {
        START: _menu,
        "/robots.txt": text("User-agent: *\nDisallow: /docs/private/\n"),
        "/docs/gone.html": Reply("<h1>Gone</h1>", status=410),
        "/docs/broken.html": Reply("<h1>Internal error</h1>", status=500),
        "/docs/busy.html": _at_second(
            simple("Busy page", "<p>Served at the second call.</p>"), Reply("busy", status=503, headers=later)
        ),
        "/docs/throttled.html": _at_second(
            simple("Throttled page", "<p>Served after a pause.</p>"), Reply("slow down", status=429, headers=later)
        ),
        "/docs/private/ledger.html": simple("Private", "<p>Forbidden by robots.txt, never to be fetched.</p>"),
        "/docs/noindex.html": simple(
            "Noindex", "<p>Not for the index.</p>" + links("/docs/behind-noindex.html"), head=noindex
        ),
        "/docs/behind-noindex.html": simple("Behind noindex", "<p>Noindexed pages are followed all the same.</p>"),
        "/docs/xrobots.html": Reply(
            frame("X-Robots", "<h1>X-Robots</h1><p>Header says no.</p>"), headers=(("X-Robots-Tag", "noindex"),)
        ),
        "/docs/nofollow.html": _next_to_nofollow(),
        "/docs/behind-nofollow.html": simple("Behind nofollow", "<p>Nobody may come here.</p>"),
        "/docs/ring-a.html": redirect("/docs/ring-b.html"),
        "/docs/ring-b.html": redirect("/docs/ring-a.html"),
        "/docs/members.html": redirect("/docs/login.html?next=/docs/members.html"),
        "/docs/login.html": Reply(LOGIN),
        "/docs/manual.pdf": Reply(PDF, content_type="application/pdf"),
        "/docs/form.docx": Reply(DOCX, content_type=DOCX_TYPE),
        "/docs/huge.html": Reply("<h1>Huge</h1><p>", filler=HUGE),
        "/docs/empty.html": Reply(b""),
        "/docs/charset.html": Reply(
            frame("Charset", "<h1>Charset</h1><p>Café Zürich naïve façade.</p>").encode("cp1252"),
            content_type="text/html; charset=utf-8",
        ),
        "/docs/binary.html": Reply(PNG),
        "/docs/malformed.html": Reply(MALFORMED),
        "/docs/deep.html": Reply(
            "<title>Deep</title><h1>Deep page</h1>" + "<div>" * DEPTH + "<p>Text at the bottom.</p>" + "</div>" * DEPTH
        ),
        "/docs/reset.html": Reply(reset=True),
        "/docs/slow.html": Reply("<h1>Slow</h1>", delay=8.0),
        "/docs/picture.png": Reply(PNG, content_type="image/png"),
        "/docs/archive.zip": Reply(ZIP, content_type="application/zip"),
    }


LOGIN = """<!doctype html><html lang="en"><head><title>Log in</title></head><body><main><h1>Log in</h1>
<form action="/session" method="post"><label>Name <input name="user"></label>
<label>Password <input type="password" name="secret"></label><button>Log in</button></form></main></body></html>"""

MALFORMED = """<html><body><h1>Malformed page<p>An unclosed <b>bold and <i>italic</b> text</i>
<table><tr><td>cell one<td>cell two<tr><td>cell three</table><ul><li>first<li>second</div></span>
<p>Text after the wreck &amp stays; 3 < 4 and <unknown>tags</unknown> too"""


# ---------------------------------------------------------------- traps


def calendar(request: Request) -> Reply:
    """/docs/calendar/YEAR/MONTH links to the next month, without end."""
    year, month = (int(part) for part in request.path.rstrip("/").split("/")[-2:])
    following = (year + month // 12, month % 12 + 1)
    return simple(
        f"Calendar {year}-{month:02d}",
        f"<p>No ship is due in month {month} of {year}.</p>" + links(f"/docs/calendar/{following[0]}/{following[1]}"),
    )


def pagination(request: Request) -> Reply:
    """/docs/list?page=N links to page N + 1, without end."""
    number = int(request.query.get("page", ["1"])[0])
    return simple(f"List {number}", f"<p>Entries of page {number}.</p>" + links(f"/docs/list?page={number + 1}"))


def localized(base: str) -> dict[str, Route]:
    """The same page in English, German and Japanese, tied by hreflang."""
    texts = {
        "en": ("Anchor chains", "A chain of seven shackles holds a coaster in four fathoms of mud."),
        "de": ("Ankerketten", "Eine Kette von sieben Schäkeln hält einen Küstenfrachter in vier Faden Schlick."),
        "ja": ("錨鎖", "七節の錨鎖は四尋の泥の中で沿岸船を支える。"),
    }
    head = "".join(f'<link rel="alternate" hreflang="{tag}" href="{base}/docs/{tag}/chain.html">' for tag in texts)
    routes: dict[str, Route] = {
        START: simple("Languages", "<p>Pick a language.</p>" + links(*(f"/docs/{tag}/chain.html" for tag in texts))),
    }
    for tag, (title, body) in texts.items():
        page = frame(title, f"<h1>{title}</h1><p>{body}</p>", head=head).replace('lang="en"', f'lang="{tag}"')
        routes[f"/docs/{tag}/chain.html"] = Reply(page)
    return routes


def canonical_to_home(base: str) -> dict[str, Route]:
    """A site whose template names its home page as the canonical URL of every page: a common mistake."""
    head = f'<link rel="canonical" href="{base}/docs/">'
    names = ("ropes", "lamps", "sails")
    routes: dict[str, Route] = {
        f"/docs/{name}.html": simple(
            name.title(), f"<p>All about {name}, which no other page of this site explains.</p>", head=head
        )
        for name in names
    }
    routes[START] = simple("Home", "<p>The home page.</p>" + links(*routes), head=head)
    return routes


def generated(count: int, *, sections: int = 2) -> dict[str, Route]:
    """``count`` pages /docs/p/N.html of ``sections`` sections each, in chains of links with a fan-out of 20."""
    routes: dict[str, Route] = {"/robots.txt": text("User-agent: *\nDisallow:\n")}
    for number in range(count):
        body = "".join(
            f'<h2 id="s{s}">Item {number}.{s}</h2><p>Entry {number} of the register, line {s}: crate {number * 7 + s} '
            f"lies in shed {(number + s) % 97} under tarpaulin {number % 13}.</p>"
            for s in range(sections)
        )
        nexts = [f"/docs/p/{child}.html" for child in range(number * 20 + 1, number * 20 + 21) if child < count]
        routes[f"/docs/p/{number}.html"] = simple(f"Register {number}", body + links(*nexts))
    routes[START] = simple("Register", "<p>The register of crates.</p>" + links("/docs/p/0.html"))
    return routes
