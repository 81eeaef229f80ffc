import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa

from ingest.ledger import Ledger
from ingest.ledger.rows import Decision, PageRow, PageState, Publication, RunState, VariantKind
from wrac.errors import ConfigError, StoreError
from wrac.recipe import Recipe, RecipePart
from wrac.records import Outcome

RECIPE = Recipe("filters/1 html/1", "tree/1 rule/1", "minilm")


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


@pytest.fixture
def ledger(url):
    with Ledger(url) as opened:
        yield opened


def row(number, **more):
    values = {"site": "docs", "page_id": f"p{number}", "url": f"https://docs.test/{number}", "run_id": 1} | more
    return PageRow(**values)


def start(ledger, **more):
    options = {"first": True, "collection": "docs", "recipe": RECIPE, "started_at": "2026-01-05T08:00:00+00:00"} | more
    return ledger.runs.start("docs", **options)


def test_a_saved_row_is_seen_at_once_and_durable_after_flush(ledger, url):
    saved = row(1, state=PageState.GATHERED, outcome=Outcome.INDEXED, links=b"\x00\xff", point_ids=())
    ledger.pages.save(saved)
    assert ledger.pages.get("docs", "p1") == saved
    with Ledger(url) as other:
        assert other.pages.get("docs", "p1") is None
        ledger.pages.flush()
        assert other.pages.get("docs", "p1") == saved


def test_every_field_of_a_row_comes_back(ledger):
    fields = PageRow.__dataclass_fields__
    values = {
        name: {"int": 7, "str": f"<{name}>", "bytes": b"links", "tuple[str, ...]": ("a", "b")}.get(str(f.type))
        for name, f in fields.items()
    }
    full = PageRow(**values | {"state": PageState.LIVE, "outcome": Outcome.UNCHANGED})
    ledger.pages.save(full)
    ledger.pages.flush()
    assert ledger.pages.get(full.site, full.page_id) == full


def test_what_is_published_is_not_undone_by_an_older_row(ledger):
    run = start(ledger)
    gathered = row(1, state=PageState.GATHERED, record="r1", recipe=RECIPE.digest, markdown_digest="m1")
    ledger.pages.save(gathered)
    ledger.pages.flush()
    manifest = ledger.publishes.open_manifest(run, "t1")
    ledger.publishes.record("docs", manifest, [Publication("p1", "r1", "m1", RECIPE.digest, ("x", "y"))], "t1")
    ledger.pages.save(replace(gathered, outcome=Outcome.UNREACHABLE))
    ledger.pages.flush()
    found = ledger.pages.get("docs", "p1")
    assert found.point_ids == ("x", "y")
    assert found.published_markdown == "m1"


def test_a_page_gathered_anew_while_it_was_published_still_waits(ledger):
    run = start(ledger)
    ledger.pages.save(row(1, state=PageState.GATHERED, record="new"))
    ledger.pages.flush()
    manifest = ledger.publishes.open_manifest(run, "t1")
    ledger.publishes.record("docs", manifest, [Publication("p1", "old", "m", "r", ("x",))], "t1")
    assert ledger.pages.get("docs", "p1").state is PageState.GATHERED


def test_a_manifest_tells_what_a_page_was(ledger):
    first = ledger.publishes.open_manifest(start(ledger), "t1")
    ledger.publishes.record("docs", first, [Publication("p1", "r1", "m1", "c", ("x",))], "t1")
    assert not ledger.publishes.any_complete("docs")
    ledger.publishes.complete_manifest(first, "t1")
    assert ledger.publishes.any_complete("docs")
    run = start(ledger, first=False)
    second = ledger.publishes.open_manifest(run, "t2")
    assert ledger.publishes.open_manifest(run, "t3") == second, "one manifest a run"
    ledger.publishes.record("docs", second, [Publication("p1", "r2", "m2", "c", ("y",))], "t2")
    assert ledger.publishes.publication("docs", "p1", first) == ("r1", ("x",))
    assert ledger.publishes.publication("docs", "p1", second) == ("r2", ("y",))
    assert ledger.publishes.publication("docs", "p2", second) is None


