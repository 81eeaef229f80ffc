"""Evaluations and comparisons on a terminal."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.questions.answers import Verdict
from evaluation.questions.changes import Turn
from evaluation.questions.changes_page import explained
from evaluation.questions.page import share, summary
from service.cli.terminal import one_line

if TYPE_CHECKING:
    from evaluation.questions.answers import Answer, Evaluation
    from evaluation.questions.changes import Change, Comparison, Means

_SHOWN_HITS = 3
_SHOWN_CHANGES = 20
_STYLES = {Turn.LOST: "red", Turn.DOWN: "yellow", Turn.WON: "green", Turn.UP: "cyan"}


def show_evaluation(evaluation: Evaluation) -> None:
    """Measures by tag, then every question that failed with the reason, what was found instead, and what to do."""
    console = _console()
    table = _table(["", "questions", *evaluation.measures])
    for tag in ("", *evaluation.tags):
        means = [share(evaluation.mean(measure, tag)) for measure in evaluation.measures]
        table.add_row(Text(one_line(tag) or "all"), str(len(evaluation.tagged(tag))), *means)
    console.print(table)
    console.print(Text(summary(evaluation)))
    for answer in evaluation.failed:
        console.print()
        _show_failed(console, answer)


def _show_failed(console: Console, answer: Answer) -> None:
    head = Text(f"{answer.verdict.value}: ", style="yellow" if answer.verdict is Verdict.PARTLY else "red")
    head.append(one_line(answer.question.query), style="bold")
    head.append(f"  (line {answer.question.line})", style="dim")
    console.print(head, soft_wrap=True)
    for finding in answer.findings:
        _line(console, "expected", finding.expected)
        _line(console, "why", f"{finding.cause.value}: {finding.says}")
        _line(console, "next", finding.step)
    if answer.verdict is Verdict.LET_IN:
        _line(console, "why", f"its nearest hit is as near as those of answered questions ({answer.nearness:.3f})")
    for place, hit in enumerate(answer.hits[:_SHOWN_HITS], 1):
        _line(console, "found" if place == 1 else "", f"{place}. {hit.breadcrumb} ({hit.url})")
    if not answer.hits:
        _line(console, "found", "no hit")


def show_comparison(comparison: Comparison) -> None:
    """Both results by measure and tag with intervals, then the questions that turned."""
    console = _console()
    for which, result in (("first ", comparison.before), ("second", comparison.after)):
        console.print(Text(one_line(f"{which}  {result.name}  ({result.about})")), soft_wrap=True)
    table = _table(["", "questions", "first", "second", "difference", "95 % interval"])
    for found in comparison.measures:
        _add_means(table, found.measure, found)
    for tag, found in comparison.by_tag.items():
        _add_means(table, f"{found.measure}, {tag}", found)
    console.print(table)
    console.print(Text(", ".join(f"{len(comparison.of(turn))} {turn.value}" for turn in Turn)))
    for turn in _STYLES:
        for change in comparison.of(turn)[:_SHOWN_CHANGES]:
            _show_change(console, change)
        if (more := len(comparison.of(turn)) - _SHOWN_CHANGES) > 0:
            console.print(Text(f"  and {more} more {turn.value} (--html and --json have all)", style="dim"))
    console.print(Text(explained(comparison), style="dim"))


def _show_change(console: Console, change: Change) -> None:
    before, after = change.before, change.after
    line = Text(f"{change.turn.value:<11}", style=_STYLES[change.turn])
    line.append(one_line(after.query))
    if before.rank != after.rank:
        line.append(f"  place {before.rank or 'none'} -> {after.rank or 'none'}", style="dim")
    if change.difference:
        told = f"  {change.measure} {before.values[change.measure]:.3f} -> {after.values[change.measure]:.3f}"
        line.append(told, style="dim")
    console.print(line, soft_wrap=True)


def _add_means(table: Table, label: str, found: Means) -> None:
    interval = found.interval
    ends = f"[{interval.low:+.3f}, {interval.high:+.3f}]" if interval.is_known else "too few pages"
    values = (f"{found.before:.3f}", f"{found.after:.3f}", f"{interval.difference:+.3f}", ends)
    table.add_row(Text(one_line(label)), str(found.questions), *values)


def _console() -> Console:
    width = max(min(shutil.get_terminal_size((110, 24)).columns, 120), 60)
    return Console(width=width, highlight=False, markup=False, emoji=False)


def _table(heads: list[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", no_wrap=place > 0)
    return table


def _line(console: Console, name: str, text: str) -> None:
    if text:
        console.print(Text(f"  {name:<9} {one_line(text)}"), soft_wrap=True)
