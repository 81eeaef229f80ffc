"""Text from strangers, made fit for a terminal and a log."""

from __future__ import annotations

import logging
import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")

_TRACEBACKS = logging.Formatter()


def printable(text: str) -> str:
    """The text on one line, without control and direction characters (terminal escapes, forged lines)."""
    return " ".join(_CONTROL.sub(" ", text).split())


class PrintableFilter(logging.Filter):
    """Keeps control characters of URLs, headers and server messages out of a log, and lines that they forge."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record passes, its message on one line, its traceback indented below."""
        record.msg, record.args = printable(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = record.exc_text or _TRACEBACKS.formatException(record.exc_info)
        # Formatters take the text that is there; what an exception says is as foreign as a message.
        record.exc_text = _indented(record.exc_text)
        record.stack_info = _indented(record.stack_info)
        return True


def _indented(text: str | None) -> str | None:
    """Lines that cannot be taken for records, which begin at the margin. Idempotent: each handler has its filter."""
    if not text:
        return text
    return "\n".join(f"  {_CONTROL.sub(' ', line.removeprefix('  '))}" for line in text.split("\n"))
