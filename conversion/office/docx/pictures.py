"""Drawings: their alternative texts, where a person wrote them, and the text boxes among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.office.docx.names import COMPATIBILITY, VML, WP, W

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_OFFICE = "{urn:schemas-microsoft-com:office:office}"
# Names that programs give to pictures, and descriptions that they guess.
_NO_DESCRIPTION = re.compile(
    r"(?:picture|image|grafik|bild|imagen?|graphic|object|shape|chart|diagram|text ?box|rectangle|group|logo|icon)?"
    r"[\s_-]*\d*|.*\.(?:png|jpe?g|gif|e?mf|wmf|svg|tiff?|bmp|webp)|.*description automatically generated\W*"
    r"|.*automatisch generierte beschreibung\W*|.*ai-generated content may be incorrect\W*",
    re.IGNORECASE | re.DOTALL,
)
_DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"


def alternative_text(drawing: etree._Element) -> str:
    """What the drawing is said to show; empty for decoration and for texts that no person wrote."""
    texts: list[str] = []
    for element in drawing.iter(WP + "docPr", _PICTURE + "cNvPr", VML + "shape", VML + "imagedata"):
        if any(mark.get("val") in ("1", "true") for mark in element.iter(_DECORATIVE)):
            return ""
        for text in (element.get("descr"), element.get("alt"), element.get("title"), element.get(_OFFICE + "title")):
            if (described := described_text(text)) and described not in texts:
                texts.append(described)
                break
    return "; ".join(texts)


def described_text(text: str | None) -> str:
    """The text of a description on one line; empty where a program made it up."""
    folded = " ".join((text or "").split())
    return "" if _NO_DESCRIPTION.fullmatch(folded) else folded


def text_boxes(drawing: etree._Element) -> Iterator[etree._Element]:
    """Contents of its text boxes, outermost only, each once though older programs are offered a copy."""
    for child in drawing:
        if child.tag == W + "txbxContent":
            yield child
        elif child.tag == COMPATIBILITY + "AlternateContent":
            for branch in child:
                if boxes := list(text_boxes(branch)):
                    yield from boxes
                    break
        elif isinstance(child.tag, str):
            yield from text_boxes(child)
