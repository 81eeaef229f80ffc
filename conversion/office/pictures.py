"""Alternative texts of pictures, as far as a person wrote them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"
# Names that programs give to pictures, and descriptions that they guess.
_NO_DESCRIPTION = re.compile(
    r"(?:picture|image|grafik|bild|imagen?|graphic|object|shape|chart|diagram|text ?box|rectangle|group|logo|icon)?"
    r"[\s_-]*\d*|.*\.(?:png|jpe?g|gif|e?mf|wmf|svg|tiff?|bmp|webp)|.*description automatically generated\W*"
    r"|.*automatisch generierte beschreibung\W*|.*ai-generated content may be incorrect\W*",
    re.IGNORECASE | re.DOTALL,
)


def described_text(text: str | None) -> str:
    """The text of a description on one line; empty where a program made it up."""
    folded = " ".join((text or "").split())
    return "" if _NO_DESCRIPTION.fullmatch(folded) else folded


def is_decorative(properties: etree._Element) -> bool:
    """Whether the author marked the picture as decoration."""
    return any(mark.get("val") in ("1", "true") for mark in properties.iter(_DECORATIVE))
