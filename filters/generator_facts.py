"""The documentation generators of ``generators.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from filters.facts import read_facts


@dataclass(frozen=True, slots=True)
class Generator:
    """What a generator emits; ``generators.toml`` says what each field means."""

    name: str
    meta: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    chrome: tuple[str, ...] = ()
    kind: str = "documentation"


def _generator(entry: dict[str, Any]) -> Generator:
    listed = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    return Generator(entry["name"], **listed, kind=entry.get("kind", "documentation"))


GENERATORS: Final = tuple(_generator(entry) for entry in read_facts("generators")["generator"])
