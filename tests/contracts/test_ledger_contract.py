"""One suite for every ledger: what a row, a run, a publish and a bill are after they were written, by whomever."""

from __future__ import annotations

import gc
import multiprocessing
import random
import signal
import threading
import time
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from chunking.planners.figures import PlanningFigures
from ingest.ledger import Ledger, schema
from ingest.ledger.bills import Purpose, Spending
from ingest.ledger.rows import Decision, PageRow, PageState, Publication, RunRow, RunState, VariantKind
from ingest.ledger.words import Words
from wrac.errors import ConfigError, StoreError
from wrac.recipe import Recipe
from wrac.records import Outcome, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from postgres_server import PostgresServer

RECIPE = Recipe("filters/1 html/1", "tree/1 rule/1", "minilm")
PROCESSES = multiprocessing.get_context("spawn")
POSTGRES = pytest.param("postgresql", marks=pytest.mark.requires("postgres"))


@pytest.fixture(params=["sqlite", POSTGRES])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A ledger that nobody has opened yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger(url) as opened:
        yield opened


def row(number: object, **more: object) -> PageRow:
    values = {"site": "docs", "page_id": f"p{number}", "url": f"https://docs.test/{number}", "run_id": 1} | more
    return PageRow(**values)


def start(ledger: Ledger, **more: object) -> RunRow:
    options = {"first": True, "collection": "docs", "recipe": RECIPE, "started_at": "2026-01-05T08:00:00+00:00"} | more
    return ledger.runs.start("docs", **options)


def stored(ledger: Ledger, saved: PageRow) -> PageRow | None:
    """The row as another process finds it."""
    ledger.pages.save(saved)
    ledger.pages.flush()
    return ledger.pages.get(saved.site, saved.page_id)


# ---------------------------------------------------------------- pages


def test_a_saved_row_is_seen_at_once_and_durable_after_flush(ledger: Ledger, url: str) -> None:
    saved = row(1, state=PageState.GATHERED, outcome=Outcome.INDEXED, links=b"\x00\xff", point_ids=())
    ledger.pages.save(saved)
    assert ledger.pages.get("docs", "p1") == saved
    with Ledger(url) as other:
        assert other.pages.get("docs", "p1") is None
        ledger.pages.flush()
        assert other.pages.get("docs", "p1") == saved


def test_every_field_of_a_row_comes_back(ledger: Ledger) -> None:
    kinds = {"int": 7, "str": "<text>", "bytes": b"links", "tuple[str, ...]": ("a", "b")}
    values = {name: kinds.get(str(field.type)) for name, field in PageRow.__dataclass_fields__.items()}
    full = PageRow(**values | {"state": PageState.LIVE, "outcome": Outcome.UNCHANGED})
    assert stored(ledger, full) == full


def test_a_row_is_replaced_by_the_next_one(ledger: Ledger) -> None:
    stored(ledger, row(1, title="before", misses=3))
    assert stored(ledger, row(1, title="after")) == row(1, title="after")


@pytest.mark.parametrize(
    "text",
    [
        "Ünïcödé",
        "日本語のタイトル",
        "🜂 \U0010ffff",
        "a\u2028b\x85c",
        "\x01\x1f\x7f",
        "'; drop table pages; --",
        "%s :x ${y}",
        "\\",
    ],
)
def test_text_comes_back_as_it_was(ledger: Ledger, text: str) -> None:
    found = stored(ledger, row(1, title=text, reason=text, url=f"https://docs.test/{text}"))
    assert found is not None
    assert (found.title, found.reason, found.url) == (text, text, f"https://docs.test/{text}")


def test_text_that_some_database_refuses_keeps_all_else(ledger: Ledger) -> None:
    """A server's header or a broken page may hold anything; its row is not lost over it."""
    found = stored(ledger, row(1, title="nul \x00 and half a pair \ud83d, end", etag='W/"\x00"'))
    assert found is not None
    assert found.title == "nul \ufffd and half a pair \ufffd, end"
    assert found.etag == 'W/"\ufffd"'


