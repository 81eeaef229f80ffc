"""Waiting for a server in a thread that no process waits for at its end."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


async def in_daemon_thread(function: Callable[[], _Result]) -> _Result:
    """The result of ``function``, called in a daemon thread of its own; raises what it raises.

    Threads of ``asyncio.to_thread`` and of executors are joined when the interpreter ends, for minutes where one waits
    for a server that does not answer. Cancelling the caller leaves the thread to itself.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Result] = loop.create_future()

    def settle(call: Callable[[Any], None], value: Any) -> None:
        if not future.done():  # whoever waited was cancelled
            call(value)

    def work() -> None:
        try:
            call, value = future.set_result, function()
        except BaseException as error:  # noqa: BLE001 (raised again in the caller)
            call, value = future.set_exception, error  # type: ignore[assignment]
        with suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(settle, call, value)

    threading.Thread(target=work, name="wrac-background", daemon=True).start()
    return await future
