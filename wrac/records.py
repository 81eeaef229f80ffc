"""The records that pass between the stages, one per stage, in the order in which a page meets them.

    FetchedPage -> CleanedPage -> MarkdownDocument -> UnitTree -> ChunkPlan -> Chunk -> Point

Every record is frozen and slotted. A stage is a plain function from one record to the next; what a later stage needs
to know gets a field here, never an entry in a bag. Offsets are character offsets into ``MarkdownDocument.text``
(half-open, ``start <= i < end``); times are aware and in UTC; tokens are o200k tokens (``wrac.tokens``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np
    from lxml.html import HtmlElement


# ---------------------------------------------------------------- fetch


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server offers for a conditional request (RFC 9110, section 8.8); empty strings where it offers none."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """One response, as it came over the wire (after content decoding)."""

    url: str
    """The URL that was asked for."""
    final_url: str
    """The URL that answered, after redirects."""
    status: int
    content_type: str
    """The ``Content-Type`` header as sent, empty where there was none."""
    body: bytes
    fetched_at: datetime
    body_digest: str
    validators: Validators = Validators()
    robots_tag: str = ""
    """The ``X-Robots-Tag`` headers, joined by a comma."""
    link_canonical: str = ""
    """The target of an HTTP ``Link: <...>; rel=canonical`` header (RFC 6596), empty where there was none."""


# ---------------------------------------------------------------- clean


@dataclass(frozen=True, slots=True)
class Removal:
    """A part of the page that a filter took out, so that nothing vanishes unseen."""

    rule: str
    """Name of the filter rule, e.g. ``consent.cmp-id``."""
    locator: str
    """Where it stood: a short css-like path, e.g. ``body > div#onetrust-consent-sdk``."""
    characters: int
    """Length of its visible text."""
    preview: str
    """The first 160 characters of its text, white space folded."""
    holds: tuple[str, ...] = ()
    """Kinds of content that were inside and deserve a second look: ``table``, ``list``, ``code``."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link found on a page, absolute and without fragment."""

    url: str
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Directives:
    """What the page tells robots (meta robots and ``X-Robots-Tag`` together)."""

    noindex: bool = False
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """What a page says about itself. Empty where it says nothing; dates as ISO 8601 strings."""

    title: str = ""
    language: str = ""
    """BCP 47 tag, lower case, e.g. ``en`` or ``pt-br``."""
    description: str = ""
    published: str = ""
    modified: str = ""
    canonical: str = ""
    """Absolute target of ``<link rel=canonical>`` or the HTTP header, empty where there is none."""
    version: str = ""
    generator: str = ""
    """Recognised generator, e.g. ``sphinx``, ``docusaurus``; empty where unknown."""
    breadcrumb: tuple[str, ...] = ()
    """The page's own breadcrumb trail, outermost first, without the page itself."""
    alternates: tuple[tuple[str, str], ...] = ()
    """(language, absolute URL) pairs of ``<link rel=alternate hreflang>``."""
    author: str = ""
    """Who wrote a document, as its properties say; empty for web pages."""


@dataclass(frozen=True, slots=True)
class CleanedPage:
    """The main content of a page, everything else recorded as removals."""

    root: HtmlElement
    """The content element, cleaned in place; owned by this record alone."""
    url: str
    """URL of the page (after redirects)."""
    base_url: str
    """What relative links resolve against: ``<base href>`` where there is one, else ``url``."""
    metadata: PageMetadata
    directives: Directives
    links: tuple[Link, ...]
    """Links of the whole page, taken before anything was removed."""
    removals: tuple[Removal, ...]


# ---------------------------------------------------------------- convert


@dataclass(frozen=True, slots=True)
class Anchor:
    """From ``offset`` on, the text is reached by ``#fragment`` (up to the next anchor)."""

    offset: int
    fragment: str


@dataclass(frozen=True, slots=True)
class PageSpan:
    """From ``offset`` on, the text stands on this page of the source document (1-based, up to the next span)."""

    offset: int
    page: int


@dataclass(frozen=True, slots=True)
class MarkdownDocument:
    """Markdown of one page or document; the same input and converter give the same digest."""

    text: str
    title: str
    source_kind: str
    """``html``, ``markdown``, ``pdf``, ..."""
    converter: str
    """Name and version of what made it, e.g. ``html/1``."""
    digest: str
    anchors: tuple[Anchor, ...] = ()
    pages: tuple[PageSpan, ...] = ()


# ---------------------------------------------------------------- parse


class UnitKind(StrEnum):
    """Kinds of units (DESIGN, section 3)."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    FIGURE = "figure"
    QUOTE = "quote"
    HTML = "html"
    DEFINITION = "definition"
    BREAK = "break"
    """A thematic break (``---``): keeps its place, starts no chunk of its own."""


ATOMIC_KINDS = frozenset({UnitKind.TABLE, UnitKind.CODE, UnitKind.FIGURE})
"""Units of these kinds are never divided between chunks (W-RAC: tables, illustrations and code are one unit)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An ID-addressable piece of the Markdown text."""

    id: str
    """Stable identity: shortened digest of kind, normalised text and occurrence; unique inside a tree."""
    kind: UnitKind
    level: int
    """Heading level 1 to 6; 0 for content."""
    start: int
    end: int
    parent: str | None
    """Id of the heading that this unit stands under; None above the first heading."""
    tokens: int
    digest: str
    """Full digest behind ``id``."""

    @property
    def is_heading(self) -> bool:
        """Whether this unit is a heading rather than content."""
        return self.kind is UnitKind.HEADING


class FusionKind(StrEnum):
    """Why several units are one to a planner."""

    PROCEDURE = "procedure"
    LEAD_IN = "lead-in"


@dataclass(frozen=True, slots=True)
class Fusion:
    """A contiguous run of content units that no planner may divide."""

    kind: FusionKind
    unit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitTree:
    """Units in reading order. Their spans tile all non-blank text of the document without overlap."""

    document: MarkdownDocument
    units: tuple[Unit, ...]
    fusions: tuple[Fusion, ...] = ()

    def text_of(self, unit: Unit) -> str:
        """The unit's source text, verbatim."""
        return self.document.text[unit.start : unit.end]


