import sqlite3
import subprocess
import sys
import threading

import pytest
import sqlalchemy as sa

from ingest.ledger import Ledger
from ingest.ledger.rows import PageRow
from wrac.errors import ConfigError, StoreError
from wrac.recipe import Recipe

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


@pytest.mark.parametrize("bad", ["nonsense", "nosuchdb://x/y", "postgresql+nosuchdriver://x/y", "mysql://x/y"])
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


@pytest.mark.parametrize("url", ["postgres://me:s3cret@db.test/ledger", "postgresql+pg8000://me:s3cret@db.test/ledger"])
def test_a_driver_that_is_missing_is_named_with_the_command_that_installs_it(url, monkeypatch):
    monkeypatch.setitem(sys.modules, "pg8000", None)  # what an interpreter without the package does
    with pytest.raises(
        ConfigError, match=r"db\.test.* needs the driver pg8000.*pip install 'wrac\[postgres\]'"
    ) as caught:
        Ledger(url)
    assert "s3cret" not in str(caught.value)


def test_an_unknown_driver_of_a_known_database_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    with pytest.raises(ConfigError, match="needs the driver psycopg2, which is not installed: pip install psycopg2"):
        Ledger("postgresql+psycopg2://db.test/ledger")


def test_a_row_that_cannot_be_read_is_named(ledger):
    ledger.pages.save(PageRow(site="docs", page_id="p1", url="https://docs.test/a.html"))
    ledger.pages.flush()
    with ledger._database.transaction() as connection:
        connection.execute(sa.text("update pages set state = 'zombie'"))
    with pytest.raises(StoreError, match=r"row of https://docs\.test/a\.html .* 'zombie'"):
        ledger.pages.get("docs", "p1")
