"""Floors and digests of the gate, in one file that only its commands write.

A floor may rise whenever a figure does. It is lowered, and a changed corpus is pinned, only under the number of a
decision record that says why (``docs/decisions/NNNN-*.md``). A seal over the file makes an edit by hand fail.
"""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from benchmarks.inputs import ROOT
from wrac.ids import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from benchmarks.figures import Figure

FLOORS_FILE = ROOT / "benchmarks" / "gate" / "floors.toml"
RECORDS = ROOT / "docs" / "decisions"
VERSION = 1
FIRST_RECORD = "0060"
"""Under which floors of new figures are set."""
YARDSTICKS = "yardsticks, "
"""How names of figures on the public yardsticks begin."""
MARGIN = 0.02
"""Left below figures of retrieval, one question: fewer are chance, and an embedder's last digits are another on another
processor. Conversion and coverage are the same everywhere and have none."""
_RANKED = ("bm25", "hybrid", "minilm")
_DIGITS = 4
_HEADER = """\
# Written by `python -m benchmarks.gate --raise | --lower NNNN | --pin NNNN` (docs/evaluation.md), never by hand: the
# seal would not fit. `record` is the decision record that a floor was last lowered by, or first set by.
"""


class FloorsRefused(Exception):
    """The file of floors cannot be used or may not be changed in this way; the message says why."""


@dataclass(frozen=True, slots=True)
class Floor:
    """What a figure must reach (``least``) or may not exceed (``most``); one of them is set."""

    record: str
    least: float | None = None
    most: float | None = None

    def is_lower_than(self, other: Floor) -> bool:
        """Whether it lets pass what the other does not."""
        return _strictness(self) < _strictness(other)