def test_runs_come_newest_first_with_their_figures(ledger):
    first = start(ledger)
    ledger.runs.update(replace(first, state=RunState.FINISHED, counts={"indexed": 3}, finished_at="t2", note="well"))
    second = start(ledger)
    assert [run.run_id for run in ledger.runs.of_site("docs")] == [second.run_id, first.run_id]
    assert ledger.runs.last("docs") == second
    assert ledger.runs.of_site("docs")[1].counts == {"indexed": 3}
    assert ledger.runs.sites() == ["docs"]
    assert ledger.runs.last("other") is None


def test_a_recipe_is_found_and_its_first_difference_named(ledger):
    start(ledger)
    assert ledger.runs.recipe(RECIPE.digest) == RECIPE
    assert ledger.runs.recipe("unknown") is None
    assert RECIPE.first_difference(RECIPE) is None
    assert RECIPE.first_difference(replace(RECIPE, indexing="other")) is RecipePart.INDEXING
    both = replace(RECIPE, conversion="other", indexing="other")
    assert RECIPE.first_difference(both) is RecipePart.CONVERSION
    assert both.digest != RECIPE.digest


def test_variants_and_decisions_of_a_page(ledger):
    ledger.pages.add_variant("docs", "https://docs.test/b", "p1", VariantKind.REDIRECT, 1)
    ledger.pages.add_variant("docs", "https://docs.test/a", "p1", VariantKind.CANONICAL, 1)
    ledger.pages.add_variant("docs", "https://docs.test/a", "p1", VariantKind.CANONICAL, 2)
    assert ledger.pages.variants("docs", "p1") == [
        ("https://docs.test/a", VariantKind.CANONICAL),
        ("https://docs.test/b", VariantKind.REDIRECT),
    ]
    for number in range(3):
        ledger.pages.add_decision("docs", Decision(number, "p1", "variant", "because", f"{number}", "t"))
    assert [d.evidence for d in ledger.pages.decisions("docs", "p1", limit=2)] == ["2", "1"]


def test_counts_and_totals(ledger):
    for number in range(4):
        outcome = Outcome.GONE if number == 3 else Outcome.INDEXED
        ledger.pages.save(row(number, outcome=outcome, chunks=2, tokens=10, run_id=1 + number % 2))
    assert ledger.pages.count_by("outcome", "docs") == {"gone": 1, "indexed": 3}
    assert ledger.pages.count_by("outcome", "docs", run_id=1) == {"indexed": 2}
    assert ledger.pages.totals("docs", 1, [Outcome.INDEXED]) == (4, 20)
    assert ledger.pages.totals("docs", 9, [Outcome.INDEXED]) == (0, 0)


def test_many_keys_are_found_at_once(ledger):
    keys = [f"{number:032x}" for number in range(1000)]
    ledger.publishes.add_vectors(keys[:900], "object")
    assert ledger.publishes.find_vectors(keys) == dict.fromkeys(keys[:900], "object")
    assert ledger.publishes.find_vectors([]) == {}


def test_threads_save_and_flush_and_lose_nothing(ledger):
    def work(part):
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


def test_another_process_reads_while_this_one_writes(ledger, tmp_path):
    ledger.pages.save(row(1))
    ledger.pages.flush()
    with ledger.pages._database.transaction() as connection:
        connection.execute(sa.text("update pages set reason = 'uncommitted'"))
        query = "'select reason from pages'"
        code = (
            f"import sqlite3; print(sqlite3.connect({str(tmp_path / 'ledger.sqlite')!r}).execute({query}).fetchall())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout.strip() == "[('',)]"


def test_a_writer_waits_for_another_process(ledger, tmp_path):
    other = sqlite3.connect(tmp_path / "ledger.sqlite", check_same_thread=False, isolation_level=None)
    other.execute("begin immediate")
    threading.Timer(0.3, other.execute, ("commit",)).start()
    ledger.pages.save(row(1))
    ledger.pages.flush()
    assert ledger.pages.get("docs", "p1") is not None
    other.close()


def test_a_ledger_that_stays_locked_is_named_and_keeps_what_waits(ledger, tmp_path, monkeypatch):
    with ledger.pages._database.transaction() as connection:
        connection.execute(sa.text("pragma busy_timeout = 50"))
    with sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None) as other:
        other.execute("begin immediate")
        ledger.pages.save(row(1))
        with pytest.raises(StoreError, match="was locked for"):
            ledger.pages.flush()
        assert ledger.pages.waiting == 1
        other.execute("rollback")
    other.close()
    ledger.pages.flush()
    assert ledger.pages.waiting == 0


