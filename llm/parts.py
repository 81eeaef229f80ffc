"""Contents of chat messages: texts and pictures, and what they come to in tokens."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from llm.images import png_size
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_HEAD = 64
"""Characters of Base64 that hold the size of a PNG."""


def input_size(messages: Sequence[Mapping[str, Any]], image_tokens: Callable[[int, int], int] | None = None) -> int:
    """Our own count of a request, pictures by ``image_tokens``: for budgets, and for servers that send no bill.

    Pictures are PNGs in data URLs, as ``image_part`` writes them; without ``image_tokens`` they count as nothing.
    """
    tokens = 0
    for message in messages:
        content = message["content"]
        parts: Sequence[Mapping[str, Any]] = [text_part(content)] if isinstance(content, str) else content
        for part in parts:
            if part["type"] == "text":
                tokens += count_tokens(part["text"])
            elif image_tokens is not None:
                _, _, data = part["image_url"]["url"].partition(",")
                tokens += image_tokens(*png_size(base64.b64decode(data[:_HEAD])))
    return tokens


def text_part(text: str) -> dict[str, Any]:
    """Text beside pictures in the content of a message."""
    return {"type": "text", "text": text}


def image_part(png: bytes) -> dict[str, Any]:
    """A PNG in the content of a message, to be looked at in full detail."""
    url = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return {"type": "image_url", "image_url": {"url": url, "detail": "high"}}
