"""A comparison as tables to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.bills import PRICED_MODELS, Bill, change
from evaluation.contrasts import contrasts
from evaluation.intervals import DRAWS, LEAST_DOCUMENTS
from evaluation.measures import MEASURES, PRIMARY
from evaluation.papers import PAPER_FIGURES, beside
from evaluation.rows import AGENTIC, OURS_BY_MODEL, OURS_REPLAYED, WRAC
from evaluation.tables import aligned
from llm.prices import price_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.comparison import Comparison
    from evaluation.contrasts import Contrast
    from evaluation.intervals import Interval
    from evaluation.rows import Row
    from evaluation.scores import MethodScores

SEARCHERS = {
    "bm25": "BM25 over stems",
    "minilm": "MiniLM, one vector a chunk",
    "hybrid": "our own search, as `wrac search` asks a collection",
}
"""What ranks the chunks, in words."""

JUDGED = """\
{judged} queries judged, {skipped} left out (their documents say too little of their facts). {primary}, the share of a
question's facts inside the first 1,000 wordpieces, is the figure to compare: R@k, P@k, MRR and nDCG reward bigger
chunks. Copies count once."""

RESAMPLED = """\
Intervals (95 %) are of a paired bootstrap: as many documents as there are, drawn with replacement {draws:,} times, each
with all questions whose first fact stands in it, for both rows at once. Chunks, judge and organisations are held fixed:
nothing is said of other organisations. * marks an interval without 0; below {least} documents none is given."""

NOT_MEASURED = """\
What this cannot say: how good a plan some model would make, and how long it would take. Replayed calls are real but
for the model: prompt, questions and checks are ours, the answers are the cuts of the published plans in our wire format
(they cut more finely than our window asks for, so replies are rather too long). Their tokens are o200k counts without
what a server adds; their seconds are ours alone, without any model. The published seconds and tokens are as billed."""


def tables(result: Comparison, against: Row, *, times: bool = False) -> str:
    """Everything as plain text; the same for the same inputs, but for our own seconds (``times``)."""
    parts = [
        *(f"{name} could not be read: {reason}" for name, reason in result.unread.items()),
        judged_text(result),
        *(_search_tables(searcher, scores, against.name) for searcher, scores in result.scores.items()),
        resampled_text(),
        _heading("Chunks, and what they say of their documents") + chunks_table(result),
        faults_text(result),
        bills_table(result, times=times),
        papers_table(result),
        NOT_MEASURED,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def judged_text(result: Comparison) -> str:
    """What was judged, and which figure is to be compared."""
    return JUDGED.format(judged=result.queries, skipped=result.skipped, primary=PRIMARY)


def resampled_text() -> str:
    """What an interval is of."""
    return RESAMPLED.format(draws=DRAWS, least=LEAST_DOCUMENTS)


def _search_tables(searcher: str, scores: Mapping[str, MethodScores], against: str) -> str:
    if not scores:
        return ""
    contrasted = contrasts(scores, against)
    parts = [
        _heading(f"Ranked by {searcher}: {SEARCHERS.get(searcher, searcher)}")
        + retrieval_table(scores, contrasted, against),
        groups_table(scores),
    ]
    if contrasted:
        parts += [kinds_table(contrasted, against), kinds_better(contrasted, against)]
    return "\n\n".join(parts)


def retrieval_table(scores: Mapping[str, MethodScores], contrasted: Mapping[str, Contrast], against: str) -> str:
    """All measures by row, and the interval of the primary one against one row."""
    header = ["row", "n", *MEASURES, f"{PRIMARY} minus {against}"]
    rows = []
    for row, found in scores.items():
        interval = _interval(contrasted[row].overall[PRIMARY]) if row in contrasted else ""
        rows.append([row, str(len(found.queries)), *(f"{found.mean(measure):.3f}" for measure in MEASURES), interval])
    return aligned(header, rows)


def groups_table(scores: Mapping[str, MethodScores]) -> str:
    """The primary measure by organisation and by type of question."""
    organisations = dict.fromkeys(name for found in scores.values() for name in found.organisations)
    kinds = dict.fromkeys(kind for found in scores.values() for kind in found.kinds)
    largest = max(scores.values(), key=lambda found: len(found.queries))
    header = [
        f"{PRIMARY} by group",
        *(f"{name} ({len(largest.of(organisation=name).queries)})" for name in organisations),
        *(f"{kind} ({len(largest.of(kind=kind).queries)})" for kind in kinds),
    ]
    rows = [
        [
            row,
            *(_mean(found.of(organisation=name)) for name in organisations),
            *(_mean(found.of(kind=kind)) for kind in kinds),
        ]
        for row, found in scores.items()
    ]
    return aligned(header, rows)


def kinds_table(contrasted: Mapping[str, Contrast], against: str) -> str:
    """The interval of each row against one, by type of question."""
    kinds = list(dict.fromkeys(kind for found in contrasted.values() for kind in found.by_kind))
    rows = [
        [row, *(_interval(found.by_kind[kind][PRIMARY]) if kind in found.by_kind else "" for kind in kinds)]
        for row, found in contrasted.items()
    ]
    return aligned([f"minus {against}", *kinds], rows)


def kinds_better(contrasted: Mapping[str, Contrast], against: str) -> str:
    """Where some row is better than ``against`` on some type of question, beyond chance."""
    found = [f"{row} ({', '.join(one.kinds_better)})" for row, one in contrasted.items() if one.kinds_better]
    return f"Better than {against} on a type of question, interval wholly above 0: {'; '.join(found) or 'no row'}."


def chunks_table(result: Comparison) -> str:
    """Sizes and coverage of the chunks, and how much of the documents they keep and add."""
    return aligned(*sizes_of(result))


def sizes_of(result: Comparison) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of ``chunks_table``."""
    header = ["row", "chunks", "copies", "mean tokens", "median", "p95", "coverage", "documents without chunk"]
    header += ["words kept", "words invented", "documents without a reply"]
    known = {row: scores for found in result.scores.values() for row, scores in found.items()}
    rows = []
    for row, produced in result.produced.items():
        sizes = [""] * 7
        if (scores := known.get(row)) is not None:
            copies = sum(figures.copies for figures in scores.figures)
            missing = sum(figures.documents_missing for figures in scores.figures)
            tokens = [f"{value:.0f}" for value in (scores.mean_tokens, scores.size(50), scores.size(95))]
            sizes = [f"{scores.chunks:,}", str(copies), *tokens, f"{scores.coverage:.1%}", str(missing)]
        kept = result.fidelity(row)
        faults = sum(len(made.faults) for made in produced.values())
        rows.append([row, *sizes, f"{kept.kept_share:.2%}", f"{kept.invented_share:.3%}", str(faults)])
    return header, rows


