"""Which faults of a transcript are caught, and what a long document takes? Without a model: faults are made.

    python -m benchmarks.transcription [--bench DIR] [--step N] [--pages 100,250,500] [--strict]

Transcripts are the deterministic conversion of each page with rows as sentences, once as they are and once with each
kind of fault. Long documents are put together from the same files and read by a stub that knows the right answer.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import add_options
from conversion.documents import DocumentOptions
from conversion.drac.forecast import forecast_document
from conversion.drac.pages import read_pages
from conversion.drac.rows import Table, as_sentences, sentence, tables
from conversion.drac.transcribe import KnownDocument, transcribe_document
from conversion.drac.verify import verify
from llm.chat import Ending, Reply
from llm.images import image_cost
from llm.parts import input_size
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from conversion.drac.verify import Reference

MODEL = "gpt-4.1"
CAUGHT = 0.97
FALSE_ALARMS = 0.05
ESTIMATE_APART = 0.1
_WEAK = frozenset({"two numbers swapped"})
"""Kinds of which some must pass: where the numbers stand among the same words, nothing tells them apart."""
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)*(?![\d.]|[.)] )")
_INVENTED = (
    "Customers who upgrade before the end of the quarter also receive a complimentary session with a specialist."
)


def main() -> int:
    """Prints one table for the faults and one for each long document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--step", type=int, default=4, help="every Nth file")
    parser.add_argument("--pages", default="100,250", help="lengths of the long documents; empty for none")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    files = sorted((args.bench / "ragmc" / "RAG-Multi-Corpus" / "datasets").glob("*/pdf/*.pdf"))
    if not files:
        parser.error("no documents: name the yardsticks' folder with --bench or WRAC_BENCH")
    figures = caught(files[:: args.step])
    show(f"Transcripts with one fault each ({len(files[:: args.step])} documents)", figures)
    for length in map(int, filter(None, args.pages.split(","))):
        long = long_document(files, length)
        show(f"A document of {length} pages", long)
        figures += long
    return exit_code(figures, strict=args.strict)


# ---------------------------------------------------------------- faults


def caught(files: Sequence[Path]) -> list[Figure]:
    """Shares of faults that are told, by kind, and of faithful pages that are told of without cause."""
    tried: Counter[str] = Counter()
    told: Counter[str] = Counter()
    seconds = 0.0
    for reference, page, markdown in _pages(files):
        faithful = as_sentences(markdown)
        for kind, transcript in [("", faithful), *_faults(faithful, random.Random(page)), *_in_tables(markdown, page)]:
            began = time.process_time()
            verdict = verify(transcript, reference)
            seconds += time.process_time() - began
            tried[kind] += 1
            told[kind] += bool(verdict.faults())
    shares = [
        Figure(f"{kind} ({tried[kind]})", told[kind] / tried[kind], least=None if kind in _WEAK else CAUGHT)
        for kind in sorted(filter(None, tried))
    ]
    return [
        Figure("pages", tried[""]),
        *shares,
        Figure("false alarms", told[""] / tried[""], most=FALSE_ALARMS),
        Figure("CPU time a page", 1000 * seconds / tried.total(), unit="ms"),
    ]


def _pages(files: Sequence[Path]) -> Iterator[tuple[Reference, str, str]]:
    options = DocumentOptions()
    for file in files:
        data = file.read_bytes()
        known = KnownDocument.of(data, file.name, options)
        run = read_pages(data, file.name, 1, 1_000, options.process)
        known.add(run.pages, run.total)
        for number, markdown in known.fallback.items():
            yield known.witnesses[number].reference, f"{file.name} {number}", markdown


