"""Drawings: their alternative texts, where a person wrote them, and the text boxes among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.office.docx.names import COMPATIBILITY, VML, WP, W
from conversion.office.pictures import described_text, is_decorative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_OFFICE = "{urn:schemas-microsoft-com:office:office}"


def alternative_text(drawing: etree._Element) -> str:
    """What the drawing is said to show; empty for decoration and for texts that no person wrote."""
    texts: list[str] = []
    for element in drawing.iter(WP + "docPr", _PICTURE + "cNvPr", VML + "shape", VML + "imagedata"):
        if is_decorative(element):
            return ""
        for text in (element.get("descr"), element.get("alt"), element.get("title"), element.get(_OFFICE + "title")):
            if (described := described_text(text)) and described not in texts:
                texts.append(described)
                break
    return "; ".join(texts)


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
