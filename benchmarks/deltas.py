"""What one edit of a page costs: chunks that change, texts to embed, planning calls.

    python -m benchmarks.deltas [--pages 40] [--edits 3] [--from-nothing] [--strict]

Real pages are cut into chunks, edited in one place, and cut again. ``--from-nothing`` plans the edited page as if it
had never been seen. The model cuts otherwise whenever its question reads otherwise, which is the worst that can happen
to a page whose chunks are to stay.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.edits import EDITS
from benchmarks.inputs import add_options, sample
from benchmarks.pipeline import html_document, markdown_source
from chunking import RulePlanner, WindowLimits, assemble, build_tree, keep_groups
from chunking.planners.llm import LLMPlanner
from chunking.planners.wire import reply_text
from llm.chat import Ending, Reply
from wrac.errors import PageError
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.edits import Edit
    from wrac.records import Chunk, ChunkPlan, UnitTree

LIMITS = WindowLimits()
PLANNERS = ("rule", "model")
GOALS = {"word changed": (2, 1), "paragraph rewritten": (2, 1)}
"""Texts to embed and planning calls that an edit may cost at most."""
_LINE = re.compile(r"(=?)u(\d+) (?:#+|\w+) (\d+)")


class FickleModel:
    """Fills each chunk up to a size that it draws anew for each question."""

    model = "fickle"

    def __init__(self) -> None:
        self.calls = 0

    def ask(self, messages: Sequence[Mapping[str, Any]], **_: object) -> Reply:
        """See ``chunking.planners.asking.Chat``."""
        self.calls += 1
        question = str(messages[1]["content"])
        draw = random.Random(question)
        beginnings, size, aim = [1], 0, draw.randint(100, 350)
        for match in map(_LINE.match, question.split("\n")):
            if match is None:
                continue
            if size >= aim and not match[1]:
                beginnings.append(int(match[2]))
                size, aim = 0, draw.randint(100, 350)
            size += int(match[3])
        return Reply(reply_text(beginnings), Ending.COMPLETE, Usage(calls=1))


class Replies(dict[str, str]):
    """Implements ``chunking.planners.asking.PlanCache``."""

    def put(self, key: str, reply: str) -> None:
        """The reply is kept."""
        self[key] = reply


@dataclass(slots=True)
class Cost:
    """What the edits of one kind came to, each list with one entry an edit."""

    points: list[int] = field(default_factory=list)
    """Chunks whose text did not stand in the page before: new points."""
    texts: list[int] = field(default_factory=list)
    """Texts to embed."""
    calls: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    """Chunks of the edited page."""


class Planning:
    """One planner over pages and their edits."""

    def __init__(self, planner: str, *, from_nothing: bool) -> None:
        self._model = FickleModel()
        self._planner: RulePlanner | LLMPlanner = RulePlanner(LIMITS)
        if planner == "model":
            self._planner = LLMPlanner(self._model, limits=LIMITS, cache=Replies())
        self._from_nothing = from_nothing

    def first(self, tree: UnitTree) -> ChunkPlan:
        """The plan of a page that was never seen."""
        return self._planner.plan(tree)

    def measure(self, before: UnitTree, plan: ChunkPlan, after: UnitTree, cost: Cost) -> ChunkPlan:
        """The plan of the edited page; what it took is added to ``cost``."""
        self._model.calls = 0
        kept = () if self._from_nothing else keep_groups(before, plan, after, LIMITS)
        again = self._planner.plan(after, kept=kept)
        old, new = assemble(before, plan), assemble(after, again)
        cost.points.append(_more(_digests(old), _digests(new)))
        cost.texts.append(len({chunk.embed_text for chunk in new} - {chunk.embed_text for chunk in old}))
        cost.calls.append(self._model.calls)
        cost.sizes.append(len(new))
        return again


def measure(trees: Sequence[UnitTree], edits: int, *, from_nothing: bool) -> dict[tuple[str, str], Cost]:
    """The costs by planner and kind of edit, ``edits`` of each kind a page, the same ones for every planner."""
    costs = {(planner, name): Cost() for planner in PLANNERS for name in EDITS}
    for planner in PLANNERS:
        planning = Planning(planner, from_nothing=from_nothing)
        for number, tree in enumerate(trees):
            plan = planning.first(tree)
            for name, edit in EDITS.items():
                for after in edited(tree, edit, edits, f"{number} {name}"):
                    planning.measure(tree, plan, after, costs[planner, name])
    return costs


def edited(tree: UnitTree, edit: Edit, edits: int, seed: str) -> Iterator[UnitTree]:
    """The tree after each of ``edits`` edits; fewer where the page has nothing to edit."""
    pick = random.Random(seed)
    for _ in range(edits):
        text = edit(tree, pick)
        if text is not None and text != tree.document.text:
            yield build_tree(markdown_source(text), LIMITS)


def _digests(chunks: Iterable[Chunk]) -> Counter[str]:
    return Counter(chunk.digest for chunk in chunks)


def _more(old: Counter[str], new: Counter[str]) -> int:
    return (new - old).total()


def show(costs: Mapping[tuple[str, str], Cost]) -> bool:
    """Prints the table; whether every goal is met."""
    print(f"{'':28}{'edits':>6}{'chunks':>8}  {'points (mean, p95, max)':>25}  {'texts':>18}  {'calls':>14}")
    met = True
    for (planner, name), cost in costs.items():
        if not cost.texts:
            continue
        texts, calls = GOALS.get(name, (None, None))
        missed = texts is not None and (max(cost.texts) > texts or max(cost.calls) > (calls or 0))
        met = met and not missed
        size = sum(cost.sizes) / len(cost.sizes)
        columns = "  ".join(_spread(values) for values in (cost.points, cost.texts, cost.calls))
        print(f"{planner:6}{name:22}{len(cost.texts):6}{size:8.1f}  {columns}{'  MISSED' if missed else ''}")
    return met


def _spread(values: Sequence[int]) -> str:
    ordered = sorted(values)
    return f"{sum(values) / len(values):8.2f}{ordered[int(0.95 * (len(ordered) - 1))]:5}{ordered[-1]:5}"


def read_trees(args: argparse.Namespace) -> tuple[str, list[UnitTree]]:
    """The pages, and what they are; those that the filters refuse are left out."""
    if args.folder:
        files = sorted(args.folder.rglob("*.html"), key=lambda path: path.stat().st_size)[-args.pages :]
        what, bodies = (
            f"the largest pages of {args.folder.name}",
            [(f"https://docs.example/{f.name}", f.read_bytes()) for f in files],
        )
    else:
        what, pages = sample(args.bench, args.corpus, args.pages)
        bodies = [(page.url, page.body) for page in pages]
    trees = []
    for url, body in bodies:
        try:
            # By way of Markdown, so that title and anchors of the page before are those of the edited page.
            trees.append(build_tree(markdown_source(html_document(url, body).text), LIMITS))
        except PageError:
            continue
    return what, trees


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--folder", type=Path, help="the largest pages of this folder instead")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--edits", type=int, default=3, help="of each kind a page")
    parser.add_argument("--from-nothing", action="store_true", help="keep nothing of the plan before")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    what, trees = read_trees(args)
    print(f"{len(trees)} pages: {what}")
    met = show(measure(trees, args.edits, from_nothing=args.from_nothing))
    return int(args.strict and not met)


if __name__ == "__main__":
    sys.exit(main())
