"""All rows on the organisations of a corpus: judged under every searcher, billed, compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from chunking import WindowLimits
from evaluation import methods, rows
from evaluation.baselines.fixed import fixed_chunks
from evaluation.baselines.headers import header_chunks
from evaluation.baselines.published import published_agentic, published_plans
from evaluation.baselines.recursive import recursive_chunks
from evaluation.documents import read_documents
from evaluation.fidelity import Fidelity
from evaluation.repaired import fault_counts, repaired
from evaluation.rows import Row
from evaluation.scores import Examination, joined
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from chunking.planners.llm import LLMPlanner
    from evaluation.baselines.published import PublishedChunks, PublishedPlan
    from evaluation.corpora.ragmc import Query, RagMultiCorpus
    from evaluation.documents import NamedDocument
    from evaluation.methods import Produced
    from evaluation.rankers import MakesRanker
    from evaluation.repaired import FaultCount, RepairedPlan
    from evaluation.scores import MethodScores
    from llm.budget import Budget
    from llm.guarded import Chat

    Makes = Callable[[Sequence[NamedDocument]], Produced]


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Setup:
    """What is compared, and with what."""

    organisations: Sequence[str]
    searchers: Mapping[str, MakesRanker]
    """What ranks the chunks of every row, by name."""
    clock: Callable[[], float]
    sources: Sequence[str] = ("md",)
    """Formats that the methods at hand read, at least one; what was published was made from Markdown."""
    limits: WindowLimits = field(default_factory=WindowLimits)
    planner: LLMPlanner | None = None
    """Asked for plans, beside the replayed ones."""
    writing_model: Chat | None = None
    """Asked for agentic chunks."""
    budget: Budget | None = None
    """Of the writing model."""
    only: Sequence[str] = ()
    """Rows are left out whose name holds none of these; none is left out where this is empty."""
    tell: Callable[[str], None] = _silent
    """Told what is being done, a line each."""


@dataclass(slots=True)
class Comparison:
    """What came out. Keys of mappings are names of rows, in the order in which they are reported."""

    rows: tuple[Row, ...] = ()
    scores: dict[str, dict[str, MethodScores]] = field(default_factory=dict)
    """By searcher and row."""
    produced: dict[str, dict[str, Produced]] = field(default_factory=dict)
    """By row and organisation."""
    faults: Mapping[str, FaultCount] = field(default_factory=dict)
    """Faults of the published W-RAC plans on our units."""
    documents_planned: int = 0
    """Published plans that were repaired."""
    lost: int = 0
    """Content units that the repaired plans lose."""
    queries: int = 0
    skipped: int = 0
    """Queries that cannot be judged: their documents say too little of any of their facts."""
    unread: dict[str, str] = field(default_factory=dict)
    """Why a document could not be read, by file name; it has no chunk in the rows that are made here."""

    def fidelity(self, row: str) -> Fidelity:
        """Over all organisations."""
        return sum((made.fidelity for made in self.produced[row].values()), Fidelity())


def rows_of(corpus: RagMultiCorpus, setup: Setup) -> tuple[Row, ...]:
    """The rows that ``compare`` will have, before anything is done.

    Raises ``ConfigError`` where an organisation has no document in one of the formats, or no row is left.
    """
    for name in setup.organisations:
        for source in setup.sources:
            if not corpus.files(name, source):
                raise ConfigError(f"--format {source}: {name} has no documents *.{source} in {corpus.root}/datasets")
    several = len(setup.sources) > 1
    here = [
        Row(f"{method} ({source})" if several else method, method, source)
        for source in setup.sources
        for method in _made_here(setup)
    ]
    there = {
        rows.AGENTIC: any(corpus.published(name, "agentic", "jsonl") for name in setup.organisations),
        **dict.fromkeys(
            (rows.OURS_REPLAYED, rows.WRAC, rows.WRAC_REPAIRED),
            any(corpus.published(name, "wrac", "json") for name in setup.organisations),
        ),
    }
    return rows.chosen([*here, *(Row(method, method, "md") for method in rows.PUBLISHED if there[method])], setup.only)


def compare(corpus: RagMultiCorpus, setup: Setup) -> Comparison:
    """Every row on every organisation that it is there for, under every searcher."""
    result = Comparison(rows=rows_of(corpus, setup))
    plans: list[RepairedPlan] = []
    parts: dict[str, dict[str, list[MethodScores]]] = {searcher: {} for searcher in setup.searchers}
    for name in setup.organisations:
        organisation = _organisation(corpus, name)
        examination = Examination(organisation.sources, organisation.queries)
        result.queries += len(organisation.queries) - examination.skipped
        result.skipped += examination.skipped
        plans += organisation.repaired
        for row, made in _produced(corpus, organisation, setup, result):
            result.produced.setdefault(row.name, {})[name] = made
            setup.tell(f"{name}: {row.name}, {len(made.chunks)} chunks")
            if made.chunks:
                for searcher, scores in examination.scores_under(made.chunks, setup.searchers).items():
                    parts[searcher].setdefault(row.name, []).append(scores)
    result.scores = {
        searcher: {row.name: joined(found[row.name]) for row in result.rows if row.name in found}
        for searcher, found in parts.items()
    }
    result.faults = fault_counts(plans)
    result.documents_planned = len(plans)
    result.lost = sum(plan.lost for plan in plans)
    return result


@dataclass(frozen=True, slots=True)
class _Organisation:
    """What the corpus holds of one organisation, whatever our methods read."""

    name: str
    sources: Mapping[str, str]
    """Markdown by file name."""
    queries: Sequence[Query]
    agentic: Sequence[PublishedChunks]
    plans: Sequence[PublishedPlan]
    repaired: Sequence[RepairedPlan]


def _organisation(corpus: RagMultiCorpus, name: str) -> _Organisation:
    files = corpus.files(name, "md")
    plans = published_plans(corpus, name)
    return _Organisation(
        name=name,
        sources={file.name: file.read_text(encoding="utf-8", errors="replace") for file in files},
        queries=corpus.queries(name),
        agentic=published_agentic(corpus, name),
        plans=plans,
        repaired=[repaired(plan) for plan in plans if plan.markdown.strip()],
    )


def _produced(
    corpus: RagMultiCorpus, organisation: _Organisation, setup: Setup, result: Comparison
) -> Iterator[tuple[Row, Produced]]:
    """The chunks of each row that this organisation has; documents that cannot be read are written down."""
    made_here, published = _made_here(setup), _published(organisation, setup)
    documents: dict[str, list[NamedDocument]] = {}
    for row in result.rows:
        if row.method in made_here:
            if row.source not in documents:
                documents[row.source], unread = read_documents(corpus.files(organisation.name, row.source))
                result.unread |= unread
            yield row, made_here[row.method](documents[row.source])
        elif row.method in published:
            yield row, published[row.method]()


def _made_here(setup: Setup) -> dict[str, Makes]:
    """The methods that read documents."""
    made: dict[str, Makes] = {rows.OURS_BY_RULE: partial(methods.by_rule, limits=setup.limits)}
    if setup.planner is not None:
        made[rows.OURS_BY_MODEL] = partial(methods.by_model, planner=setup.planner, clock=setup.clock)
    made[rows.FIXED] = partial(methods.by_splitter, split=fixed_chunks)
    made[rows.RECURSIVE] = partial(methods.by_splitter, split=recursive_chunks)
    made[rows.HEADERS] = partial(methods.by_splitter, split=header_chunks)
    if setup.writing_model is not None:
        made[rows.AGENTIC_BY_MODEL] = partial(
            methods.by_writing, client=setup.writing_model, clock=setup.clock, budget=setup.budget
        )
    return made


def _published(organisation: _Organisation, setup: Setup) -> dict[str, Callable[[], Produced]]:
    """The methods that rest on what was published of the organisation."""
    made: dict[str, Callable[[], Produced]] = {}
    if organisation.agentic:
        made[rows.AGENTIC] = partial(methods.as_published, organisation.agentic, organisation.sources)
    if organisation.plans:
        made[rows.OURS_REPLAYED] = partial(methods.by_replay, organisation.repaired, setup.limits, setup.clock)
        made[rows.WRAC] = partial(methods.as_published, organisation.plans, organisation.sources)
        made[rows.WRAC_REPAIRED] = partial(methods.as_repaired, organisation.repaired)
    return made
