"""What the papers say of their own tokens, money and time, beside the same figures of this run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.bills import Bill, change
from evaluation.rows import AGENTIC, OURS_BY_MODEL, OURS_REPLAYED, WRAC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A change against agentic chunking, as a share: -0.5 is half of it less."""

    paper: str
    what: str
    said: float
    of: Callable[[Bill], float] | None
    """What is compared of two bills; None for what this run cannot measure."""


W_RAC_PAPER, D_RAC_PAPER = "W-RAC (arXiv 2604.04936)", "D-RAC (arXiv 2609.24220)"
PAPER_FIGURES = (
    PaperFigure(W_RAC_PAPER, "output tokens", -0.846, lambda bill: bill.usage.output_tokens),
    PaperFigure(W_RAC_PAPER, "input tokens", 0.50, lambda bill: bill.usage.input_tokens),
    PaperFigure(W_RAC_PAPER, "cost, GPT-4.1", -0.517, lambda bill: float(bill.money("gpt-4.1"))),
    PaperFigure(W_RAC_PAPER, "time", -0.60, lambda bill: bill.seconds),
    PaperFigure(D_RAC_PAPER, "output tokens", -0.957, None),
    PaperFigure(D_RAC_PAPER, "cost, GPT-4.1", -0.778, None),
    PaperFigure(D_RAC_PAPER, "cost, Gemini 2.5 Pro", -0.856, None),
    PaperFigure(D_RAC_PAPER, "time", -0.75, None),
)
"""All of them against agentic chunking of the same documents; about -60 % in time is the paper's own rounding."""


def beside(figure: PaperFigure, bills: Mapping[str, Bill]) -> dict[str, float]:
    """The same change here, by row: of the published W-RAC calls and of ours. Times are those as billed only."""
    agentic = bills.get(AGENTIC)
    if agentic is None or figure.of is None:
        return {}
    rows = (WRAC,) if figure.what == "time" else (WRAC, OURS_REPLAYED, OURS_BY_MODEL)
    return {row: change(figure.of(bills[row]), figure.of(agentic)) for row in rows if row in bills}
