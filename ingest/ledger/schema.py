"""The tables of the ledger, in SQL that SQLite and PostgreSQL both speak.

Times are ISO 8601 text in UTC, which sorts as it reads and means the same to every database. A page has one row for
each URL that was met; what was gathered and what is published stand side by side in it, so that a crash between the
two is seen and mended by the next run. ``publications`` is append-only: the state of a site after manifest N is the
last publication of each page up to N, which is all that a rollback needs.
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
    String,
    Table,
    Text,
    false,
)

SCHEMA_VERSION = 2

METADATA = MetaData()

_KEY = BigInteger().with_variant(Integer, "sqlite")


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False, server_default="")


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default="0")


facts = Table(
    "facts",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
    comment="Facts about the ledger itself: its schema version.",
)

recipes = Table(
    "recipes",
    METADATA,
    Column("digest", String(32), primary_key=True),
    Column("conversion", Text, nullable=False),
    Column("planning", Text, nullable=False),
    Column("indexing", Text, nullable=False),
    comment="Every recipe that any page was made with.",
)

runs = Table(
    "runs",
    METADATA,
    Column("run_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("first", Boolean, nullable=False, comment="Publishes as it goes: no run of this site was published before."),
    Column("collection", Text, nullable=False),
    Column("recipe", String(32), nullable=False),
    Column("started_at", Text, nullable=False),
    _text("finished_at"),
    Column("counts", Text, nullable=False, server_default="{}", comment="Pages by outcome at the end, JSON."),
    _number("sessions"),
    _text("note"),
    Column("exit_code", Integer, comment="Of the command that made the run; null while it runs, or where it was killed."),
    Column("figures", Text, nullable=False, server_default="{}", comment="What the run did and cost, JSON."),
    Index("runs_by_site", "site", "run_id"),
    comment="One row a crawl; a crawl that was interrupted goes on under its own number.",
)

pages = Table(
    "pages",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("page_id", String(32), primary_key=True),
    Column("url", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("outcome", String(24), nullable=False),
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
    _text("recipe"),
    _text("title"),
    _text("language"),
    _number("chunks"),
    _number("tokens"),
    Column("links", LargeBinary, nullable=False, comment="zstd of JSON [[url, nofollow], ...]."),
    # what is published
    _text("published_record"),
    _text("published_markdown"),
    _text("published_recipe"),
    _text("published_at"),
    Column("point_ids", Text, nullable=False, server_default="", comment="Space-separated, in reading order."),
    # what re-crawls decide by
    _text("due_at"),
    _number("interval_seconds"),
    _number("changes"),
    _number("misses"),
    _number("failures"),
    _text("tombstoned_at"),
    Index("pages_by_url", "url"),
    Index("pages_by_run", "site", "run_id", "state"),
    Index("pages_by_markdown", "site", "markdown_digest"),
    Index("pages_by_due_date", "site", "due_at"),
    comment="One row for each URL that any run met.",
)

variants = Table(
    "variants",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("url", String(2048), primary_key=True),
    Column("page_id", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("run_id", _KEY, nullable=False),
    Index("variants_by_page", "site", "page_id"),
    comment="Other URLs of an indexed page: redirects, declared canonicals, identical texts.",
)

decisions = Table(
    "decisions",
    METADATA,
    Column("decision_id", _KEY, primary_key=True, autoincrement=True),
    Column("run_id", _KEY, nullable=False),
    Column("site", Text, nullable=False),
    Column("page_id", String(32), nullable=False),
    Column("decision", String(24), nullable=False),
    Column("reason", Text, nullable=False),
    _text("evidence"),
    Column("decided_at", Text, nullable=False),
    Index("decisions_by_page", "site", "page_id", "decision_id"),
    comment="What was decided about a page, with the evidence.",
)

manifests = Table(
    "manifests",
    METADATA,
    Column("manifest_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Text, nullable=False),
    Column("run_id", _KEY, nullable=False),
    Column("collection", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    _text("completed_at"),
    Index("manifests_by_site", "site", "manifest_id"),
    comment="One row a publish; complete once every page of it is in the collection.",
)

publications = Table(
    "publications",
    METADATA,
    Column("manifest_id", _KEY, primary_key=True),
    Column("page_id", String(32), primary_key=True),
    Column("site", Text, nullable=False),
    Column("record", String(32), nullable=False),
    Column("point_ids", Text, nullable=False),
    Column("withdrawn", Boolean, nullable=False, server_default=false()),
    Index("publications_by_page", "site", "page_id", "manifest_id"),
    comment="What a manifest published of a page.",
)

vectors = Table(
    "vectors",
    METADATA,
    Column("key", String(32), primary_key=True),
    Column("object", String(32), nullable=False),
    comment="Key of an embedded text (``indexing.vector_key``) -> the archive object with its vectors.",
)

bills = Table(
    "bills",
    METADATA,
    Column("bill_id", _KEY, primary_key=True, autoincrement=True),
    Column("site", Text, nullable=False),
    Column("run_id", _KEY, nullable=False),
    Column("page_id", String(32), nullable=False, server_default="", comment="Empty: a request for several pages."),
    Column("purpose", String(16), nullable=False),
    Column("model", Text, nullable=False),
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
    Column("figures", Text, nullable=False, comment="JSON of ``chunking.planners.figures.PlanningFigures``."),
    comment="What the model was asked in a run, all of its sessions together.",
)

plan_replies = Table(
    "plan_replies",
    METADATA,
    Column("key", String(32), primary_key=True),
    Column("reply", Text, nullable=False),
    comment="Planning replies that were paid for, by all that they depend on (``chunking.planners.asking``).",
)
