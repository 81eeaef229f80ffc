"""Jobs are Python expressions, and the task is ``eval``: what a page could do to its worker, done to it directly."""

import asyncio
import os
import signal

import pytest

from ingest.workers import WorkerLost, WorkerPool
from wrac.errors import NothingExtracted, WracError


def with_pool(scenario, **options):
    async def run():
        pool = WorkerPool(eval, **({"count": 2, "limit": 20} | options))
        await pool.start()
        try:
            return await scenario(pool)
        finally:
            await pool.close()

    return asyncio.run(run())


def test_each_job_gets_its_own_result():
    async def scenario(pool):
        return await asyncio.gather(*(pool.run(f"{n} * {n}") for n in range(20)))

    assert with_pool(scenario) == [n * n for n in range(20)]


def test_what_the_task_raises_reaches_the_caller_with_its_fields():
    async def scenario(pool):
        code = "(_ for _ in ()).throw(__import__('wrac.errors').errors.NothingExtracted('empty', stage='clean'))"
        with pytest.raises(NothingExtracted, match="empty") as caught:
            await pool.run(code)
        return caught.value.stage

    assert with_pool(scenario) == "clean"


def test_a_killed_worker_costs_its_own_page_only():
    async def scenario(pool):
        jobs = ["__import__('os').kill(__import__('os').getpid(), 9)", *(f"{n}" for n in range(8))]
        return await asyncio.gather(*(pool.run(job) for job in jobs), return_exceptions=True)

    lost, *others = with_pool(scenario, count=1)
    assert isinstance(lost, WorkerLost)
    assert "SIGKILL" in str(lost)
    assert others == list(range(8))


def test_a_worker_that_ends_by_itself_is_named_by_its_code():
    async def scenario(pool):
        with pytest.raises(WorkerLost, match="ended with code 7"):
            await pool.run("__import__('os')._exit(7)")
        return await pool.run("1 + 1")

    assert with_pool(scenario, count=1) == 2


def test_a_page_that_hangs_is_given_up_after_the_limit():
    async def scenario(pool):
        hang = pool.run("__import__('time').sleep(60)")
        quick = pool.run("'quick'")
        return await asyncio.gather(hang, quick, return_exceptions=True)

    lost, quick = with_pool(scenario, limit=0.5, count=1)
    assert isinstance(lost, WorkerLost)
    assert "0.5 s" in str(lost)
    assert quick == "quick"


def test_workers_are_outside_the_terminals_process_group():
    async def scenario(pool):
        return await pool.run("__import__('os').getpgrp()")

    assert with_pool(scenario) != os.getpgrp()


def test_workers_end_when_the_pool_closes():
    async def scenario(pool):
        return await pool.run("__import__('os').getpid()")

    pid = with_pool(scenario)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_worker_cannot_start_without_its_task():
    async def start():
        await WorkerPool(eval, count=1, sample="1 / 0").start()

    with pytest.raises(WracError, match="could not start"):
        asyncio.run(start())


def test_the_alarm_kills_a_worker_whose_crawler_is_dead():
    """Nobody enforces the limit here but the worker's own alarm, as after a SIGKILL of the crawler."""

    async def scenario(pool):
        with pytest.raises(WorkerLost, match="took too long"):
            await pool.run("(__import__('signal').alarm(1), __import__('time').sleep(30))")

    with_pool(scenario, count=1)
    assert signal.SIGALRM


def test_a_cancelled_caller_does_not_disturb_the_next():
    async def scenario(pool):
        waiting = asyncio.ensure_future(pool.run("__import__('time').sleep(.3)"))
        await asyncio.sleep(0.1)
        waiting.cancel()
        return await pool.run("'next'")

    assert with_pool(scenario, count=1) == "next"
