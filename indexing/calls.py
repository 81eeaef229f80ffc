"""How calls to Qdrant are made: one at a time where the store needs it, again where that helps, errors in our words."""

from __future__ import annotations

import sqlite3
import time
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, NoReturn, TypeVar

from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from wrac.errors import ConfigError, StoreError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

ATTEMPTS = 5
LONGEST_WAIT = 30.0
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class Calls:
    """Runs calls against one place. Every call of the store is idempotent, so that repeating one is safe."""

    def __init__(
        self, place: str, *, serial: bool, key_variable: str = "", sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.place = place
        """Folder or URL, for messages."""
        self._one_at_a_time: AbstractContextManager[object] = RLock() if serial else nullcontext()
        self._key_variable = key_variable
        self._sleep = sleep

    def run(self, call: Callable[[], T]) -> T:
        """The call's result. Raises ``TransientError``, ``ConfigError``, ``StoreError``."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._one_at_a_time:
                    return call()
            except (ResponseHandlingException, UnexpectedResponse, ResourceExhaustedResponse) as error:
                if attempt == ATTEMPTS or not _passes(error):
                    self._refused(error)
                self._sleep(_wait(error, attempt))
            except (sqlite3.Error, OSError) as error:
                raise StoreError(f"{self.place} cannot be written or read: {error}") from error
            except (ValueError, RuntimeError) as error:
                raise StoreError(f"{self.place}: {error}") from error
        raise AssertionError("unreachable")

    def _refused(self, error: Exception) -> NoReturn:
        if isinstance(error, UnexpectedResponse):
            if error.status_code in (401, 403):
                raise ConfigError(
                    f"{self.place} refused the key ({error.status_code}): check the variable {self._key_variable}"
                ) from None
            said = f"{self.place} answered {error.status_code}: {error.content[:300].decode('utf-8', 'replace')}"
            raise (TransientError if _passes(error) else StoreError)(said) from error
        if not _passes(error):
            raise StoreError(f"{self.place}: {getattr(error, 'source', error)}") from error
        source = getattr(error, "source", error)
        raise TransientError(
            f"{self.place} cannot be reached ({type(source).__name__}): check that the server runs, then run again"
        ) from None


def _passes(error: Exception) -> bool:
    """Whether the same call may succeed later; a closed client and an answer that is no Qdrant's never do."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _PASSING
    return not isinstance(getattr(error, "source", None), (ValueError, RuntimeError))


def _wait(error: Exception, attempt: int) -> float:
    """Seconds: what the server asks for, else 0.5, 1, 2 ..."""
    asked = error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else 0.5 * 2 ** (attempt - 1)
    return min(float(asked), LONGEST_WAIT)
