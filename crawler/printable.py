"""Text from strangers, made fit for a terminal and a log."""

from __future__ import annotations

import logging
import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


def printable(text: str) -> str:
    """The text on one line, without control and direction characters (terminal escapes, forged lines)."""
    return " ".join(_CONTROL.sub(" ", text).split())


class PrintableFilter(logging.Filter):
    """Keeps control characters of URLs, headers and server messages out of a log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes, its message made printable."""
        message = record.getMessage()
        if _CONTROL.search(message):
            record.msg, record.args = _CONTROL.sub(" ", message), ()
        return True
