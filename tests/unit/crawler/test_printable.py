"""What strangers write cannot forge a line of the log, nor speak to the terminal."""

from __future__ import annotations

import io
import logging

from crawler.printable import PrintableFilter

FORGED = "x\r\nERROR: forged\n\x1b[2J\u202egpj"


def logged(message: str, *args: object, error: Exception | None = None) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    handler.addFilter(PrintableFilter())
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("x", logging.WARNING, __file__, 1, message, args, info)
    handler.handle(record)
    handler.handle(record)
    first, _, second = stream.getvalue().partition("WARNING: ")[2].partition("WARNING: ")
    assert first == second, "the second handler shows what the first one does"
    return f"WARNING: {first}"


def test_one_message_is_one_line() -> None:
    assert logged("Cannot read %s now", FORGED) == "WARNING: Cannot read x ERROR: forged [2J gpj now\n"
    assert logged("a\tb\nc") == "WARNING: a b c\n"


def test_an_exception_s_text_stands_below_its_record() -> None:
    shown = logged("Fault", error=ValueError(FORGED))
    assert "ValueError: x" in shown
    head, *rest = shown.rstrip("\n").split("\n")
    assert head == "WARNING: Fault"
    assert "  ERROR: forged" in rest
    assert all(line.startswith("  ") for line in rest)
    assert not set(shown) & set("\r\x1b\u202e")
