"""A comparison as tables to read and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evaluation.bills import PRICED_MODELS, Bill, change
from evaluation.comparison import AGENTIC, OURS_BY_MODEL, OURS_BY_RULE, OURS_REPLAYED
from evaluation.intervals import paired_interval
from evaluation.measures import MEASURES, PRIMARY
from llm.prices import price_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.comparison import Comparison
    from evaluation.scores import MethodScores

PAPERS = """\
The papers' own figures (other embedder, a model as judge, copies in the index: not comparable with the table above):
  W-RAC (arXiv 2604.04936) against agentic chunking: output tokens -84.6 %, input +50 %, cost -51.7 %, time about -60 %
  D-RAC (arXiv 2609.24220) against agentic: output -95.7 %, cost -77.8 % (GPT-4.1) and -85.6 % (Gemini 2.5 Pro), \
time -75 %"""

NOT_MEASURED = """\
What this cannot say: how good a plan some model would make, and how long it would take. Replayed calls are real but
for the model: prompt, questions and checks are ours, the answers are the cuts of the published plans in our wire format
(they cut more finely than our window asks for, so replies are rather too long). Their tokens are o200k counts without
what a server adds; their seconds are ours alone, without any model. The published seconds and tokens are as billed."""


def tables(result: Comparison) -> str:
    """Everything as plain text."""
    parts = [
        *(f"{name} could not be read: {reason}" for name, reason in result.unread.items()),
        f"{result.queries} queries judged, {result.skipped} left out (their documents say too little of their facts)",
        retrieval_table(result),
        faults_text(result),
        bills_table(result),
        fidelity_table(result),
        PAPERS,
        NOT_MEASURED,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def retrieval_table(result: Comparison) -> str:
    """Measures by method, and the paired interval of ours by rule against each."""
    header = ["method", "n", *MEASURES, "chunks", "tokens", "coverage", f"{OURS_BY_RULE} better by ({PRIMARY})"]
    ours = result.scores[OURS_BY_RULE]
    rows = []
    for method, scores in result.scores.items():
        interval = "" if method == OURS_BY_RULE else _interval(ours, scores)
        values = [f"{scores.mean(measure):.3f}" for measure in MEASURES]
        sizes = [str(scores.chunks), f"{scores.mean_tokens:.0f}", f"{scores.coverage:.1%}"]
        rows.append([method, str(len(scores.queries)), *values, *sizes, interval])
    return aligned(header, rows)


def faults_text(result: Comparison) -> str:
    """What was wrong with the published plans; empty where there are none."""
    if not result.documents_planned:
        return ""
    found = [f"{rule} {count.units} in {count.documents} documents" for rule, count in result.faults.items()]
    return (
        f"Published W-RAC plans on our units ({result.documents_planned} documents): {'; '.join(found) or 'no fault'}. "
        f"Content units lost after repair: {result.lost}"
    )


def bills_table(result: Comparison) -> str:
    """Calls, tokens, money and time of the methods that ask a model, by organisation and together."""
    header = ["organisation", "method", "calls", "saved", "input", "output", "input vs agentic", "output vs agentic"]
    header += [*(f"$ {model}" for model in PRICED_MODELS), "seconds"]
    rows = []
    for organisation, bills in _bills(result).items():
        agentic = bills.get(AGENTIC)
        for method, bill in bills.items():
            usage, compared = bill.usage, ["", ""]
            if agentic is not None and method != AGENTIC:
                compared = [
                    f"{change(usage.input_tokens, agentic.usage.input_tokens):+.1%}",
                    f"{change(usage.output_tokens, agentic.usage.output_tokens):+.1%}",
                ]
            numbers = [f"{n:,}" for n in (usage.calls, bill.saved, usage.input_tokens, usage.output_tokens)]
            money = [f"{bill.money(model):.3f}" for model in PRICED_MODELS]
            rows.append([organisation, method, *numbers, *compared, *money, f"{bill.seconds:.1f}"])
    if not rows:
        return ""
    dates = {price.as_of for model in PRICED_MODELS if (price := price_of(model))}
    note = f"List prices of {', '.join(sorted(dates))}, no discount for cached input."
    return f"{aligned(header, rows, left=2)}\n{note}"


def fidelity_table(result: Comparison) -> str:
    """How much of the documents the chunks keep, and what they add."""
    rows = []
    for method in result.produced:
        found = result.fidelity(method)
        faults = sum(len(made.faults) for made in result.produced[method].values())
        rows.append([method, f"{found.kept_share:.2%}", f"{found.invented_share:.3%}", str(faults)])
    return aligned(["method", "words kept", "words invented", "documents without a reply"], rows)


def as_record(result: Comparison, *, times: bool = True) -> dict[str, Any]:
    """Everything as JSON can hold it; the same for the same inputs, ``seconds`` of our own apart."""
    return {
        "queries": result.queries,
        "skipped": result.skipped,
        "unread": result.unread,
        "methods": {method: _method_record(result, method) for method in result.scores},
        "published_plan_faults": {r: {"units": c.units, "documents": c.documents} for r, c in result.faults.items()},
        "published_plans": result.documents_planned,
        "units_lost_after_repair": result.lost,
        "bills": {
            organisation: {method: _bill_record(bill, times=times) for method, bill in bills.items()}
            for organisation, bills in _bills(result).items()
        },
    }


def aligned(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Columns of equal width, all but the first ``left`` to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _bills(result: Comparison) -> dict[str, dict[str, Bill]]:
    """By organisation and method, ``all`` last."""
    by_organisation: dict[str, dict[str, Bill]] = {}
    total: dict[str, Bill] = {}
    for method in (OURS_BY_MODEL, OURS_REPLAYED, *result.produced):
        for organisation, made in result.produced.get(method, {}).items():
            if made.bill is not None and method not in by_organisation.get(organisation, {}):
                by_organisation.setdefault(organisation, {})[method] = made.bill
                total[method] = total.get(method, Bill()) + made.bill
    return {**by_organisation, "all": total} if total else {}


def _interval(ours: MethodScores, other: MethodScores) -> str:
    found = paired_interval(ours, other, PRIMARY)
    return f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _method_record(result: Comparison, method: str) -> dict[str, Any]:
    scores = result.scores[method]
    kinds = sorted({score.query.kind for score in scores.queries})
    organisations = dict.fromkeys(score.query.organisation for score in scores.queries)
    found = result.fidelity(method)
    interval = paired_interval(result.scores[OURS_BY_RULE], scores, PRIMARY)
    return {
        "queries": len(scores.queries),
        "overall": _means(scores),
        "by_organisation": {name: _means(scores.of(organisation=name)) for name in organisations},
        "by_query_type": {kind: _means(scores.of(kind=kind)) for kind in kinds},
        "chunks": scores.chunks,
        "copies": sum(figures.copies for figures in scores.figures),
        "mean_tokens": scores.mean_tokens,
        "coverage": scores.coverage,
        "ours_by_rule_better_by": _finite([interval.difference, interval.low, interval.high]),
        "words_kept": found.kept_share,
        "words_invented": found.invented_share,
        "documents_without_reply": {
            name: fault for made in result.produced[method].values() for name, fault in made.faults.items()
        },
        "per_query": [
            {"organisation": s.query.organisation, "type": s.query.kind, "query": s.query.text, **s.values}
            for s in scores.queries
        ],
    }


def _means(scores: MethodScores) -> dict[str, float]:
    return {name: scores.mean(name) for name in MEASURES}


def _bill_record(bill: Bill, *, times: bool) -> Mapping[str, Any]:
    record: dict[str, Any] = {
        "documents": bill.documents,
        "calls": bill.usage.calls,
        "documents_without_call": bill.saved,
        "input_tokens": bill.usage.input_tokens,
        "cached_tokens": bill.usage.cached_tokens,
        "output_tokens": bill.usage.output_tokens,
        "dollars": {model: float(bill.money(model)) for model in PRICED_MODELS},
    }
    return {**record, "seconds": bill.seconds} if times else record


def _finite(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