@pytest.mark.parametrize("length", [2_000, 2_049, 3_000, 100_000])
def test_a_url_of_any_length(ledger: Ledger, length: int) -> None:
    # Random letters: PostgreSQL compresses an index entry before it measures it.

    long = "https://docs.test/" + "".join(
        random.Random(length).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=length)
    )
    assert stored(ledger, row(1, url=long)) == row(1, url=long)
    ledger.pages.add_variant("docs", long, "p1", VariantKind.REDIRECT, 1)
    ledger.pages.add_variant("docs", long + "x", "p1", VariantKind.REDIRECT, 1)
    assert ledger.pages.variants("docs", "p1") == [(long, VariantKind.REDIRECT), (long + "x", VariantKind.REDIRECT)]


def test_whole_numbers_of_64_bits(ledger: Ledger) -> None:
    large = 2**62
    assert stored(ledger, row(1, tokens=large, interval_seconds=large)) == row(1, tokens=large, interval_seconds=large)
    stored(ledger, row(2, tokens=2**31, chunks=2**31, outcome=Outcome.INDEXED))
    stored(ledger, row(3, tokens=2**31, chunks=2**31, outcome=Outcome.INDEXED))
    totals = ledger.pages.totals("docs", 1, [Outcome.INDEXED])
    assert totals == (2**32, 2**32)
    assert [type(value) for value in totals] == [int, int]


def test_order_is_that_of_code_points(ledger: Ledger) -> None:
    """Times are text, and what is due is found by comparing it; a server's language must not change the order."""
    names = ["a-b", "a.b", "aB", "a_b", "ab", "b", "Z", "ä"]
    for name in names:
        ledger.pages.save(row(name, url=name, state=PageState.LIVE))
    found = [page.url for page in ledger.pages.in_state("docs", PageState.LIVE)]
    assert found == ["Z", "a-b", "a.b", "aB", "a_b", "ab", "b", "ä"]


def test_counts_and_totals(ledger: Ledger) -> None:
    for number in range(4):
        outcome = Outcome.GONE if number == 3 else Outcome.INDEXED
        ledger.pages.save(row(number, outcome=outcome, chunks=2, tokens=10, run_id=1 + number % 2))
    assert ledger.pages.count_by("outcome", "docs") == {"gone": 1, "indexed": 3}
    assert ledger.pages.count_by("outcome", "docs", run_id=1) == {"indexed": 2}
    assert ledger.pages.totals("docs", 1, [Outcome.INDEXED]) == (4, 20)
    assert ledger.pages.totals("docs", 9, [Outcome.INDEXED]) == (0, 0)
    assert ledger.pages.known_ids("docs") == {"p0", "p1", "p2", "p3"}
    assert ledger.pages.ids_by_url("docs", None, [Outcome.GONE]) == {"https://docs.test/3": "p3"}


def test_variants_and_decisions_of_a_page(ledger: Ledger) -> None:
    ledger.pages.add_variant("docs", "https://docs.test/b", "p1", VariantKind.REDIRECT, 1)
    ledger.pages.add_variant("docs", "https://docs.test/a", "p1", VariantKind.CANONICAL, 1)
    ledger.pages.flush()
    ledger.pages.add_variant("docs", "https://docs.test/a", "p1", VariantKind.CANONICAL, 2)
    assert ledger.pages.variants("docs", "p1") == [
        ("https://docs.test/a", VariantKind.CANONICAL),
        ("https://docs.test/b", VariantKind.REDIRECT),
    ]
    for number in range(3):
        ledger.pages.add_decision("docs", Decision(number, "p1", "variant", "because", f"{number}", "t"))
    assert [d.evidence for d in ledger.pages.decisions("docs", "p1", limit=2)] == ["2", "1"]


def test_a_big_batch_is_written_whole(ledger: Ledger) -> None:
    """More rows than a statement has parameters, in any database."""
    for number in range(1_500):
        ledger.pages.save(row(f"{number:04}", outcome=Outcome.INDEXED, links=b"x" * 200))
    ledger.pages.flush()
    assert ledger.pages.waiting == 0
    assert ledger.pages.count_by("outcome", "docs") == {"indexed": 1_500}


# ---------------------------------------------------------------- publishes, runs, bills


