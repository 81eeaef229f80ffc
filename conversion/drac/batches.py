"""A batch of pages to the end of each: believed, repaired, or replaced with a reason. No page is left open."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from conversion.drac.prompt import PROMPT_VERSION
from conversion.drac.verify import EXACT, OCR, verify
from wrac.ids import digest, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conversion.drac.asking import Answer, Asker
    from conversion.drac.context import Context
    from conversion.drac.figures import TranscriptionFigures
    from conversion.drac.pages import PageSource
    from conversion.drac.verify import Reference
    from llm.budget import Budget

VERSION = "drac/1"
"""Of program and thresholds; the number is raised whenever the same replies would end otherwise."""


class TranscriptStatus(StrEnum):
    """How the transcription of one page ended."""

    TRANSCRIBED = "transcribed"
    """The model's, and what stands on the page."""
    REPAIRED = "repaired"
    """The model's second transcript; ``reason`` says what was wrong with the first."""
    REPLACED = "replaced"
    """By the deterministic conversion; ``reason`` says why."""
    UNVERIFIED = "unverified"
    """The model's, with nothing to compare it with: no text layer, and no OCR."""


@dataclass(frozen=True, slots=True)
class TranscribedPage:
    """How one page ended."""

    number: int
    status: TranscriptStatus
    markdown: str = ""
    """Empty for a replaced page."""
    reason: str = ""
    unasked: bool = False
    """A later run may well get an answer: it is not kept."""


class PageCache(Protocol):
    """Finished pages that were paid for, by key. Safe between threads; a page that was put survives the process."""

    def get(self, key: str) -> str | None:
        """The stored page, or None."""
        ...

    def put(self, key: str, page: str) -> None:
        """Keeps a page."""
        ...


@dataclass(frozen=True, slots=True)
class Witness:
    """What the transcript of a page is compared with."""

    reference: Reference
    by_ocr: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to compare with."""
        return not self.reference.text.strip()


class Batches:
    """Finishes pages of one document. Safe between threads."""

    def __init__(
        self,
        asker: Asker,
        contexts: Mapping[int, Context],
        witnesses: Mapping[int, Witness],
        cache: PageCache | None,
        figures: TranscriptionFigures,
    ) -> None:
        self._asker = asker
        self._contexts = contexts
        self._witnesses = witnesses
        self._cache = cache
        self._figures = figures

    def key(self, page: PageSource) -> str:
        """Names all that a finished page depends on: picture, text, prompt, thresholds and model."""
        return digest_of("page", VERSION, PROMPT_VERSION, self._asker.model, digest(page.picture), digest(page.text))

    def find(self, page: PageSource) -> TranscribedPage | None:
        """The page as it was finished before."""
        stored = self._cache.get(self.key(page)) if self._cache is not None else None
        if stored is None:
            return None
        try:
            fields = json.loads(stored)
            found = TranscribedPage(
                page.number, TranscriptStatus(fields["status"]), str(fields["markdown"]), str(fields["reason"])
            )
        except (ValueError, KeyError, TypeError):
            return None  # an entry that another version wrote; asked again
        self._figures.count(kept=1)
        return found

    def finish(self, pages: Sequence[PageSource]) -> list[TranscribedPage]:
        """Every page, in order; each is kept as soon as it is finished."""
        return self._finished(pages, self._asker.budget_for(len(pages)))

    def _finished(self, pages: Sequence[PageSource], budget: Budget | None) -> list[TranscribedPage]:
        answer = self._asker.ask(pages, self._contexts[pages[0].number], budget)
        if answer.transcript is None:
            if len(pages) == 1 or answer.unasked:
                return [self._replaced(page, answer.fault, unasked=answer.unasked) for page in pages]
            return self._divided(pages, budget)
        given = _pages_in(answer)
        done = [self._judged(page, given[page.number], budget) for page in pages if page.number in given]
        missing = [page for page in pages if page.number not in given]
        if missing:
            self._figures.count(truncated=1)
            done += self._asked_again(missing, answer, budget, alone=len(pages) == 1, any_given=bool(given))
        return sorted(done, key=lambda page: page.number)

    def _asked_again(
        self, missing: Sequence[PageSource], answer: Answer, budget: Budget | None, *, alone: bool, any_given: bool
    ) -> list[TranscribedPage]:
        """Pages that the reply lacks, in a smaller batch."""
        if alone and answer.truncated:
            return [self._replaced(missing[0], "the transcript was cut off at the limit of a reply")]
        if alone:
            return [self._repaired(missing[0], "the line [[page N]] was missing", budget)]
        return self._finished(missing, budget) if any_given else self._divided(missing, budget)

    def _divided(self, pages: Sequence[PageSource], budget: Budget | None) -> list[TranscribedPage]:
        middle = len(pages) // 2
        parts: Iterable[Sequence[PageSource]] = (pages[:middle], pages[middle:]) if middle else (pages,)
        return [page for part in parts for page in self._finished(part, budget)]

    def _judged(self, page: PageSource, markdown: str, budget: Budget | None) -> TranscribedPage:
        """A transcript that is believed, or the page's second chance."""
        witness = self._witnesses[page.number]
        if witness.is_silent:
            return self._kept(page, TranscriptStatus.UNVERIFIED, markdown, "no text layer, and no OCR")
        if faults := self._faults(witness, markdown):
            return self._repaired(page, "; ".join(faults), budget)
        return self._kept(page, TranscriptStatus.TRANSCRIBED, markdown)

    def _repaired(self, page: PageSource, complaint: str, budget: Budget | None) -> TranscribedPage:
        """The one retry, with what was wrong said."""
        answer = self._asker.ask([page], self._contexts[page.number], budget, complaint)
        if answer.transcript is None:
            return self._replaced(page, f"{complaint}; then {answer.fault}", unasked=answer.unasked)
        markdown = _pages_in(answer).get(page.number)
        if markdown is None:
            return self._replaced(page, f"{complaint}; the second transcript was not whole")
        witness = self._witnesses[page.number]
        if witness.is_silent:
            return self._kept(page, TranscriptStatus.UNVERIFIED, markdown, "no text layer, and no OCR")
        if faults := self._faults(witness, markdown):
            return self._replaced(page, f"twice wrong: {'; '.join(faults)}")
        return self._kept(page, TranscriptStatus.REPAIRED, markdown, complaint)

    def _faults(self, witness: Witness, markdown: str) -> tuple[str, ...]:
        self._figures.count(checked=1)
        tolerance = OCR if witness.by_ocr else EXACT
        return verify(markdown, witness.reference, tolerance).faults(tolerance)

    def _replaced(self, page: PageSource, reason: str, *, unasked: bool = False) -> TranscribedPage:
        return self._kept(page, TranscriptStatus.REPLACED, "", reason, unasked=unasked)

    def _kept(
        self, page: PageSource, status: TranscriptStatus, markdown: str, reason: str = "", *, unasked: bool = False
    ) -> TranscribedPage:
        done = TranscribedPage(page.number, status, markdown, reason, unasked)
        if self._cache is not None and not unasked:
            fields = {name: asdict(done)[name] for name in ("status", "markdown", "reason")}
            self._cache.put(self.key(page), json.dumps(fields))
        return done


def _pages_in(answer: Answer) -> dict[int, str]:
    """Pages that are whole: a page without a marker after it is so only where the reply was not cut off."""
    assert answer.transcript is not None  # noqa: S101 - for the type checker; callers have looked
    return answer.transcript.pages if answer.truncated else answer.transcript.pages | answer.transcript.unended
