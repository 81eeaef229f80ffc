"""The ways to make chunks that are compared, each on one organisation's documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking import RulePlanner, WindowLimits, assemble, build_tree
from chunking.planners.llm import LLMPlanner
from evaluation.baselines.agentic import agentic_chunks
from evaluation.bills import Bill
from evaluation.corpora.ragmc import file_key
from evaluation.fidelity import Fidelity, fidelity
from evaluation.index import EvaluatedChunk
from evaluation.replay import ReplayChat, add_answers
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evaluation.baselines.published import PublishedChunks
    from evaluation.documents import NamedDocument
    from evaluation.repaired import RepairedPlan
    from llm.budget import Budget
    from llm.guarded import Chat
    from wrac.records import Chunk, UnitTree


@dataclass(slots=True)
class Produced:
    """What a method made of one organisation's documents."""

    chunks: list[EvaluatedChunk] = field(default_factory=list)
    bill: Bill | None = None
    """None for a method that asks no model."""
    fidelity: Fidelity = field(default_factory=Fidelity)
    faults: dict[str, str] = field(default_factory=dict)
    """Why a document has no chunks, by file name."""

    def add(self, filename: str, source: str, searched: Iterable[str], said: Iterable[str]) -> None:
        """Adds a document: the texts that are searched, and those that are kept of it."""
        self.chunks += [EvaluatedChunk(filename, text) for text in searched]
        self.fidelity += fidelity(source, said)


def by_rule(documents: Sequence[NamedDocument], limits: WindowLimits) -> Produced:
    """Ours, without a model."""
    planner, made = RulePlanner(limits), Produced()
    for named in documents:
        tree = build_tree(named.document, limits)
        _add_ours(made, named.filename, tree, assemble(tree, planner.plan(tree)))
    return made


def by_splitter(documents: Sequence[NamedDocument], split: Callable[[str], list[str]]) -> Produced:
    """A splitter of text that asks no model."""
    made = Produced()
    for named in documents:
        chunks = split(named.document.text)
        made.add(named.filename, named.document.text, chunks, chunks)
    return made


def by_replay(plans: Sequence[RepairedPlan], limits: WindowLimits, clock: Callable[[], float]) -> Produced:
    """Ours, the model's answers replayed from published plans; seconds are without any model."""
    answers: dict[str, str] = {}
    planner = LLMPlanner(ReplayChat(answers), limits=limits)
    for plan in plans:
        add_answers(answers, planner, plan)
    return _planned(((plan.filename, plan.tree) for plan in plans), planner, clock)


def by_model(documents: Sequence[NamedDocument], planner: LLMPlanner, clock: Callable[[], float]) -> Produced:
    """Ours, planned by a model; seconds are with its latency."""
    trees = [(named.filename, build_tree(named.document, planner.limits)) for named in documents]
    return _planned(trees, planner, clock)


def by_writing(
    documents: Sequence[NamedDocument], client: Chat, clock: Callable[[], float], budget: Budget | None = None
) -> Produced:
    """Agentic chunking by a model; seconds are with its latency."""
    made, usage, began = Produced(), Usage(), clock()
    for named in documents:
        title = named.document.title or named.filename.rpartition(".")[0]
        written = agentic_chunks(client, title, named.document.text, budget)
        usage += written.usage
        made.add(named.filename, named.document.text, written.chunks, written.chunks)
        if written.fault:
            made.faults[named.filename] = written.fault
    made.bill = Bill(len(documents), usage, seconds=clock() - began)
    return made


def as_published(published: Sequence[PublishedChunks], sources: Mapping[str, str]) -> Produced:
    """The chunks, usage and time that the papers' authors published; ``sources`` maps file names to Markdown.

    Fidelity is of the documents that the corpus has, under whatever spelling of their name.
    """
    made, bill = Produced(), Bill()
    texts = {file_key(name): text for name, text in sources.items()}
    for one in published:
        if (text := texts.get(file_key(one.filename))) is not None:
            made.add(one.filename, text, one.chunks, one.chunks)
        else:
            made.chunks += [EvaluatedChunk(one.filename, chunk) for chunk in one.chunks]
        bill += Bill(1, one.usage, seconds=one.seconds)
    made.bill = bill
    return made


def as_repaired(plans: Sequence[RepairedPlan]) -> Produced:
    """The published plans after repair."""
    made = Produced()
    for plan in plans:
        _add_ours(made, plan.filename, plan.tree, plan.chunks())
    return made


def _planned(trees: Iterable[tuple[str, UnitTree]], planner: LLMPlanner, clock: Callable[[], float]) -> Produced:
    made, usage, seconds, count = Produced(), Usage(), 0.0, 0
    saved = planner.figures.calls_saved
    for filename, tree in trees:
        began = clock()
        plan = planner.plan(tree)
        seconds += clock() - began
        count += 1
        usage += plan.usage
        _add_ours(made, filename, tree, assemble(tree, plan))
    made.bill = Bill(count, usage, planner.figures.calls_saved - saved, seconds)
    return made


def _add_ours(made: Produced, filename: str, tree: UnitTree, chunks: Sequence[Chunk]) -> None:
    made.add(filename, tree.document.text, (c.embed_text for c in chunks), (c.text for c in chunks))
