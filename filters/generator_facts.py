"""The documentation generators of ``generators.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final


@dataclass(frozen=True, slots=True)
class Generator:
    """What a generator emits; ``generators.toml`` says what each field means."""

    name: str
    meta: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    chrome: tuple[str, ...] = ()
    article: bool = False


def _read() -> tuple[Generator, ...]:
    facts = tomllib.loads((files("filters") / "generators.toml").read_text(encoding="utf-8"))
    return tuple(
        Generator(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for entry in facts["generator"]
    )


GENERATORS: Final = _read()
