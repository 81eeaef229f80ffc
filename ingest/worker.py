"""A worker process: ``python -m ingest.worker FD``, started by ``ingest.workers`` and by nobody else.

Reads the pickled task from the pipe, answers None when warm, then answers each (seconds, job) with (succeeded, value).
Ends when the pipe closes, which the kernel does even when the crawler is killed.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

_GRACE_SECONDS = 10
_OOM_SCORE = "500"
_COLLECT_AFTER = 100_000
"""Objects that may pile up before the collector looks for cycles; the largest pages make as many."""


def main(descriptor: int) -> None:
    """Serves jobs until the pipe closes."""
    pipe = Connection(descriptor)
    # When memory runs out the kernel is to take a worker, which costs one page, and not the crawler.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, encoding="ascii")
    task, sample = pickle.loads(pipe.recv_bytes())  # noqa: S301 (from our own parent)
    if sample is not None:
        task(sample)
    relax_collector()
    pipe.send(None)
    while True:
        limit, job = pipe.recv()
        # The crawler kills a worker that hangs. Should the crawler itself be dead, the alarm's default action does.
        signal.alarm(int(limit) + _GRACE_SECONDS)
        try:
            answer = True, task(job)
        except Exception as error:  # noqa: BLE001 (handed to whoever awaits the job)
            answer = False, error
        signal.alarm(0)
        pipe.send(answer)


def relax_collector() -> None:
    """Cycles are looked for seldom, and never in what is loaded by now.

    A page makes thousands of objects and next to no cycle: looking for some took a seventh of the time of all stages.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


if __name__ == "__main__":
    with suppress(EOFError, OSError, KeyboardInterrupt):
        main(int(sys.argv[1]))
