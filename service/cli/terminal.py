"""Text of hostile pages on a terminal, and JSON lines that every reader splits alike."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# C0 and C1 controls but tab and newline (ECMA-48: they start escape sequences), the bidirectional overrides that
# reorder what is read (Unicode TR9, TR36), and the invisible tag characters.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_ESCAPE_SEQUENCES = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")
# Line ends to some readers (str.splitlines among them), though not to JSON Lines.
_OTHER_LINE_ENDS = str.maketrans({"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def plain(text: str) -> str:
    """``text`` without anything that a terminal would obey or that hides itself; newlines and tabs stay."""
    text = _CONTROLS.sub("", _ESCAPE_SEQUENCES.sub("", text.replace("\r\n", "\n")))
    # A lone surrogate cannot be encoded; it shows as an escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: str) -> str:
    """``plain`` text with all white space folded."""
    return " ".join(plain(text).split())


def json_line(record: Mapping[str, object]) -> bytes:
    """One line of JSON in UTF-8, ended by a newline, whatever the locale is."""
    try:
        encoded = json.dumps(record, ensure_ascii=False).translate(_OTHER_LINE_ENDS).encode("utf-8")
    except UnicodeEncodeError:
        encoded = json.dumps(record).encode("ascii")
    return encoded + b"\n"


def write_bytes(data: bytes) -> None:
    """Appends to standard output, past its text layer and its locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
