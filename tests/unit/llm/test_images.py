"""Tokens of pictures by the published formulas; the examples are those of the vendors' guides, worked out by hand."""

from __future__ import annotations

import struct

import pytest

from llm.images import image_cost, png_size
from llm.parts import image_part, input_size, text_part
from wrac.errors import ConfigError
from wrac.tokens import count_tokens

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 1212, 1568) + b"\x08\x02\0\0\0"


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        # 1024 x 1024 -> 768 x 768 -> 4 tiles: 85 + 4 x 170
        ("gpt-4.1", (1024, 1024), 765),
        # 2048 x 4096 -> 1024 x 2048 -> 768 x 1536 -> 6 tiles: 85 + 6 x 170
        ("gpt-4o-2024-08-06", (2048, 4096), 1105),
        ("unknown/model", (512, 512), 255),
        # 32 x 32 patches of 1024 x 1024, times 1.62: 1,658.88
        ("gpt-4.1-mini", (1024, 1024), 1659),
        # 38 x 49 patches are above 1,536, times 2.46: 3,778.56
        ("gpt-4.1-nano", (1212, 1568), 3779),
        # 1000 x 1000 / 750
        ("anthropic/claude-sonnet-4-5", (1000, 1000), 1334),
        # 2 x 3 tiles of 768 pixels
        ("gemini-2.5-pro", (1212, 1568), 6 * 258),
    ],
)
def test_models_count_pictures_by_their_own_formula(model: str, size: tuple[int, int], tokens: int) -> None:
    assert image_cost(model).tokens(*size) == tokens


def test_the_settings_may_say_how_pictures_count() -> None:
    assert image_cost("gpt-4.1", "900").tokens(10, 10) == 900
    assert image_cost("gpt-4.1", "patches").tokens(64, 32) == 2
    with pytest.raises(ConfigError, match="transcriber_image_tokens = 'many'"):
        image_cost("gpt-4.1", "many")


def test_a_request_counts_words_and_pictures_but_no_base64() -> None:
    content = [text_part("What stands on this page?"), image_part(PNG)]
    size = input_size([{"role": "user", "content": content}], lambda width, height: width + height)

    assert size == count_tokens("What stands on this page?") + 1212 + 1568


def test_what_is_no_png_has_no_size() -> None:
    assert png_size(PNG) == (1212, 1568)
    with pytest.raises(ValueError, match="not a PNG"):
        png_size(b"GIF89a" + bytes(30))
