"""Work that waits for a server, several at a time, in threads that no process waits for at its end."""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def abreast(function: Callable[[_Item], _Result], items: Sequence[_Item], count: int) -> list[_Result]:
    """``function`` of each item, in order, at most ``count`` at a time, in the caller's context.

    Raises what the first failing call raised.
    """
    if len(items) < 2:
        return [function(item) for item in items]
    waiting = iter(enumerate(items))
    lock = threading.Lock()
    results: dict[int, _Result] = {}
    failures: dict[int, BaseException] = {}

    def work() -> None:
        while not failures:
            with lock:
                index, item = next(waiting, (-1, None))
            if item is None:
                return
            try:
                results[index] = function(item)
            except BaseException as failure:  # noqa: BLE001 (raised again below, in the caller's thread)
                failures[index] = failure

    threads = [
        threading.Thread(target=copy_context().run, args=(work,), daemon=True) for _ in range(min(count, len(items)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[min(failures)]
    return [results[index] for index in range(len(items))]
