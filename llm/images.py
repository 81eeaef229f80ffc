"""What a picture costs in tokens, by the formulas that vendors publish for their model families.

Sources: the vision guides of OpenAI (tiles of 512 pixels; patches of 32 pixels with a factor per model), Anthropic
(pixels / 750) and Google (258 tokens a tile of 768 pixels), all for pictures sent at high detail.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass

from wrac.errors import ConfigError

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Tiles:
    """A fixed part and one for each square tile, once the picture is scaled to fit the bounds."""

    base: int
    tile: int
    side: int = 512
    longest: int = 2_048
    shortest: int = 768

    def tokens(self, width: int, height: int) -> int:
        """Tokens of one picture."""
        scale = min(1.0, self.longest / max(width, height))
        scale *= min(1.0, self.shortest / (min(width, height) * scale))
        across, down = (math.ceil(round(side * scale) / self.side) for side in (width, height))
        return self.base + self.tile * across * down


@dataclass(frozen=True, slots=True)
class Patches:
    """One token for each square patch, times a factor; larger pictures are scaled down to the most patches."""

    factor: float
    side: int = 32
    most: int = 1_536

    def tokens(self, width: int, height: int) -> int:
        """Tokens of one picture."""
        patches = math.ceil(width / self.side) * math.ceil(height / self.side)
        return math.ceil(min(patches, self.most) * self.factor)


@dataclass(frozen=True, slots=True)
class Area:
    """One token for so many pixels, once no side is longer than the bound."""

    pixels: int = 750
    longest: int = 1_568
    most: int = 1_600

    def tokens(self, width: int, height: int) -> int:
        """Tokens of one picture."""
        scale = min(1.0, self.longest / max(width, height))
        return min(self.most, math.ceil(width * height * scale * scale / self.pixels))


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same for every picture, as a server of one's own may count."""

    each: int

    def tokens(self, width: int, height: int) -> int:  # noqa: ARG002 - of the same kind as the others
        """Tokens of one picture."""
        return self.each


ImageCost = Tiles | Patches | Area | Fixed

_GOOGLE = Tiles(base=0, tile=258, side=768, longest=3_072, shortest=3_072)
FAMILIES: dict[str, ImageCost] = {
    "tiles": Tiles(85, 170),
    "patches": Patches(1.0),
    "area": Area(),
    "google": _GOOGLE,
}
"""Formulas by the name that the settings give them."""
_MODELS: tuple[tuple[str, ImageCost], ...] = (
    (r"gpt-4\.1-mini|gpt-5[.\d]*-mini", Patches(1.62)),
    (r"gpt-4\.1-nano|gpt-5[.\d]*-nano", Patches(2.46)),
    (r"o4-mini", Patches(1.72)),
    (r"gpt-4o-mini", Tiles(2_833, 5_667)),
    (r"gpt-5", Tiles(70, 140)),
    (r"o1|o3", Tiles(75, 150)),
    (r"claude", Area()),
    (r"gemini", _GOOGLE),
)
"""First match of the model's name, after what stands before its last slash."""


def image_cost(model: str, chosen: str = "auto") -> ImageCost:
    """How a model counts pictures: by its name, or as ``chosen``: a family of ``FAMILIES`` or a number.

    Models of unknown names count as the vendor's 512-pixel tiles. Raises ``ConfigError`` for an unknown choice.
    """
    if chosen.isdecimal():
        return Fixed(int(chosen))
    if chosen in FAMILIES:
        return FAMILIES[chosen]
    if chosen != "auto":
        names = ", ".join(FAMILIES)
        raise ConfigError(f"transcriber_image_tokens = {chosen!r}: give auto, {names}, or the tokens of one picture")
    name = model.rpartition("/")[2].lower()
    return next((cost for pattern, cost in _MODELS if re.match(pattern, name)), FAMILIES["tiles"])


def png_size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels (ISO/IEC 15948, 11.2.2). Raises ``ValueError`` where it is none."""
    if len(picture) < 24 or not picture.startswith(_PNG):
        raise ValueError("not a PNG")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height
