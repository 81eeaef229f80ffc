"""All methods on the organisations of a corpus: judged, billed, compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking import WindowLimits
from evaluation import methods
from evaluation.baselines.fixed import fixed_chunks
from evaluation.baselines.headers import header_chunks
from evaluation.baselines.published import published_agentic, published_plans
from evaluation.baselines.recursive import recursive_chunks
from evaluation.documents import read_documents
from evaluation.fidelity import Fidelity
from evaluation.repaired import fault_counts, repaired
from evaluation.scores import Examination, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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

OURS_BY_RULE = "ours, by rule"
OURS_REPLAYED = "ours, replayed cuts"
OURS_BY_MODEL = "ours, by model"
FIXED = "fixed size 256"
RECURSIVE = "recursive 512"
HEADERS = "headers + breadcrumb"
AGENTIC = "agentic, published"
AGENTIC_BY_MODEL = "agentic, by model"
WRAC = "W-RAC, published"
WRAC_REPAIRED = "W-RAC, repaired"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is compared, and with what."""

    organisations: Sequence[str]
    make_ranker: MakesRanker
    clock: Callable[[], float]
    source: str = "md"
    """Format that the methods at hand read; what was published was made from Markdown."""
    limits: WindowLimits = field(default_factory=WindowLimits)
    planner: LLMPlanner | None = None
    """Asked for plans, beside the replayed ones."""
    writing_model: Chat | None = None
    """Asked for agentic chunks."""
    budget: Budget | None = None
    """Of the writing model."""


@dataclass(slots=True)
class Comparison:
    """What came out. Keys are methods, in the order in which they are reported."""

    scores: dict[str, MethodScores] = field(default_factory=dict)
    produced: dict[str, dict[str, Produced]] = field(default_factory=dict)
    """By method and organisation."""
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

    def fidelity(self, method: str) -> Fidelity:
        """Over all organisations."""
        return sum((made.fidelity for made in self.produced[method].values()), Fidelity())


def compare(corpus: RagMultiCorpus, setup: Setup) -> Comparison:
    """Every method on every organisation that it is there for."""
    result = Comparison()
    plans: list[RepairedPlan] = []
    scores: dict[str, list[MethodScores]] = {}
    for name in setup.organisations:
        organisation = _organisation(corpus, name)
        examination = Examination(organisation.sources, organisation.queries)
        result.queries += len(organisation.queries) - examination.skipped
        result.skipped += examination.skipped
        plans += organisation.repaired
        documents, unread = read_documents(corpus.files(name, setup.source))
        result.unread |= unread
        for method, made in _produced(documents, organisation, setup).items():
            result.produced.setdefault(method, {})[name] = made
            if made.chunks:
                scores.setdefault(method, []).append(examination.scores(made.chunks, setup.make_ranker))
    result.scores = {method: joined(parts) for method, parts in scores.items()}
    result.faults = fault_counts(plans)
    result.documents_planned = len(plans)
    result.lost = sum(plan.lost for plan in plans)
    return result


@dataclass(frozen=True, slots=True)
class _Organisation:
    """What the corpus holds of one organisation, whatever our methods read."""

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
        sources={file.name: file.read_text(encoding="utf-8", errors="replace") for file in files},
        queries=corpus.queries(name),
        agentic=published_agentic(corpus, name),
        plans=plans,
        repaired=[repaired(plan) for plan in plans if plan.markdown.strip()],
    )


def _produced(documents: Sequence[NamedDocument], organisation: _Organisation, setup: Setup) -> dict[str, Produced]:
    made = {OURS_BY_RULE: methods.by_rule(documents, setup.limits)}
    if setup.planner is not None:
        made[OURS_BY_MODEL] = methods.by_model(documents, setup.planner, setup.clock)
    if organisation.plans:
        made[OURS_REPLAYED] = methods.by_replay(organisation.repaired, setup.limits, setup.clock)
    made[FIXED] = methods.by_splitter(documents, fixed_chunks)
    made[RECURSIVE] = methods.by_splitter(documents, recursive_chunks)
    made[HEADERS] = methods.by_splitter(documents, header_chunks)
    if setup.writing_model is not None:
        made[AGENTIC_BY_MODEL] = methods.by_writing(documents, setup.writing_model, setup.clock, setup.budget)
    if organisation.agentic:
        made[AGENTIC] = methods.as_published(organisation.agentic, organisation.sources)
    if organisation.plans:
        made[WRAC] = methods.as_published(organisation.plans, organisation.sources)
        made[WRAC_REPAIRED] = methods.as_repaired(organisation.repaired)
    return made
