"""Results of ``wrac evaluate`` that were written as JSON, read again to be compared."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation import record as corpus_record
from evaluation.questions import record as own_record
from wrac.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_CORPUS = corpus_record.KIND
_VERSIONS = {own_record.KIND: own_record.VERSION, _CORPUS: corpus_record.VERSION}
"""Versions that can be read, by kind of result."""

_AGAIN = "write it with `wrac evaluate queries ... --json FILE` or `wrac evaluate ragmc ... --json FILE`"

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a result."""

    key: Key
    """What makes it the same question: its text, where it was asked, and what it expects."""
    query: str
    organisation: str
    tags: tuple[str, ...]
    document: str
    values: Mapping[str, float]
    rank: int | None = None
    """Place of the first right hit; None where there is none, or where the result does not say."""
    hits: tuple[str, ...] = ()
    """URLs of the hits, best first; empty where the result does not say."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one search found for each question."""

    name: str
    """The file, for a person."""
    about: str
    """Search and row, for a person."""
    kind: str
    primary: str
    measures: tuple[str, ...]
    asked: Mapping[Key, Asked]
    """In the order of the file."""
    k: int = 0
    """Hits that were looked at; 0 where every result of the kind looks at the same number."""


def read_result(file: Path, search: str = "", row: str = "") -> Result:
    """One search and row of a result file; the only one, else our own search and the first row, unless they are named.

    Raises ``ConfigError``, also where the file was cut or changed since it was written.
    """
    record = _record(file)
    try:
        return _result(record, file, search, row)
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise ConfigError(f"{file} is damaged ({type(error).__name__}: {error}): {_AGAIN}") from error


def _result(record: Any, file: Path, search: str, row: str) -> Result:
    searches = record["searches"]
    if not any(found.get("rows") for found in searches.values()):
        raise ConfigError(f"{file} holds no row: nothing was ranked")
    chosen = _named(searches, search, own_record.SEARCHER, "--search", file)
    rows = searches[chosen]["rows"]
    found = _named(rows, row, "", "--row", file)
    return Result(
        name=str(file),
        about=_about(record, chosen, found),
        kind=record["kind"],
        primary=record["primary"],
        measures=tuple(record["measures"]),
        asked=_asked(record, rows[found]["per_question"]),
        k=record.get("k", 0),
    )


def _about(record: Any, search: str, row: str) -> str:
    facts = [f"{name} {record[name]}" for name in ("collection", "embedder", "ranking") if record.get(name)]
    return ", ".join([search, row, *facts]) if record["kind"] == _CORPUS else ", ".join([row, *facts])


def _record(file: Path) -> Any:
    try:
        record = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file} cannot be read as a result: {error}; {_AGAIN}") from error
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind not in _VERSIONS or not {"questions", "searches", "measures", "primary"} <= record.keys():
        raise ConfigError(f"{file} is no result of `wrac evaluate`: {_AGAIN}")
    if record.get("version") != (known := _VERSIONS[kind]):
        raise ConfigError(
            f"{file} is of version {record.get('version')!r}, and this program reads version {known}: write it again"
        )
    return record


def _named(known: Mapping[str, Any], asked: str, preferred: str, option: str, file: Path) -> str:
    if not asked:
        return preferred if preferred in known else next(iter(known))
    if asked in known:
        return asked
    holding = [name for name in known if asked.casefold() in name.casefold()]
    if len(holding) != 1:
        there = "; ".join(holding or known)
        raise ConfigError(f"{option} {asked!r}{did_you_mean(asked, known)}: {file} has {there}")
    return holding[0]


def _asked(record: Any, per_question: Mapping[str, Sequence[float | None]]) -> dict[Key, Asked]:
    found: dict[Key, Asked] = {}
    answers = record.get("answers", [])
    for place, question in enumerate(record["questions"]):
        values = {name: _finite(value) for name, column in per_question.items() if (value := column[place]) is not None}
        if not values:
            continue
        answer = answers[place] if place < len(answers) else {}
        key = _key(question, record["kind"])
        found[key] = Asked(
            key=key,
            query=question["query"],
            organisation=question.get("organisation", ""),
            tags=tuple(question.get("tags") or [tag for tag in [question.get("type", "")] if tag]),
            document=question.get("document", "") or question["query"],
            values=values,
            rank=answer.get("rank"),
            hits=tuple(hit["url"] for hit in answer.get("hits", [])),
        )
    return found


def _finite(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no value of a measure")
    return float(value)


def _key(question: Any, kind: str) -> Key:
    """A site's name makes no other question: two collections may have the same pages."""
    if kind == _CORPUS:
        return (question["organisation"], question["query"])
    expected = [*sorted(question["urls"]), *sorted(question["quotes"])]
    return (question["query"].casefold(), *(expected or ["nothing"]))
