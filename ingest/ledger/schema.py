"""The tables of the ledger, in SQL that SQLite and PostgreSQL both speak.

Times are ISO 8601 text in UTC, which sorts as it reads and means the same to every database. A page has one row for
each URL that was met; what was gathered and what is published stand side by side in it, so that a crash between the
two is seen and mended by the next run. ``publications`` is append-only: the state of a site after manifest N is the
last publication of each page up to N, which is all that a rollback needs.

No text has a greatest length, and no long text stands in a B-tree: PostgreSQL refuses index entries above 2,704 bytes,
and URLs have no bound. So an index by URL is a hash index there, and a key that is a URL is its digest.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    false,
)

from ingest.ledger.words import Words

SCHEMA_VERSION = 2

METADATA = MetaData()

_KEY = BigInteger().with_variant(Integer, "sqlite")
"""64 bits in both; only an ``INTEGER`` counts by itself in SQLite."""


def _text(name: str) -> Column[str]:
    return Column(name, Words, nullable=False, server_default="")


def _number(name: str) -> Column[int]:
    return Column(name, _KEY, nullable=False, server_default="0")


facts = Table(
    "facts",
    METADATA,
    Column("name", Words, primary_key=True),
    Column("value", Words, nullable=False),
    comment="Facts about the ledger itself: its schema version.",
)

recipes = Table(
    "recipes",
    METADATA,
    Column("digest", Words, primary_key=True),
    Column("conversion", Words, nullable=False),
    Column("planning", Words, nullable=False),
    Column("indexing", Words, nullable=False),
    comment="Every recipe that any page was made with.",
)

runs = Table(
    "runs",
    METADATA,
    Column("run_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("first", Boolean, nullable=False, comment="Publishes as it goes: no run of this site was published before."),
    Column("kind", Words, nullable=False, server_default="crawl", comment="``ingest.ledger.rows.RunKind``"),
    Column("collection", Words, nullable=False),
    Column("recipe", Words, nullable=False),
    Column("started_at", Words, nullable=False),
    _text("finished_at"),
    Column("counts", Words, nullable=False, server_default="{}", comment="Pages by outcome at the end, JSON."),
    _number("sessions"),
    _text("note"),
    Column("exit_code", Integer, comment="Of the run's command; null while it runs, or where it was killed."),
    _text("stamp"),
    Column("figures", Words, nullable=False, server_default="{}", comment="What the run did and cost, JSON."),
    Index("runs_by_site", "site", "run_id"),
    comment="One row a crawl or other command that publishes; what was interrupted goes on under its own number.",
)

pages = Table(
    "pages",
    METADATA,
    Column("site", Words, primary_key=True),
    Column("page_id", Words, primary_key=True),
    Column("url", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("outcome", Words, nullable=False),
    _text("reason"),
    _number("depth"),
    Column("run_id", _KEY, nullable=False, comment="The last run that met this URL."),
    _text("first_seen"),
    _text("last_seen"),
    _text("variant_of"),
    _text("declared_canonical"),
    # what the server sent
    _number("status"),
    _text("content_type"),
    _text("etag"),
    _text("last_modified"),
    _text("fetched_at"),
    _text("body_digest"),
    # what was gathered
    _text("record"),
    _text("markdown_digest"),
    _text("facts"),
    _text("recipe"),
    _text("title"),
    _text("language"),
    _number("chunks"),
    _number("tokens"),
    Column("links", LargeBinary, nullable=False, comment="zstd of JSON [[url, nofollow], ...]."),
    # what is published
    _text("published_record"),
    _text("published_markdown"),
    _text("published_facts"),
    _text("published_recipe"),
    _number("published_tokens"),
    _text("published_at"),
    Column("point_ids", Words, nullable=False, server_default="", comment="Space-separated, in reading order."),
    # what re-crawls decide by
    _text("due_at"),
    _number("interval_seconds"),
    _number("changes"),
    _number("misses"),
    _number("failures"),
    _text("tombstoned_at"),
    Index("pages_by_url", "url", postgresql_using="hash"),
    Index("pages_by_run", "site", "run_id", "state"),
    Index("pages_by_markdown", "site", "markdown_digest"),
    Index("pages_by_due_date", "site", "due_at"),
    comment="One row for each URL that any run met.",
)

variants = Table(
    "variants",
    METADATA,
    Column("site", Words, primary_key=True),
    Column("url_digest", Words, primary_key=True),
    Column("url", Words, nullable=False),
    Column("page_id", Words, nullable=False),
    Column("kind", Words, nullable=False),
    Column("run_id", _KEY, nullable=False),
    Index("variants_by_page", "site", "page_id"),
    comment="Other URLs of an indexed page: redirects, declared canonicals, identical texts.",
)

decisions = Table(
    "decisions",
    METADATA,
    Column("decision_id", _KEY, primary_key=True, autoincrement=True),
    Column("run_id", _KEY, nullable=False),
    Column("site", Words, nullable=False),
    Column("page_id", Words, nullable=False),
    Column("decision", Words, nullable=False),
    Column("reason", Words, nullable=False),
    _text("evidence"),
    Column("decided_at", Words, nullable=False),
    Index("decisions_by_page", "site", "page_id", "decision_id"),
    Index("decisions_by_run", "run_id", "decision"),
    comment="What was decided about a page, with the evidence.",
)

manifests = Table(
    "manifests",
    METADATA,
    Column("manifest_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Words, nullable=False),
    Column("run_id", _KEY, nullable=False),
    Column("collection", Words, nullable=False),
    Column("created_at", Words, nullable=False),
    _text("completed_at"),
    Index("manifests_by_site", "site", "manifest_id"),
    comment="One row a publish; complete once every page of it is in the collection.",
)

publications = Table(
    "publications",
    METADATA,
    Column("manifest_id", _KEY, primary_key=True),
    Column("page_id", Words, primary_key=True),
    Column("site", Words, nullable=False),
    Column("record", Words, nullable=False),
    _text("markdown_digest"),
    _text("facts"),
    _text("recipe"),
    _number("tokens"),
    _text("body_digest"),
    _text("fetched_at"),
    Column("point_ids", Words, nullable=False),
    Column("withdrawn", Boolean, nullable=False, server_default=false()),
    Index("publications_by_page", "site", "page_id", "manifest_id"),
    comment="What a manifest published of a page.",
)

vectors = Table(
    "vectors",
    METADATA,
    Column("key", Words, primary_key=True),
    Column("object", Words, nullable=False),
    comment="Key of an embedded text (``indexing.vector_key``) -> the archive object with its vectors.",
)

bills = Table(
    "bills",
    METADATA,
    Column("bill_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Words, nullable=False),
    Column("run_id", _KEY, nullable=False),
    Column("page_id", Words, nullable=False, server_default="", comment="Empty: a request for several pages."),
    Column("purpose", Words, nullable=False),
    Column("model", Words, nullable=False),
    _number("input_tokens"),
    _number("cached_tokens"),
    _number("output_tokens"),
    _number("calls"),
    Column("picodollars", BigInteger, comment="At the prices of the day; null where they were not known."),
    Index("bills_by_run", "run_id"),
    Index("bills_by_page", "site", "page_id"),
    comment="Every bill of a model, as it came.",
)

plannings = Table(
    "plannings",
    METADATA,
    Column("run_id", _KEY, primary_key=True, autoincrement=False),
    Column("figures", Words, nullable=False, comment="JSON of ``chunking.planners.figures.PlanningFigures``."),
    comment="What the model was asked in a run, all of its sessions together.",
)

plan_replies = Table(
    "plan_replies",
    METADATA,
    Column("key", Words, primary_key=True),
    Column("reply", Words, nullable=False),
    Column(
        "page_id", Words, nullable=False, server_default="", comment="The page that it was paid for; empty: unknown."
    ),
    comment="Planning replies that were paid for, by all that they depend on (``chunking.planners.asking``).",
)

transcripts = Table(
    "transcripts",
    METADATA,
    Column("key", Words, primary_key=True),
    Column("page", Words, nullable=False, comment="JSON: Markdown, status and reason."),
    Column(
        "page_id", Words, nullable=False, server_default="", comment="The document it was paid for; empty: no crawl."
    ),
    comment="Pages of documents that a model transcribed, by all that they depend on (``conversion.drac.batches``).",
)

blocks = Table(
    "blocks",
    METADATA,
    Column("site", Words, primary_key=True),
    Column("key", Words, primary_key=True, comment="Digest of pattern and extent."),
    Column("pattern", Words, nullable=False, comment="``wrac.urls.page_key`` of a page, or its beginning."),
    Column("is_prefix", Boolean, nullable=False),
    Column("url", Words, nullable=False, comment="As it was given, for people."),
    Column("created_at", Words, nullable=False),
    comment="What ``wrac forget`` erased and no crawl may bring back.",
)

notices = Table(
    "notices",
    METADATA,
    Column("site", Words, primary_key=True),
    Column("event", Words, primary_key=True),
    Column("run_id", _KEY, nullable=False, comment="The run that it was about."),
    Column("again_at", Words, nullable=False, comment="Not told again before."),
    comment="What somebody was told of, so that it is not told again by every process that sees it.",
)