# ---------------------------------------------------------------- plan


@dataclass(frozen=True, slots=True)
class Group:
    """What becomes one chunk: its three heading levels and the units it owns, in reading order.

    The levels may be None where the document has no heading to stand there; the page title then does.
    ``unit_ids`` are owned by this group alone and include inner headings; heading ids in the three levels are reused
    freely between groups.
    """

    level1: str | None
    level2: str | None
    parent: str | None
    unit_ids: tuple[str, ...]

    def as_array(self) -> list[str]:
        """The papers' stored contract: ``[l1, l2, parent, ...units]`` without repeats."""
        heads = [h for h in (self.level1, self.level2, self.parent) if h is not None]
        return list(dict.fromkeys([*heads, *self.unit_ids]))


@dataclass(frozen=True, slots=True)
class Violation:
    """A way in which a plan broke the contract, with the units concerned."""

    rule: str
    """``unknown-id``, ``duplicate``, ``missing``, ``out-of-order``, ``split-procedure``, ``heading-only``, ..."""
    unit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model billed."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """Which units form which chunk. Each unit is owned exactly once, in order (``chunking.validate`` proves it)."""

    groups: tuple[Group, ...]
    planner: str
    """Name and version, e.g. ``rule/1``."""
    prompt_version: str = ""
    usage: Usage = Usage()
    repairs: tuple[Violation, ...] = ()


# ---------------------------------------------------------------- assemble


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable piece: verbatim text, and the text that is embedded for it."""

    text: str
    """Heading lines and source spans, nothing else."""
    embed_text: str
    """Breadcrumb and text, table rows as sentences."""
    heading_path: tuple[str, ...]
    breadcrumb: str
    unit_ids: tuple[str, ...]
    kind: str
    """Kind of the chunk's only content unit, ``procedure``, or ``section``."""
    fragment: str
    """Anchor of the nearest heading, without ``#``; empty where there is none."""
    ordinal: int
    """Position in the document, from 0."""
    tokens: int
    """Tokens of ``text``."""
    digest: str
    """Digest of ``text``."""
    pages: tuple[int, ...] = ()
    """Pages of the source document on which the text stands (PDF), ascending."""


# ---------------------------------------------------------------- index


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Indices and values of equal length."""

    indices: np.ndarray
    """shape (n,), uint32"""
    values: np.ndarray
    """shape (n,), float32"""


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """All vectors of one embed_text."""

    dense: np.ndarray
    """shape (dimension,), float32, unit length"""
    windows: np.ndarray
    """shape (windows, dimension), float32, each of unit length"""
    sparse: SparseVector
    spans: tuple[tuple[int, int], ...] = ()
    """Character span of each window in the embed_text."""


@dataclass(frozen=True, slots=True)
class PointDigests:
    """What tells whether a stored point has to be written again."""

    vectors: str
    """Digest of all vectors."""
    payload: str
    """Digest of the payload, without the time of fetching."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one chunk becomes in the collection. Running twice is a no-op: the id is a function of the content."""

    id: str
    vectors: ChunkVectors
    payload: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result."""

    point_id: str
    score: float
    text: str
    breadcrumb: str
    url: str
    """With ``#anchor`` or ``#page=N``."""
    title: str
    site: str
    payload: dict[str, Any] = field(default_factory=dict)
    part: str = ""
    """The lines of an oversized chunk that are nearest to the query, verbatim; empty where the chunk is one window."""


# ---------------------------------------------------------------- run


class Outcome(StrEnum):
    """How a URL ended. Every URL that a crawl met ends with exactly one outcome and a reason."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    """A variant of a page that is indexed under its canonical URL."""
    REDIRECTED = "redirected"
    NOINDEX = "noindex"
    ROBOTS_DENIED = "robots-denied"
    OUT_OF_SCOPE = "out-of-scope"
    BLOCKED = "blocked"
    """Was erased with ``wrac forget``, and may not come back."""
    LANGUAGE = "language"
    """Another language than the site profile asks for."""
    LIMIT = "limit"
    """A limit of the profile (pages, depth, trap) kept it out."""
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"
    LOGIN_WALL = "login-wall"
    GONE = "gone"
    """404 or 410."""
    HTTP_ERROR = "http-error"
    UNREACHABLE = "unreachable"
    TOO_LARGE = "too-large"
    SHRUNK = "shrunk"
    """So little is left of the content that what is published is kept, on doubt."""
    FAILED = "failed"
    """A stage raised; the reason names it."""


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The end of one URL."""

    url: str
    outcome: Outcome
    reason: str = ""
    status: int = 0
    """HTTP status, 0 where none came."""
    target: str = ""
    """Where a redirect leads, empty for everything else."""


@dataclass(frozen=True, slots=True)
class PageReport:
    """What the foreman tells the crawler about one processed response."""

    outcome: PageOutcome
    canonical: str
    """URL under which the page is known, normalised."""
    links: tuple[Link, ...] = ()
    directives: Directives = Directives()
    language: str = ""
    alternates: tuple[tuple[str, str], ...] = ()
    chunks: int = 0