def _faults(page: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    lines = page.split("\n")
    long = [index for index, line in enumerate(lines) if len(line.split()) > 8 and not line.startswith("#")]
    if long:
        at = chance.choice(long)
        words = lines[at].split(" ")
        place = chance.randrange(1, len(words) - 4)

        def changed(*new: str) -> str:
            return "\n".join([*lines[:at], *new, *lines[at + 1 :]])

        yield (
            "four words changed",
            changed(" ".join([*words[:place], "never requires written approval", *words[place + 4 :]])),
        )
        yield "one word changed", changed(" ".join([*words[:place], "xylophone", *words[place + 1 :]]))
        yield "'not' inserted", changed(" ".join([*words[:place], "not", *words[place:]]))
        yield "line dropped", changed()
        yield "line repeated", changed(lines[at], "", lines[at])
    yield "paragraph invented", f"{page}\n\n{_INVENTED}"
    yield "half a page", page[: len(page) // 2]
    own = re.findall(r"[A-Za-z]{3,}", page)
    if len(own) > 30:
        yield "paragraph of the page's own words", f"{page}\n\n{' '.join(chance.sample(own, 15))}."
    numbers = list(_NUMBER.finditer(page))
    if numbers:
        one = chance.choice(numbers)
        yield "number changed", f"{page[: one.start()]}{one.group()}7{page[one.end() :]}"
        first, last = numbers[0], numbers[-1]
        if first.group() != last.group():
            between = page[first.end() : last.start()]
            yield (
                "two numbers swapped",
                f"{page[: first.start()]}{last.group()}{between}{first.group()}{page[last.end() :]}",
            )


def _in_tables(markdown: str, page: str) -> Iterator[tuple[str, str]]:
    found = [table for table in tables(markdown) if len(table.rows) > 2]
    if found:
        chance = random.Random(page)
        yield from _row_faults(chance.choice(found), as_sentences(markdown), chance)


def _row_faults(table: Table, page: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    at = chance.randrange(len(table.rows) - 1)
    above, below = table.rows[at], table.rows[at + 1]
    one, two = sentence(table.head, above), sentence(table.head, below)
    if not one or not two or page.count(one) != 1 or page.count(two) != 1:
        return
    yield "row dropped", page.replace(one, "")
    yield "two rows merged", page.replace(two, "").replace(one, f"{one.rstrip('.')} and {two}")
    both = "; ".join(f"{head}: {x} or {y}" for head, x, y in zip(table.head, above, below, strict=True))
    yield "two rows merged by 'or'", page.replace(two, "").replace(one, f"{both}.")
    if above[-1] and below[-1] and above[-1] != below[-1]:
        mixed = sentence(table.head, (*above[:-1], below[-1])), sentence(table.head, (*below[:-1], above[-1]))
        yield "cells of two rows swapped", page.replace(one, mixed[0]).replace(two, mixed[1])


# ---------------------------------------------------------------- long documents


@dataclass(slots=True)
class Truthful:
    """A model that knows the right answer, and bills as the vendor's formula says."""

    truth: Mapping[int, str]
    model: str = MODEL
    billed: Usage = Usage()

    def ask(self, messages: Sequence[Mapping[str, Any]], **_: object) -> Reply:
        """The pages that the request names."""
        labels = (re.fullmatch(r"\[\[page (\d+)\]\]", part.get("text", "")) for part in messages[1]["content"])
        numbers = [int(label[1]) for label in labels if label]
        text = "".join(f"[[page {number}]]\n{self.truth.get(number, '')}\n" for number in numbers) + "[[end]]"
        usage = Usage(input_size(messages, image_cost(MODEL).tokens), 0, count_tokens(text), 1)
        self.billed += usage
        return Reply(text, Ending.COMPLETE, usage)


def long_document(files: Sequence[Path], length: int) -> list[Figure]:
    """Time, memory and bill of one document made of many."""
    pdf = merged(files, length)
    known = KnownDocument.of(pdf, "file:long.pdf", DocumentOptions())
    model = Truthful({number: as_sentences(page) for number, page in known.fallback.items()})
    expected = forecast_document(pdf, "file:long.pdf", model=MODEL)
    began = time.perf_counter()
    done = transcribe_document(pdf, "file:long.pdf", client=model)
    seconds = time.perf_counter() - began
    ratio = expected.usage.input_tokens / model.billed.input_tokens
    return [
        Figure("wall time a page", 1000 * seconds / length, unit="ms"),
        Figure("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, unit="MiB"),
        Figure("pages replaced", done.figures.replaced, most=FALSE_ALARMS * length),
        Figure("calls", model.billed.calls),
        Figure("estimate / bill, in", ratio, least=1 - ESTIMATE_APART, most=1 + ESTIMATE_APART),
        Figure(
            "estimate / bill, out",
            expected.usage.output_tokens / model.billed.output_tokens,
            least=1 - ESTIMATE_APART,
            most=1 + ESTIMATE_APART,
        ),
    ]


def merged(files: Sequence[Path], length: int) -> bytes:
    """A PDF of so many pages, made of those of the files."""
    import pypdfium2

    whole = pypdfium2.PdfDocument.new()
    while len(whole) < length:
        for file in files:
            with pypdfium2.PdfDocument(file) as part:
                whole.import_pages(part, list(range(min(len(part), length - len(whole)))))
            if len(whole) >= length:
                break
    out = io.BytesIO()
    whole.save(out)
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
