"""What the engine raises, as something that can be caught."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def engine_errors() -> Iterator[None]:
    """A bare ``Exception``, and a panic, which is not even that, becomes a ``RuntimeError``."""
    try:
        yield
    except (ValueError, RuntimeError, OSError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise RuntimeError(str(error)) from error
