"""RAG-Multi-Corpus, the public data of the W-RAC and D-RAC papers, as it lies in its repository.

datasets/ORGANISATION/FORMAT/*     the same documents in md, html, pdf, docx, pptx
datasets/*queries*.csv             questions with supporting facts
published/wrac_*.json              plans that GPT-4.1 made for the W-RAC paper, with usage and time
published/agentic_*.jsonl          chunks that GPT-4.1 wrote, with usage and time
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from wrac.errors import ConfigError
from wrac.ids import digest, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

DEVELOPMENT = ("Aventro Motors", "Cendara University", "CloudWay-24")
"""Organisations to develop on; any others are for verification."""

_ENDING = re.compile(r"\.(md|markdown|html?|pdf|docx|pptx|txt)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StatedFact:
    """What an answer must rest on, as the corpus states it: mostly a paraphrase of the document."""

    filename: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its supporting facts."""

    organisation: str
    kind: str
    """Descriptive, Boolean, Temporal, ..."""
    text: str
    facts: tuple[StatedFact, ...]


class RagMultiCorpus:
    """The corpus below one folder. Raises ``ConfigError`` where the folder does not hold it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._datasets = root / "datasets"
        self.organisations = tuple(sorted(folder.parent.name for folder in self._datasets.glob("*/md")))
        if not self.organisations:
            raise ConfigError(
                f"{root} holds no RAG-Multi-Corpus: there is no datasets/ORGANISATION/md in it. "
                "Name the folder that its repository was cloned into"
            )

    def split(self, name: str) -> tuple[str, ...]:
        """Organisations that ``all``, ``dev``, ``held`` or a list with commas names; of those that are there."""
        if name == "all":
            return self.organisations
        if name in ("dev", "held"):
            chosen = tuple(o for o in self.organisations if (o in DEVELOPMENT) == (name == "dev"))
            if not chosen:
                raise ConfigError(f"--split {name}: none of its organisations is in {self._datasets}")
            return chosen
        return tuple(dict.fromkeys(self._known(part.strip()) for part in name.split(",")))

    def files(self, organisation: str, kind: str) -> list[Path]:
        """The organisation's documents in one format, sorted."""
        return sorted((self._datasets / organisation / kind).glob(f"*.{kind}"))

    def queries(self, organisation: str) -> list[Query]:
        """Distinct questions in the order of the table; repeats are one question with the facts of all."""
        return [query for query in self._queries if query.organisation == organisation]

    def published(self, organisation: str, stem: str, ending: str) -> Path | None:
        """The published file of a method (``wrac``, ``agentic``) for the organisation, None where there is none."""
        name = _letters(organisation)
        for file in sorted((self.root / "published").glob(f"{stem}_*.{ending}")):
            if name.startswith(_letters(file.stem.removeprefix(f"{stem}_"))):
                return file
        return None

    def digest(self, organisations: Sequence[str], kinds: Iterable[str]) -> str:
        """Digest of all that a comparison of these organisations reads: documents, questions, what is published."""
        parts: list[str] = []
        for organisation in organisations:
            parts += [organisation, *(repr(query) for query in self.queries(organisation))]
            files = [file for kind in sorted({"md", *kinds}) for file in self.files(organisation, kind)]
            published = [self.published(organisation, "agentic", "jsonl"), self.published(organisation, "wrac", "json")]
            for file in (*files, *filter(None, published)):
                parts += [file.name, digest(file.read_bytes())]
        return digest_of(*parts)

    @cached_property
    def _queries(self) -> list[Query]:
        tables = sorted(self._datasets.glob("*queries*.csv"))
        if not tables:
            raise ConfigError(f"{self._datasets} holds no table of questions (*queries*.csv)")
        with tables[-1].open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
        facts: dict[tuple[str, str], list[StatedFact]] = {}
        first: dict[tuple[str, str], tuple[str, str]] = {}
        for row in rows:
            organisation = self._organisation(row["Enterprise Name"])
            if organisation is None:
                continue
            text = row["Query"].strip()
            key = (organisation, text.casefold())
            first.setdefault(key, (row["Query Type"].strip(), text))
            known = facts.setdefault(key, [])
            stated = [StatedFact(fact["filename"], fact["text"]) for fact in json.loads(row["Supporting Facts"])]
            known += [fact for fact in stated if fact not in known]
        return [Query(key[0], *first[key], tuple(facts[key])) for key in first]

    def _organisation(self, name: str) -> str | None:
        """The folder's name for what a table calls an organisation."""
        letters = _letters(name)
        for organisation in self.organisations:
            if letters == _letters(organisation) or letters[:6] == _letters(organisation)[:6]:
                return organisation
        return None

    def _known(self, name: str) -> str:
        organisation = self._organisation(name)
        if organisation is None:
            raise ConfigError(f"--split {name!r}: there are {', '.join(self.organisations)}; or all, dev, held")
        return organisation


def file_key(name: str) -> str:
    """One key for a document whatever its folder, format, case, and the signs that file systems replace."""
    base = unicodedata.normalize("NFKC", name.replace("\\", "/").rpartition("/")[2])
    return re.sub(r"[^a-z0-9]+", " ", _ENDING.sub("", base).casefold()).strip()


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