def test_what_is_published_is_not_undone_by_an_older_row(ledger: Ledger) -> None:
    run = start(ledger)
    gathered = row(1, state=PageState.GATHERED, record="r1", recipe=RECIPE.digest, markdown_digest="m1")
    stored(ledger, gathered)
    manifest = ledger.publishes.open_manifest(run, "t1")
    ledger.publishes.record("docs", manifest, [Publication("p1", "r1", "m1", RECIPE.digest, ("x", "y"))], "t1")
    found = stored(ledger, replace(gathered, outcome=Outcome.UNREACHABLE))
    assert found is not None
    assert found.point_ids == ("x", "y")
    assert found.published_markdown == "m1"


def test_a_page_gathered_anew_while_it_was_published_still_waits(ledger: Ledger) -> None:
    run = start(ledger)
    stored(ledger, row(1, state=PageState.GATHERED, record="new"))
    manifest = ledger.publishes.open_manifest(run, "t1")
    ledger.publishes.record("docs", manifest, [Publication("p1", "old", "m", "r", ("x",))], "t1")
    found = ledger.pages.get("docs", "p1")
    assert found is not None
    assert found.state is PageState.GATHERED


def test_a_manifest_tells_what_a_page_was(ledger: Ledger) -> None:
    first = ledger.publishes.open_manifest(start(ledger), "t1")
    ledger.publishes.record("docs", first, [Publication("p1", "r1", "m1", "c", ("x",))], "t1")
    assert not ledger.publishes.any_complete("docs")
    ledger.publishes.complete_manifest(first, "t1")
    assert ledger.publishes.any_complete("docs")
    run = start(ledger, first=False)
    second = ledger.publishes.open_manifest(run, "t2")
    assert ledger.publishes.open_manifest(run, "t3") == second, "one manifest a run"
    ledger.publishes.record("docs", second, [Publication("p1", "r2", "m2", "c", ("y",))], "t2")
    assert ledger.publishes.state_after("docs", first) == {"p1": Publication("p1", "r1", "m1", "c", ("x",))}
    assert ledger.publishes.state_after("docs", second) == {"p1": Publication("p1", "r2", "m2", "c", ("y",))}


def test_runs_come_newest_first_with_their_figures(ledger: Ledger) -> None:
    first = start(ledger)
    ledger.runs.update(replace(first, state=RunState.FINISHED, counts={"indexed": 3}, finished_at="t2", exit_code=0))
    second = start(ledger)
    assert [run.run_id for run in ledger.runs.of_site("docs")] == [second.run_id, first.run_id]
    assert ledger.runs.last("docs") == second
    assert ledger.runs.of_site("docs")[1].counts == {"indexed": 3}
    assert ledger.runs.sites() == ["docs"]
    assert ledger.runs.last("other") is None


def test_a_recipe_is_found(ledger: Ledger) -> None:
    start(ledger)
    assert ledger.runs.recipe(RECIPE.digest) == RECIPE
    assert ledger.runs.recipe("unknown") is None


def test_many_keys_are_found_at_once(ledger: Ledger) -> None:
    keys = [f"{number:032x}" for number in range(1000)]
    ledger.publishes.add_vectors(keys[:900], "object")
    assert ledger.publishes.find_vectors(keys) == dict.fromkeys(keys[:900], "object")
    assert ledger.publishes.find_vectors([]) == {}


def test_bills_add_up_exactly(ledger: Ledger) -> None:
    price = Decimal("1234567.000000000001")
    for _ in range(3):
        ledger.bills.add("docs", 1, Spending(Purpose.PLANNING, "m", Usage(2**31, 1, 2, 3), price), "p1")
    ledger.bills.add("docs", 1, Spending(Purpose.EMBEDDING, "e", Usage(5, 0, 0, 1), None))
    assert ledger.bills.of_run(1) == [
        Spending(Purpose.EMBEDDING, "e", Usage(5, 0, 0, 1), None),
        Spending(Purpose.PLANNING, "m", Usage(3 * 2**31, 3, 6, 9), 3 * price),
    ]
    assert ledger.bills.of_page("docs", "p1") == [ledger.bills.of_run(1)[1]]
    ledger.bills.keep_reply("k", '{"c": ["u1"]}')
    ledger.bills.keep_reply("k", '{"c": ["u2"]}')
    assert ledger.bills.find_reply("k") == '{"c": ["u2"]}'
    assert ledger.bills.add_figures(1, PlanningFigures()) == ledger.bills.figures(1)


# ---------------------------------------------------------------- several writers