def faults_text(result: Comparison) -> str:
    """What was wrong with the published plans; empty where there are none."""
    if not result.documents_planned:
        return ""
    found = [f"{rule} {count.units} in {count.documents} documents" for rule, count in result.faults.items()]
    return (
        f"Published W-RAC plans on our units ({result.documents_planned} documents): {'; '.join(found) or 'no fault'}. "
        f"Content units lost after repair: {result.lost}"
    )


def bills_table(result: Comparison, *, times: bool = False) -> str:
    """Calls, tokens, money and time of the methods that ask a model, by organisation and together."""
    header = ["organisation", "row", "calls", "saved", "input", "output", "input vs agentic", "output vs agentic"]
    header += [*(f"$ {model}" for model in PRICED_MODELS), "seconds"]
    rows = []
    for organisation, bills in bills_of(result).items():
        agentic = bills.get(AGENTIC)
        for row, bill in bills.items():
            usage, compared = bill.usage, ["", ""]
            if agentic is not None and row != AGENTIC:
                compared = [
                    f"{change(usage.input_tokens, agentic.usage.input_tokens):+.1%}",
                    f"{change(usage.output_tokens, agentic.usage.output_tokens):+.1%}",
                ]
            numbers = [f"{n:,}" for n in (usage.calls, bill.saved, usage.input_tokens, usage.output_tokens)]
            money = [f"{bill.money(model):.3f}" for model in PRICED_MODELS]
            seconds = f"{bill.seconds:.1f}" if shows_seconds(row, times=times) else ""
            rows.append([organisation, row, *numbers, *compared, *money, seconds])
    if not rows:
        return ""
    dates = {price.as_of for model in PRICED_MODELS if (price := price_of(model))}
    note = (
        f"List prices of {', '.join(sorted(dates))}, no discount for cached input. Rows that are not here ask no model."
    )
    return f"{_heading('Tokens, money, time')}{aligned(header, rows, left=2)}\n{note}"


def papers_table(result: Comparison) -> str:
    """The papers' own figures beside those of this run."""
    bills = bills_of(result).get("all", {})
    shown = [WRAC, OURS_REPLAYED, *([OURS_BY_MODEL] if OURS_BY_MODEL in bills else [])]
    rows = []
    for figure in PAPER_FIGURES:
        here = beside(figure, bills)
        changes = [f"{here[row]:+.1%}" if row in here else "-" for row in shown]
        rows.append([figure.paper, figure.what, f"{figure.said:+.1%}", *changes])
    header = ["paper", "against agentic chunking", "the paper says", *shown]
    note = (
        "The papers' retrieval figures come of another embedder, a model as judge and copies in the index: they\n"
        "cannot be compared. D-RAC's are of transcribed pages, which this command does not ask for."
    )
    return f"{_heading('The papers beside this run')}{aligned(header, rows, left=2)}\n{note}"


def bills_of(result: Comparison) -> dict[str, dict[str, Bill]]:
    """By organisation and row, ``all`` last; empty where no row asked a model."""
    by_organisation: dict[str, dict[str, Bill]] = {}
    total: dict[str, Bill] = {}
    for row in dict.fromkeys((OURS_BY_MODEL, OURS_REPLAYED, *result.produced)):
        for organisation, made in result.produced.get(row, {}).items():
            if made.bill is not None:
                by_organisation.setdefault(organisation, {})[row] = made.bill
                total[row] = total.get(row, Bill()) + made.bill
    return {**by_organisation, "all": total} if total else {}


def shows_seconds(row: str, *, times: bool) -> bool:
    """Seconds as billed are part of what was published; our own are another each time."""
    return times or row in (AGENTIC, WRAC)


def _heading(text: str) -> str:
    return f"{text}\n{'-' * len(text)}\n"


def _mean(scores: MethodScores) -> str:
    return f"{scores.mean(PRIMARY):.3f}" if scores.queries else ""


def _interval(found: Interval) -> str:
    if not found.is_known:
        return f"{found.difference:+.3f} (few documents)  "
    mark = "*" if found.is_above or found.is_below else " "
    return f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]{mark}"
