"""A multimodal model on loopback that reads pages by their numbers, truthfully or with a fault, and bills pictures.

The pages that a request shows are told by the labels before its pictures; their true text is given by the test.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import TYPE_CHECKING, Any

from mock_chat import MockChat, Scripted

from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LABEL = re.compile(r"\[\[page (\d+)\]\]")


def pages_of(asked: Mapping[str, Any]) -> list[int]:
    """The numbers of the pages that a request shows."""
    parts = asked["messages"][1]["content"]
    labels = [_LABEL.fullmatch(part["text"]) for part in parts if part["type"] == "text"]
    return [int(label[1]) for label in labels if label]


def complaint_of(asked: Mapping[str, Any]) -> str:
    """What a request says was wrong with the transcript before; empty for a first request."""
    last = asked["messages"][1]["content"][-1]
    return last["text"] if last["type"] == "text" else ""


def pictures_of(asked: Mapping[str, Any]) -> list[bytes]:
    """The PNGs that a request shows."""
    parts = asked["messages"][1]["content"]
    return [base64.b64decode(p["image_url"]["url"].partition(",")[2]) for p in parts if p["type"] == "image_url"]


def written(pages: Mapping[int, str]) -> str:
    """A well-formed reply."""
    return "\n".join([*(f"[[page {number}]]\n{text}\n" for number, text in pages.items()), "[[end]]"])


def true_reader(truth: Mapping[int, str]) -> Callable[[dict[str, Any]], Scripted]:
    """Answers every request with the true text of its pages."""
    return lambda asked: Scripted(written({number: truth[number] for number in pages_of(asked)}))


def faulty_reader(
    truth: Mapping[int, str], page: int, fault: Callable[[str], str], *, times: int = 1
) -> Callable[[dict[str, Any]], Scripted]:
    """As ``true_reader``, but for the first ``times`` requests that show one page, whose text a fault changes."""
    left = [times]

    def answer(asked: dict[str, Any]) -> Scripted:
        found = {number: truth[number] for number in pages_of(asked)}
        if page in found and left[0] > 0:
            left[0] -= 1
            found[page] = fault(found[page])
        return Scripted(written(found))

    return answer


class MockVision(MockChat):
    """The endpoint; it bills words by our tokenizer and pictures by the published formula of 512-pixel tiles."""

    def bill(self, asked: dict[str, Any]) -> int:
        """Prompt tokens of a request."""
        system, user = asked["messages"]
        words = count_tokens(system["content"]) + sum(
            count_tokens(part["text"]) for part in user["content"] if part["type"] == "text"
        )
        return words + sum(map(_tiles, pictures_of(asked)))


def _tiles(picture: bytes) -> int:
    """High detail: into 2,048 x 2,048, then the short side to 768, then 170 a tile of 512 and 85 more."""
    width, height = struct.unpack(">II", picture[16:24])
    longest = max(width, height)
    if longest > 2048:
        width, height = width * 2048 / longest, height * 2048 / longest
    if min(width, height) > 768:
        shrink = 768 / min(width, height)
        width, height = width * shrink, height * shrink
    return 85 + 170 * math.ceil(round(width) / 512) * math.ceil(round(height) / 512)