def test_threads_save_and_flush_and_lose_nothing(ledger: Ledger) -> None:
    def work(part: int) -> None:
        for number in range(50):
            ledger.pages.save(row(f"{part}-{number}", outcome=Outcome.INDEXED))
            if number % 7 == 0:
                ledger.pages.flush()

    threads = [threading.Thread(target=work, args=(part,)) for part in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.pages.count_by("outcome", "docs") == {"indexed": 300}


def _open(url: str, gate: object) -> None:
    gate.wait(30)
    Ledger(url).close()


def _write(url: str, gate: object, part: int) -> None:
    """Pages of a site of its own, and vectors that every writer has, in an order of its own."""
    keys = [f"{number:032x}" for number in range(200)]
    with Ledger(url) as ledger:
        gate.wait(30)
        for turn in range(5):
            for number in range(20):
                ledger.pages.save(row(f"{turn}-{number}", site=f"site{part}", outcome=Outcome.INDEXED))
            ledger.pages.flush()
            ledger.publishes.add_vectors(keys if part % 2 else reversed(keys), f"object{part}")


def _at_once(target: object, arguments: list[tuple[object, ...]]) -> None:
    """Each in a process of its own, begun together; all end well."""
    gate = PROCESSES.Barrier(len(arguments))
    workers = [PROCESSES.Process(target=target, args=(url, gate, *rest)) for url, *rest in arguments]
    for worker in workers:
        worker.start()
    deadline = time.monotonic() + 60
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
    for worker in workers:
        worker.kill()
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * len(workers)


def test_processes_open_a_new_ledger_at_once(url: str) -> None:
    _at_once(_open, [(url,)] * 3)
    with Ledger(url) as ledger:
        assert ledger.runs.sites() == []


def test_processes_write_at_once_and_lose_nothing(url: str) -> None:
    _at_once(_write, [(url, part) for part in range(3)])
    with Ledger(url) as ledger:
        for part in range(3):
            assert ledger.pages.count_by("outcome", f"site{part}") == {"indexed": 100}
        assert len(ledger.publishes.find_vectors([f"{number:032x}" for number in range(200)])) == 200


def test_a_reader_sees_whole_transactions_and_never_waits_for_a_writer(ledger: Ledger, url: str) -> None:
    stored(ledger, row(1, title="before"))
    with Ledger(url) as reader, ledger.pages._database.transaction() as connection:
        connection.execute(schema.pages.update().values(title="uncommitted"))
        assert reader.pages.get("docs", "p1").title == "before"
    with Ledger(url) as reader:
        assert reader.pages.get("docs", "p1").title == "uncommitted"


def test_an_error_undoes_the_whole_transaction(ledger: Ledger) -> None:
    stored(ledger, row(1, title="before"))

    def half() -> None:
        with ledger.pages._database.transaction() as connection:
            connection.execute(schema.pages.update().values(title="half"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    found = ledger.pages.get("docs", "p1")
    assert found is not None
    assert found.title == "before"


# ---------------------------------------------------------------- the schema


def test_no_text_has_a_length_or_an_order_of_its_own() -> None:
    """SQLite ignores both, so that only a server would tell, and late."""
    texts = [
        column for table in schema.METADATA.sorted_tables for column in table.c if isinstance(column.type, sa.String)
    ]
    assert texts == []
    words = [column for table in schema.METADATA.sorted_tables for column in table.c if isinstance(column.type, Words)]
    assert len(words) > 50


def test_no_long_text_is_in_an_index_that_bounds_it() -> None:
    """PostgreSQL refuses entries of a B-tree above 2,704 bytes, when the row is written."""
    unbounded = {"url", "title", "reason", "note", "evidence", "point_ids", "reply", "counts", "figures"}
    keys = {f"{table.name}.{c.name}" for table in schema.METADATA.sorted_tables for c in table.primary_key}
    trees = {
        f"{table.name}.{column.name}"
        for table in schema.METADATA.sorted_tables
        for index in table.indexes
        if index.dialect_options["postgresql"]["using"] != "hash"
        for column in index.columns
    }
    assert [name for name in sorted(keys | trees) if name.partition(".")[2] in unbounded] == []


def test_a_ledger_of_another_version_is_refused(url: str) -> None:
    with Ledger(url) as opened, opened.pages._database.transaction() as connection:
        connection.execute(sa.text("update facts set value = '99'"))
    with pytest.raises(ConfigError, match="schema 99"):
        Ledger(url)


# ---------------------------------------------------------------- a server has further ways to fail

# pg8000 leaves the socket of a connection that failed to the garbage collector.
LEFT_OPEN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture
def server(postgres: PostgresServer) -> Iterator[PostgresServer]:
    yield postgres
    gc.collect()
    if not postgres.is_running:
        postgres.start()


@LEFT_OPEN
@pytest.mark.requires("postgres")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["in order", "crash"])
def test_a_server_that_was_restarted_is_no_error(server: PostgresServer, how: signal.Signals) -> None:
    with Ledger(server.database()) as ledger:
        stored(ledger, row(1, title="before"))
        server.stop(how)
        server.start()
        assert ledger.pages.get("docs", "p1") == row(1, title="before")
        assert stored(ledger, row(2)) == row(2)


@LEFT_OPEN
@pytest.mark.requires("postgres")
def test_a_server_that_is_away_is_named_and_what_waits_is_kept(server: PostgresServer) -> None:
    with Ledger(server.database()) as ledger:
        server.stop()
        ledger.pages.save(row(1))
        with pytest.raises(StoreError, match=rf"127\.0\.0\.1:{server.port}.* cannot be reached"):
            ledger.pages.flush()
        assert ledger.pages.waiting == 1
        server.start()
        ledger.pages.flush()
        assert ledger.pages.count_by("state", "docs") == {"met": 1}


@LEFT_OPEN
@pytest.mark.requires("postgres")
def test_a_connection_that_is_cut_in_a_transaction_loses_it_whole(server: PostgresServer) -> None:
    with Ledger(server.database()) as ledger:
        stored(ledger, row(1, title="before"))

        def cut() -> None:
            with ledger.pages._database.transaction() as connection:
                connection.execute(schema.pages.update().values(title="lost"))
                server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wrac'")
                connection.execute(sa.select(schema.pages.c.title))

        with pytest.raises(StoreError, match="cannot be reached"):
            cut()
        assert ledger.pages.get("docs", "p1") == row(1, title="before")


@LEFT_OPEN
@pytest.mark.requires("postgres")
def test_a_table_that_stays_locked_is_named_and_keeps_what_waits(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.ledger.database.BUSY_SECONDS", 1)
    url = server.database()
    with Ledger(url) as holder, Ledger(url) as ledger:
        with holder.pages._database.transaction() as connection:
            connection.execute(sa.text("lock table pages in exclusive mode"))
            ledger.pages.save(row(1))
            with pytest.raises(StoreError, match="was locked for 1 s"):
                ledger.pages.flush()
            assert ledger.pages.waiting == 1
        ledger.pages.flush()
        assert ledger.pages.waiting == 0


@LEFT_OPEN
@pytest.mark.requires("postgres")
@pytest.mark.parametrize("right", ["usage", ""])
def test_a_user_who_may_not_write_is_told_so(server: PostgresServer, right: str) -> None:
    server.database()
    server.sql("drop role if exists guest; create role guest login")
    if right:
        server.sql(f"grant {right} on schema public to public", "ledger")
    with pytest.raises(StoreError, match="allowed to create tables"):
        Ledger(server.url("ledger", user="guest"))


@LEFT_OPEN
@pytest.mark.requires("postgres")
def test_a_database_that_is_missing_is_named(server: PostgresServer) -> None:
    with pytest.raises(StoreError, match='database "nosuch" does not exist'):
        Ledger(server.url("nosuch"))


@LEFT_OPEN
@pytest.mark.requires("postgres")
@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+pg8000"])
def test_what_providers_put_into_a_url_is_understood(server: PostgresServer, scheme: str) -> None:
    address = server.database().partition("://")[2]
    for query in ("", "?sslmode=disable", "?sslmode=prefer&channel_binding=prefer"):
        Ledger(f"{scheme}://{address}{query}").close()
    with pytest.raises(StoreError, match="SSL"):
        Ledger(f"{scheme}://{address}?sslmode=require")
    with pytest.raises(ConfigError, match="sslmode=maybe"):
        Ledger(f"{scheme}://{address}?sslmode=maybe")
