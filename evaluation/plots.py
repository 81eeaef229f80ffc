"""Plots of differences as inline SVG, for the pages of ``ingest.report.document``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ingest.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.intervals import Interval

_WIDTH, _ROW, _TOP = 420, 22, 16
_LEFT, _RIGHT = 130, 12
_LABEL = 27
"""Characters that fit on the left."""
_LEAST_SPAN = 0.05
"""Difference that the axis shows at least, so that noise does not look like news."""


def difference_plot(title: str, rows: Sequence[tuple[str, Interval]]) -> Html:
    """A dot and its 95 % interval for each row, on an axis round 0: what lies to the right is better."""
    ends = [abs(value) for _, interval in rows for value in _ends(interval)]
    span = max([_LEAST_SPAN, *ends])
    height = _TOP + _ROW * len(rows) + 18
    shapes: list[str] = [_line(_x(0, span), height - 16)]
    for mark in (-span, 0.0, span):
        anchor = "middle" if mark == 0 else "start" if mark < 0 else "end"
        shapes.append(
            element("text", f"{mark:+.2f}" if mark else "0", x=_at(_x(mark, span)), y=height - 4, text_anchor=anchor)
        )
    for number, (label, interval) in enumerate(rows):
        shapes.append(_row(label, interval, _TOP + _ROW * number, span))
    says = "; ".join(in_words(label, interval) for label, interval in rows)
    drawing = element("svg", *shapes, viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=f"{title}: {says}")
    return element("figure", element("figcaption", title), drawing)


def shortened(label: str, length: int) -> str:
    """At most ``length`` characters, so that it stays beside its shape; the whole is in the shape's title."""
    return label if len(label) <= length else f"{label[: length - 1]}…"


def in_words(label: str, interval: Interval) -> str:
    """``MRR: +0.100 [-0.050, +0.250]``; without ends where there are too few documents to tell."""
    ends = f" [{interval.low:+.3f}, {interval.high:+.3f}]" if interval.is_known else ""
    return f"{label}: {interval.difference:+.3f}{ends}"


def _row(label: str, interval: Interval, top: int, span: float) -> Html:
    middle = top + _ROW / 2
    style = "bad" if interval.is_below else "main" if interval.is_above else "calm"
    shapes: list[str] = [
        element("title", in_words(label, interval)),
        element("text", shortened(label, _LABEL), x=4, y=_at(middle + 3)),
    ]
    if interval.is_known:
        left, right = _x(interval.low, span), _x(interval.high, span)
        shapes.append(
            element("rect", x=_at(left), y=_at(middle - 1), width=_at(max(right - left, 1)), height=2, class_=style)
        )
    if math.isfinite(interval.difference):
        shapes.append(element("circle", cx=_at(_x(interval.difference, span)), cy=_at(middle), r=4, class_=style))
    return element("g", *shapes)


def _ends(interval: Interval) -> list[float]:
    ends = [interval.difference, *((interval.low, interval.high) if interval.is_known else ())]
    return [end for end in ends if math.isfinite(end)]


def _x(value: float, span: float) -> float:
    return _LEFT + (value / span + 1) / 2 * (_WIDTH - _LEFT - _RIGHT)


def _line(x: float, bottom: int) -> Html:
    return element("line", x1=_at(x), y1=_TOP, x2=_at(x), y2=bottom, class_="axis")


def _at(value: float) -> str:
    return f"{value:.1f}"
