"""What charts and diagrams say: their text stands in parts of their own (ECMA-376-1, 21.2 and 21.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.office.package import relation_id
from conversion.office.page import add

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree
    from lxml.html import HtmlElement

    from conversion.office.package import Package

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MOST_POINTS = 1_000


class GraphicTexts:
    """Reads charts as tables of their values, diagrams as lists of their texts."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part

    def write(self, drawing: etree._Element, block: Callable[[str], HtmlElement]) -> None:
        """Writes the charts and diagrams inside the drawing."""
        for chart in drawing.iter(_CHART + "chart"):
            if (root := self._related(chart, "id")) is not None:
                _write_chart(root, block)
        for diagram in drawing.iter(_DIAGRAM + "relIds"):
            if (root := self._related(diagram, "dm")) is not None and (texts := list(_diagram_texts(root))):
                element = block("ul")
                for text in texts:
                    add(element, "li", text)

    def _related(self, element: etree._Element, name: str) -> etree._Element | None:
        relation = self._package.relations(self._part).get(relation_id(element, name))
        return None if relation is None or relation.external else self._package.parse_leniently(relation.target)


def _diagram_texts(root: etree._Element) -> Iterator[str]:
    for point in root.iter(_DIAGRAM + "t"):
        paragraphs = ("".join(text.text or "" for text in p.iter(_DRAWING + "t")) for p in point.iter(_DRAWING + "p"))
        if text := " ".join(" ".join(paragraphs).split()):
            yield text


def _write_chart(root: etree._Element, block: Callable[[str], HtmlElement]) -> None:
    chart = root.find(_CHART + "chart")
    if chart is None:
        return
    title = chart.find(_CHART + "title")
    text = "" if title is None else " ".join("".join(t.text or "" for t in title.iter(_DRAWING + "t")).split())
    series = [_series(element) for element in chart.iter(_CHART + "ser")]
    series = [(name, values) for name, values in series if values]
    if text:
        add(block("p"), "strong", text)
    if not series:
        return
    keys = list(dict.fromkeys(key for _, values in series for key in values))[:_MOST_POINTS]
    table = block("table")
    head = add(add(table, "thead"), "tr")
    for name in ("", *(name for name, _ in series)):
        add(head, "th", name)
    body = add(table, "tbody")
    for key in keys:
        row = add(body, "tr")
        for cell in (key, *(values.get(key, "") for _, values in series)):
            add(row, "td", cell)


def _series(element: etree._Element) -> tuple[str, dict[str, str]]:
    """Name of the series and its values by category, as the file caches them."""
    names = _points(element.find(_CHART + "tx"))
    categories = _points(element.find(_CHART + "cat")) or _points(element.find(_CHART + "xVal"))
    values = _points(element.find(_CHART + "val")) or _points(element.find(_CHART + "yVal"))
    return " ".join(names.values()), {categories.get(i, str(i + 1)): value for i, value in values.items()}


def _points(element: etree._Element | None) -> dict[int, str]:
    if element is None:
        return {}
    points: dict[int, str] = {}
    for point in element.iter(_CHART + "pt"):
        value = point.find(_CHART + "v")
        index = point.get("idx", "")
        if value is not None and index.isdigit() and len(points) < _MOST_POINTS:
            points[int(index)] = (value.text or "").strip()
    return points
