"""Models that answer planning calls by simple rules of their own, for the mock chat endpoint."""

from __future__ import annotations

import json
import re
from typing import Any

from mock_chat import Scripted

_LINE = re.compile(r"(=?)u(\d+) ")


def lines_of(asked: dict[str, Any]) -> list[str]:
    """The lines of the units of a planning call."""
    content = str(asked["messages"][1]["content"])
    return [line for line in content.split("\n") if _LINE.match(line)]


def every_section(asked: dict[str, Any]) -> Scripted:
    """Cuts wherever it may: one chunk for each line that is not tied to the one above."""
    starts = [int(match[2]) for line in lines_of(asked) if (match := _LINE.match(line)) and not match[1]]
    last = len(lines_of(asked))
    ends = [start - 1 for start in starts[1:]] + [last]
    ranges = [f"u{a}" if a == b else f"u{a}-u{b}" for a, b in zip(starts, ends, strict=True)]
    return Scripted(json.dumps({"c": ranges, "p": []}), cached=512)