def test_a_full_disk_keeps_what_waits(ledger):
    with ledger.pages._database.transaction() as connection:
        used = connection.scalar(sa.text("pragma page_count"))
        connection.execute(sa.text(f"pragma max_page_count = {used + 2}"))
    for number in range(200):
        ledger.pages.save(row(number, reason="long " * 50))
    with pytest.raises(StoreError, match="no space is left for the ledger"):
        ledger.pages.flush()
    assert ledger.pages.waiting == 200
    with ledger.pages._database.transaction() as connection:
        connection.execute(sa.text("pragma max_page_count = 100000"))
    ledger.pages.flush()
    assert ledger.pages.count_by("state", "docs") == {"met": 200}


def test_a_ledger_of_another_version_is_refused(url):
    with Ledger(url) as opened, opened.pages._database.transaction() as connection:
        connection.execute(sa.text("update facts set value = '99'"))
    with pytest.raises(ConfigError, match="schema 99"):
        Ledger(url)


@pytest.mark.parametrize("bad", ["nonsense", "nosuchdb://x/y", "postgresql+nosuchdriver://x/y"])
def test_a_url_that_cannot_be_used_is_a_config_error(bad):
    with pytest.raises(ConfigError, match="no usable SQLAlchemy URL"):
        Ledger(bad)


def test_a_folder_that_is_missing_is_a_store_error(tmp_path):
    with pytest.raises(StoreError, match="cannot be used"):
        Ledger(f"sqlite:///{tmp_path / 'nowhere' / 'ledger.sqlite'}")


@pytest.mark.parametrize("damage", ["overwritten", "cut", "torn"])
def test_a_damaged_ledger_says_how_to_go_on(url, tmp_path, damage):
    with Ledger(url) as opened:
        for number in range(300):
            opened.pages.save(row(number, reason="long " * 50))
    (file,) = tmp_path.glob("*.sqlite")
    whole = file.read_bytes()
    damaged = {
        "overwritten": b"\x5a" * len(whole),
        "cut": whole[: len(whole) // 2],
        "torn": whole[:4096] + b"\x5a" * 8192 + whole[12288:],
    }
    file.write_bytes(damaged[damage])
    with pytest.raises(StoreError, match=r"is damaged .*move it away and crawl again"), Ledger(url) as opened:
        opened.pages.count_by("state", "docs")
    assert file.read_bytes() == damaged[damage], "what may still be rescued is left as it is"


def test_a_ledger_without_a_version_that_can_be_read_is_refused(url):
    with Ledger(url) as opened, opened.pages._database.transaction() as connection:
        connection.execute(sa.text("update facts set value = 'junk'"))
    with pytest.raises(ConfigError, match="schema junk"):
        Ledger(url)


def test_statements_compile_for_postgresql():
    """The schema and the upserts are plain SQL to PostgreSQL, too; a server is asked by the contract suite."""
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.schema import CreateTable

    from ingest.ledger import schema

    for table in schema.METADATA.sorted_tables:
        text = str(CreateTable(table).compile(dialect=postgresql.dialect()))
        assert f"CREATE TABLE {table.name}" in text
    assert "BYTEA" in str(CreateTable(schema.pages).compile(dialect=postgresql.dialect()))
    assert "BIGSERIAL" in str(CreateTable(schema.runs).compile(dialect=postgresql.dialect()))


@pytest.mark.parametrize("url", ["nodialect://me:s3cret@db.test/ledger", "postgresql+nodriver://me:s3cret@db.test/x"])
def test_a_ledger_that_cannot_be_opened_is_named_without_its_password(url):
    with pytest.raises(ConfigError, match=r"db\.test") as caught:
        Ledger(url)
    assert "s3cret" not in str(caught.value)
