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
from evaluation.repaired import fault_counts
from evaluation.scores import Examination, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from chunking.planners.llm import Chat, LLMPlanner
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.methods import Produced
    from evaluation.rankers import Ranker
    from evaluation.repaired import FaultCount, RepairedPlan
    from evaluation.scores import MethodScores
    from llm.budget import Budget

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
    make_ranker: Callable[[Sequence[str]], Ranker]
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

    def fidelity(self, method: str) -> Fidelity:
        """Over all organisations."""
        return sum((made.fidelity for made in self.produced[method].values()), Fidelity())


def compare(corpus: RagMultiCorpus, setup: Setup) -> Comparison:
    """Every method on every organisation that it is there for."""
    result = Comparison()
    repaired: list[RepairedPlan] = []
    scores: dict[str, list[MethodScores]] = {}
    for organisation in setup.organisations:
        sources = {
            file.name: file.read_text(encoding="utf-8", errors="replace") for file in corpus.files(organisation, "md")
        }
        queries = corpus.queries(organisation)
        examination = Examination(sources, queries)
        result.queries += len(queries) - examination.skipped
        result.skipped += examination.skipped
        plans = methods.repaired_plans(published_plans(corpus, organisation))
        repaired += plans
        for method, made in _produced(corpus, organisation, setup, sources, plans).items():
            result.produced.setdefault(method, {})[organisation] = made
            if made.chunks:
                scores.setdefault(method, []).append(examination.scores(made.chunks, setup.make_ranker))
    result.scores = {method: joined(parts) for method, parts in scores.items()}
    result.faults = fault_counts(repaired)
    result.documents_planned = len(repaired)
    result.lost = sum(plan.lost for plan in repaired)
    return result


def _produced(
    corpus: RagMultiCorpus,
    organisation: str,
    setup: Setup,
    sources: Mapping[str, str],
    plans: Sequence[RepairedPlan],
) -> dict[str, Produced]:
    documents = read_documents(corpus.files(organisation, setup.source))
    made = {OURS_BY_RULE: methods.by_rule(documents, setup.limits)}
    if setup.planner is not None:
        made[OURS_BY_MODEL] = methods.by_model(documents, setup.planner, setup.clock)
    if plans:
        made[OURS_REPLAYED] = methods.by_replay(plans, setup.limits, setup.clock)
    made[FIXED] = methods.by_splitter(documents, fixed_chunks)
    made[RECURSIVE] = methods.by_splitter(documents, recursive_chunks)
    made[HEADERS] = methods.by_splitter(documents, header_chunks)
    if setup.writing_model is not None:
        made[AGENTIC_BY_MODEL] = methods.by_writing(documents, setup.writing_model, setup.clock, setup.budget)
    if agentic := published_agentic(corpus, organisation):
        made[AGENTIC] = methods.as_published(agentic, sources)
    if plans:
        made[WRAC] = methods.as_published(published_plans(corpus, organisation), sources)
        made[WRAC_REPAIRED] = methods.as_repaired(plans)
    return made
