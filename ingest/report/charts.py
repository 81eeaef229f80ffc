"""Small bar charts as inline SVG: no script; colours come from the page's style, in light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 300, 96
_TOP, _FLOOR, _LEFT = 12, 80, 4
_WIDEST_BAR = 26.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: parts from the floor up as (style class, value), and what is said when the pointer rests on it."""

    label: str
    parts: tuple[tuple[str, float], ...]
    says: str


def bar_chart(title: str, bars: Sequence[Bar], highest: str, key: Sequence[tuple[str, str]] = ()) -> Html:
    """A figure with one bar for each of ``bars``, left to right; ``highest`` is the tallest one's value in words."""
    top = max((sum(value for _, value in bar.parts) for bar in bars), default=0.0)
    step = (WIDTH - 2 * _LEFT) / max(len(bars), 1)
    width = min(step * 0.72, _WIDEST_BAR)
    shapes = [_bar(bar, _LEFT + number * step + (step - width) / 2, width, top) for number, bar in enumerate(bars)]
    labels = _labels(bars, step)
    floor = element("line", x1=0, y1=_FLOOR, x2=WIDTH, y2=_FLOOR, class_="axis")
    mark = element("text", f"highest: {highest}" if top else "none", x=_LEFT, y=8)
    drawing = element(
        "svg",
        mark,
        floor,
        *shapes,
        *labels,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{title}: " + "; ".join(bar.says for bar in bars),
    )
    return element("figure", element("figcaption", title), drawing, _key(key))


def _bar(bar: Bar, x: float, width: float, top: float) -> Html:
    shapes, y = [], float(_FLOOR)
    for style, value in bar.parts:
        height = (_FLOOR - _TOP) * value / top if top else 0.0
        if value > 0:
            height = max(height, 1.0)  # a small figure is seen beside a large one
            y -= height
            shapes.append(
                element("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=f"{height:.1f}", class_=style)
            )
    return element("g", element("title", bar.says), *shapes)


def _labels(bars: Sequence[Bar], step: float) -> list[Html]:
    """Under the first and the last bar, and between them where there is room."""
    every = max(1, round(28 / step))
    last = len(bars) - 1
    return [
        element("text", bar.label, x=f"{_LEFT + (number + 0.5) * step:.1f}", y=HEIGHT - 5, text_anchor="middle")
        for number, bar in enumerate(bars)
        if (number == last or (number % every == 0 and last - number >= every))
        and (number == 0 or bars[number - 1].label != bar.label)  # two runs of one day
    ]


def _key(key: Sequence[tuple[str, str]]) -> Html:
    parts: list[str] = []
    for style, label in key:
        parts += [element("i", class_=style), label]
    return element("div", *parts, class_="key") if parts else Html()
