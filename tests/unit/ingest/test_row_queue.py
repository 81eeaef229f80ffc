"""Rows that wait for a server: all are taken in, faults stop the work, and nobody waits for an interrupted one."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ingest import row_queue
from ingest.ledger.rows import PageRow
from ingest.row_queue import RowQueue
from wrac.errors import StoreError, TransientError


def row(name: str) -> PageRow:
    return PageRow("docs", name, f"https://docs.example/{name}")


class Taken:
    """A queue whose rows become their upper-case ids."""

    def __init__(self, count: int = 2, handle=None) -> None:
        self.ids: list[str] = []
        self.queue: RowQueue[str] = RowQueue(
            "test",
            count,
            handle=handle or (lambda row: row.page_id.upper()),
            take_in=lambda row, made: self.ids.append(f"{row.page_id} {made}"),
            interrupted="rows were read",
        )


def test_every_row_is_taken_in_and_more_may_come_after_a_drain() -> None:
    async def session() -> Taken:
        taken = Taken()
        taken.queue.start()
        for name in "abc":
            taken.queue.put(row(name))
        assert len(taken.queue) == 3
        await taken.queue.drain()
        assert len(taken.queue) == 0
        taken.queue.put(row("d"))
        await taken.queue.drain()
        await taken.queue.stop()
        return taken

    assert sorted(asyncio.run(session()).ids) == ["a A", "b B", "c C", "d D"]


def test_rows_that_come_before_the_start_are_not_forgotten() -> None:
    async def session() -> Taken:
        taken = Taken()
        taken.queue.put(row("a"))
        taken.queue.start()
        await taken.queue.drain()
        return taken

    assert asyncio.run(session()).ids == ["a A"]


def test_a_fault_stops_the_work_and_is_told_by_the_drain() -> None:
    def handle(row: PageRow) -> str:
        if row.page_id == "b":
            raise StoreError("the archive is full")
        return "read"

    async def session() -> Taken:
        taken = Taken(1, handle)
        taken.queue.start()
        for name in "abc":
            taken.queue.put(row(name))
        with pytest.raises(StoreError, match="the archive is full"):
            await taken.queue.drain()
        await taken.queue.stop()
        return taken

    assert asyncio.run(session()).ids == ["a read"]


def test_an_interrupted_drain_gives_up_a_reply_that_does_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_queue, "STOP_SECONDS", 0.1)
    entered, never = threading.Event(), threading.Event()

    def handle(row: PageRow) -> str:
        entered.set()
        never.wait(60)
        return "too late"

    async def session() -> Taken:
        taken = Taken(1, handle)
        taken.queue.start()
        for name in "ab":
            taken.queue.put(row(name))
        drain = asyncio.create_task(taken.queue.drain())
        await asyncio.to_thread(entered.wait, 30)
        taken.queue.interrupt()
        with pytest.raises(TransientError, match="interrupted while rows were read: the same command goes on"):
            await drain
        return taken

    assert asyncio.run(session()).ids == []
    never.set()


def test_a_reply_that_is_under_way_when_the_work_stops_is_taken_in() -> None:
    entered, go_on = threading.Event(), threading.Event()

    def handle(row: PageRow) -> str:
        entered.set()
        go_on.wait(30)
        return "paid for"

    async def session() -> Taken:
        taken = Taken(1, handle)
        taken.queue.start()
        for name in "ab":
            taken.queue.put(row(name))
        await asyncio.to_thread(entered.wait, 30)
        stop = asyncio.create_task(taken.queue.stop())
        await asyncio.sleep(0)  # the stop is under way
        go_on.set()
        await stop
        return taken

    assert asyncio.run(session()).ids == ["a paid for"]
