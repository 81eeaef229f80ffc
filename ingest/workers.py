"""Worker processes for CPU-bound work, one page at a time each, so that a page can cost at most itself.

A worker is a fresh interpreter (``ingest.worker``), never a fork of the crawler and its threads. A thread of the pool
hands it a job and waits. A worker that dies or exceeds the time limit is replaced; only its page is lost, with a
reason. A pool of the standard library would lose every page that waited.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wrac.errors import WracError

if TYPE_CHECKING:
    from collections.abc import Callable

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

START_SECONDS = 60.0
JOB_SECONDS = 60.0
_STOP_SECONDS = 5.0
_START_ATTEMPTS = 3


class WorkerLost(WracError):
    """The worker died over a job or took too long; the job is given up, others go on."""


@dataclass(slots=True)
class _Ticket:
    job: Any
    done: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class WorkerPool(Generic[_Job, _Result]):
    """``count`` processes that run ``task``; ``await run(job)`` from one event loop."""

    def __init__(
        self,
        task: Callable[[_Job], _Result],
        *,
        count: int = 0,
        limit: float | Callable[[_Job], float] = JOB_SECONDS,
        sample: _Job | None = None,
    ) -> None:
        """``task`` can be pickled; ``limit`` is wall seconds for one job, or what gives them for each.

        ``sample`` is run once to warm a worker.
        """
        self.count = count or os.cpu_count() or 1
        self._setup = pickle.dumps((task, sample))
        self._limit = limit if callable(limit) else lambda _job: limit
        # One job waits for each worker, so that none idles; more would only hold bodies in memory.
        self._room = asyncio.Semaphore(self.count * 2)
        self._jobs: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._at_work = 0

    async def start(self) -> None:
        """All workers are warm. Raises ``WracError`` where one cannot start.

        Without it they start one by one, each with the first job for which no worker is idle.
        """
        loop = asyncio.get_running_loop()
        started = [loop.create_future() for _ in range(self.count)]
        for future in started:
            self._add_worker(future, loop)
        try:
            await asyncio.gather(*started)
        except BaseException:
            await self.close()
            raise

    async def run(self, job: _Job) -> _Result:
        """The task's result. Raises what the task raised, ``WorkerLost``, or ``WracError`` where no worker starts."""
        loop = asyncio.get_running_loop()
        async with self._room:
            ticket = _Ticket(job, loop.create_future(), loop)
            self._at_work += 1
            try:
                if self._at_work > len(self._threads) < self.count:
                    started: asyncio.Future[None] = loop.create_future()
                    self._add_worker(started, loop)
                    if len(self._threads) == 1:
                        await started
                    else:  # the others serve on where this one fails
                        started.add_done_callback(lambda future: future.exception())
                self._jobs.put(ticket)
                result: _Result = await ticket.done
            finally:
                self._at_work -= 1
        return result

    async def close(self) -> None:
        """No worker runs; a job at work is finished first."""
        for _ in self._threads:
            self._jobs.put(None)
        threads, self._threads = self._threads, []
        for thread in threads:
            await asyncio.to_thread(thread.join)

    def _add_worker(self, started: asyncio.Future[None], loop: asyncio.AbstractEventLoop) -> None:
        name = f"wrac-worker-{len(self._threads)}"
        thread = threading.Thread(target=self._serve, args=(started, loop), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, started: asyncio.Future[None], loop: asyncio.AbstractEventLoop) -> None:
        """One thread: keeps one worker alive and brings it jobs until there are no more."""
        try:
            worker = _Worker(self._setup)
        except WracError as error:
            _tell(loop, started, None, error)
            return
        _tell(loop, started, None, None)
        while (ticket := self._jobs.get()) is not None:
            result: Any = None
            failure: Exception | None = None
            try:
                result = worker.do(ticket.job, self._limit(ticket.job))
            except WorkerLost as lost:
                failure = lost
                worker = self._replacement(worker)
            except Exception as error:  # noqa: BLE001 (raised by the task: it belongs to whoever awaits the job)
                failure = error
            _tell(ticket.loop, ticket.done, result, failure)
        worker.stop()

    def _replacement(self, lost: _Worker) -> _Worker:
        lost.kill()
        for attempt in range(_START_ATTEMPTS):
            try:
                return _Worker(self._setup)
            except WracError:
                if attempt == _START_ATTEMPTS - 1:
                    return lost  # its pipe is closed: every further job is answered with WorkerLost at once
        raise AssertionError("unreachable")


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, setup: bytes) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own module, no input from outside)
                [sys.executable, "-P", "-m", "ingest.worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
                # Ctrl-C in the terminal is the crawler's to handle; workers stop when their pipe closes.
                start_new_session=True,
            )
        self._pipe = Connection(ours.detach())
        try:
            self._pipe.send_bytes(setup)
            if self._pipe.poll(START_SECONDS):
                error = self._pipe.recv()
            else:
                error = WracError(f"a worker process did not start within {START_SECONDS:.0f} s")
        except (OSError, EOFError):
            error = WracError(f"a worker process could not start: {self._cause()}; its message stands above")
        if error is not None:
            self.kill()
            raise error

    def do(self, job: object, limit: float) -> Any:
        """The task's result. Raises what the task raised, or ``WorkerLost``."""
        try:
            self._pipe.send((limit, job))
            if not self._pipe.poll(limit):
                raise WorkerLost(f"no result within {limit:g} s")
            succeeded, value = self._pipe.recv()
        except (OSError, EOFError) as error:
            raise WorkerLost(f"the worker process {self._cause()}") from error
        if not succeeded:
            raise value
        return value

    def stop(self) -> None:
        """The process has ended by itself, or was killed."""
        self._pipe.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """The process is gone."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()

    def _cause(self) -> str:
        try:
            code = self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return "stopped answering"
        if code == -signal.SIGKILL:
            return "was killed (SIGKILL), most likely for want of memory"
        if code == -signal.SIGALRM:
            return "took too long"
        return f"died by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    def settle() -> None:
        if future.done():  # whoever waited was cancelled
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has ended: nobody waits any more
        return