@dataclass(frozen=True, slots=True)
class Floors:
    """All floors by the name of their figure, and the digests of what is measured on, by path."""

    floors: Mapping[str, Floor] = field(default_factory=dict)
    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By corpus: ``corpus`` file by file, ``yardsticks`` folder by folder."""
    digest_records: Mapping[str, str] = field(default_factory=dict)

    @property
    def seal(self) -> str:
        """Digest of everything else."""
        parts = [str(VERSION)]
        for name, floor in sorted(self.floors.items()):
            parts += [name, floor.record, repr(floor.least), repr(floor.most)]
        for corpus, files in sorted(self.digests.items()):
            parts += [
                corpus,
                self.digest_records.get(corpus, ""),
                *(part for pair in sorted(files.items()) for part in pair),
            ]
        return digest_of(*parts)


def read_floors(file: Path = FLOORS_FILE, records: Path = RECORDS) -> Floors:
    """The floors as they were last written. Raises ``FloorsRefused`` where the file was edited by hand."""
    if not file.exists():
        return Floors()
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        floors = Floors(
            {name: Floor(**floor) for name, floor in data.get("floors", {}).items()},
            {name: part["files"] for name, part in data.get("digests", {}).items()},
            {name: part["record"] for name, part in data.get("digests", {}).items()},
        )
    except (tomllib.TOMLDecodeError, TypeError, KeyError, AttributeError) as error:
        raise FloorsRefused(f"{file.name} cannot be read ({error}): restore it from the last commit") from error
    if data.get("seal") != floors.seal:
        raise FloorsRefused(
            f"{file.name} was edited by hand: its seal does not fit. Restore it from the last commit; floors are "
            "raised with --raise, lowered with --lower NNNN and digests pinned with --pin NNNN"
        )
    for record in sorted({floor.record for floor in floors.floors.values()} | set(floors.digest_records.values())):
        require_record(record, records)
    return floors


def write_floors(floors: Floors, file: Path = FLOORS_FILE) -> None:
    """Writes the file anew, sealed."""
    lines = [f"{_HEADER}version = {VERSION}", f"seal = {json.dumps(floors.seal)}"]
    for name, floor in sorted(floors.floors.items()):
        bound = f"least = {floor.least!r}" if floor.most is None else f"most = {floor.most!r}"
        lines += ["", f"[floors.{json.dumps(name)}]", bound, f"record = {json.dumps(floor.record)}"]
    for corpus, files in sorted(floors.digests.items()):
        lines += ["", f"[digests.{corpus}]", f"record = {json.dumps(floors.digest_records[corpus])}"]
        lines += [f"[digests.{corpus}.files]"]
        lines += [
            f"{json.dumps(path, ensure_ascii=False)} = {json.dumps(found)}" for path, found in sorted(files.items())
        ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def require_record(number: str, records: Path = RECORDS) -> None:
    """Raises ``FloorsRefused`` where no decision record has the number, four digits."""
    if not (len(number) == 4 and number.isascii() and number.isdigit()) or not list(records.glob(f"{number}-*.md")):
        raise FloorsRefused(f"there is no decision record {number!r}: write docs/decisions/NNNN-title.md first")


def applied(floors: Floors, figures: Iterable[Figure]) -> list[Figure]:
    """The figures with their floors as goals; one without a floor has those that it came with, if they are numbers."""
    found = []
    for figure in figures:
        floor = floors.floors.get(figure.name)
        own = [bound if bound is not None and math.isfinite(bound) else None for bound in (figure.least, figure.most)]
        least, most = (floor.least, floor.most) if floor else own
        found.append(replace(figure, least=least, most=most))
    return found


def moved(file: Path, figures: Sequence[Figure], *, record: str = "") -> Floors:
    """The floors raised, or with a ``record`` lowered, to what the figures reach; written and told."""
    floors = read_floors(file)
    if record:
        found, names = lowered(floors, figures, record)
    else:
        found = raised(floors, figures, FIRST_RECORD)
        names = [name for name, floor in found.floors.items() if floors.floors.get(name) != floor]
    write_floors(found, file)
    what = f"lowered under decision record {record}" if record else "raised"
    print(f"{what}: {', '.join(names) or 'nothing'}")
    return found


def raised(floors: Floors, figures: Iterable[Figure], first_record: str) -> Floors:
    """Floors as high as the figures allow, none lower than it is; new figures get one under ``first_record``."""
    found = dict(floors.floors)
    for figure in figures:
        if (new := _floor_at(figure, first_record)) is None:
            continue
        old = found.get(figure.name)
        if old is None or old.is_lower_than(new):
            found[figure.name] = new if old is None else replace(new, record=old.record)
    return replace(floors, floors=found)


def lowered(
    floors: Floors, figures: Iterable[Figure], record: str, records: Path = RECORDS
) -> tuple[Floors, list[str]]:
    """The floors that are missed set to what is reached, and their names. Raises ``FloorsRefused`` without a record."""
    require_record(record, records)
    found = dict(floors.floors)
    names = []
    for figure in figures:
        missed = not applied(floors, [figure])[0].met
        if missed and (new := _floor_at(figure, record)) is not None:
            found[figure.name] = new
            names.append(figure.name)
    return replace(floors, floors=found), names


def pinned(floors: Floors, corpus: str, files: Mapping[str, str], record: str, records: Path = RECORDS) -> Floors:
    """The digests of a corpus as they are now. Raises ``FloorsRefused`` without a record."""
    require_record(record, records)
    return replace(
        floors,
        digests={**floors.digests, corpus: dict(files)},
        digest_records={**floors.digest_records, corpus: record},
    )


def changes(known: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """What differs from the pinned digests, a line each; empty where nothing does."""
    told: Sequence[tuple[str, set[str]]] = (
        ("changed", {path for path in known.keys() & found.keys() if known[path] != found[path]}),
        ("gone", known.keys() - found.keys()),
        ("new", found.keys() - known.keys()),
    )
    return [f"{path}: {what}" for what, paths in told for path in sorted(paths)]


def _floor_at(figure: Figure, record: str) -> Floor | None:
    """The floor that the figure just reaches, with the margin of what is not the same everywhere."""
    if not math.isfinite(figure.value) or (figure.least, figure.most) not in ((-math.inf, None), (None, math.inf)):
        return None
    ranked = any(name in figure.name for name in _RANKED) and figure.least is not None
    margin = MARGIN if ranked else 0.0
    scale = 10**_DIGITS
    if figure.most is not None:
        return Floor(record, most=math.ceil((figure.value + margin) * scale - 1e-6) / scale)
    return Floor(record, least=math.floor((figure.value - margin) * scale + 1e-6) / scale)


def _strictness(floor: Floor) -> float:
    return floor.least if floor.least is not None else -(floor.most if floor.most is not None else math.inf)
