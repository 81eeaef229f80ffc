"""A corpus in the layout of RAG-Multi-Corpus, small enough to judge by hand."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOANS = """\
# Loans

Loans of the lodge are granted to members of two years' standing.

## Fees

- **Processing fee:** 2% of the loan, at least ₹1,00,000
- *Late payment*: [call us](https://lodge.example/z) within 30 days

## Applying for a loan

To apply for a loan:

1. Visit a branch.
2. Sign the form in blue ink.
3. Keep the receipt with the seal.

## Interest

The interest is fixed for the first five years at 4.5 percent, then follows the harbour rate.
"""
CARDS = """\
# Cards

A gold card has no annual fee and a limit of 500 dollars.

## Lost cards

A lost card is blocked by a call to the night desk, at any hour and free of charge.
"""
FERRY = """\
# Ferry

## Timetable

| Pier | Departs | Price |
| --- | --- | --- |
| North | 08:15 | 12 crowns |
| South | 09:40 | 14 crowns |

## Animals

Dogs travel free on the upper deck; horses need a permit of the pier master.
"""
DOCUMENTS = {"ZX Bank": {"Loans.md": LOANS, "Cards.md": CARDS}, "CloudWay-24": {"Ferry.md": FERRY}}
QUERIES = [
    ("ZX Bank", "What does processing a loan cost?", "Descriptive",
     [("Loans.md", "Processing fee: 2% of the loan, at least ₹100,000")]),
    ("ZX Bank", "How do I apply for a loan?", "Procedural",
     [("Loans.md", "Applicants visit a branch, sign the form in blue ink and keep the receipt."),
      ("Loans.md", "The loan's interest is fixed for five years at 4.5 percent.")]),
    ("ZX Bank", "Is a lost card blocked for free?", "Boolean",
     [("Cards.md", "Blocking a lost card is free of charge at any hour.")]),
    ("ZX Bank", "IS A LOST CARD BLOCKED FOR FREE?", "Boolean",
     [("Cards.md", "A gold card has no annual fee and a limit of 500 dollars.")]),
    ("ZX Bank", "Who was the founder?", "Descriptive", [("History.md", "The bank was founded by Ada Quay in 1820.")]),
    ("CloudWay-24", "When does the ferry leave from the south pier?", "Temporal",
     [("Ferry.md", "South pier departs at 09:40 for 14 crowns")]),
    ("CloudWay-24", "May dogs and horses travel?", "Boolean",
     [("Ferry.md", "Dogs travel free on the upper deck"), ("Ferry.md", "Horses need a permit of the pier master")]),
]  # fmt: skip
"""The fourth repeats the third with a further fact; the fifth cannot be judged: its document does not exist."""


def write_corpus(root: Path, *, published: bool = True) -> Path:
    """Writes the corpus below ``root`` and returns it."""
    for organisation, files in DOCUMENTS.items():
        folder = root / "datasets" / organisation / "md"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    with (root / "datasets" / "all queries.csv").open("w", encoding="utf-8-sig", newline="") as lines:
        table = csv.writer(lines)
        table.writerow(["Enterprise Name", "Query", "Query Type", "Supporting Facts"])
        for organisation, query, kind, facts in QUERIES:
            stated = json.dumps([{"filename": name, "text": text} for name, text in facts])
            table.writerow([organisation, query, kind, stated])
    if published:
        _write_published(root / "published")
    return root


def _write_published(folder: Path) -> None:
    """Agentic chunks of all documents; a W-RAC plan that leaves two units out, and one whose reply was lost."""
    folder.mkdir()
    for slug, organisation in (("zx", "ZX Bank"), ("cloudway", "CloudWay-24")):
        rows = []
        plans = []
        for name, text in DOCUMENTS[organisation].items():
            title = name.removesuffix(".md")
            usage = {"input_tokens": 400, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 200}
            chunks = [f"{title} > {part.strip()}" for part in text.split("## ") if part.strip()]
            rows.append(json.dumps({"file_name": name, "chunks": chunks, "usage": usage, "time": 5.0}))
            plans.append(_plan(name, text))
        (folder / f"agentic_{slug}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (folder / f"wrac_{slug}.json").write_text(json.dumps(plans), encoding="utf-8")


def _plan(name: str, text: str) -> dict[str, object]:
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line and (not n or not lines[n - 1])]
    elements = [{"id": f"{'heading' if lines[n].startswith('#') else 'text'}_{n}", "line": n} for n in starts]
    arrays: list[list[object]] = []
    for element in elements:  # one chunk a heading
        if str(element["id"]).startswith("heading"):
            arrays.append([])
        arrays[-1].append(element["id"])
    if name == "Loans.md":  # the introduction and the interest are named by no chunk
        reply: object = {"chunks": arrays[1:-1]}
    elif name == "Cards.md":
        reply = float("nan")
    else:
        reply = {"chunks": [*arrays, ["text_999"]]}
    usage = {"input_tokens": 600, "input_tokens_details": {"cached_tokens": 100}, "output_tokens": 40}
    return {
        "filename": name,
        "markdown_content": text,
        "structure_map_output": elements,
        "gpt_chunks": reply,
        "chunks": ["Lodge > Fees\n2% of the loan"] if isinstance(reply, dict) else reply,
        "token_usage": usage,
        "time_taken": 2.0,
    }
