"""Facts kept as data beside the code: ``consent.toml``, ``generators.toml``, ``words.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_facts(name: str) -> dict[str, Any]:
    """The tables of ``filters/NAME.toml``."""
    return tomllib.loads((files("filters") / f"{name}.toml").read_text(encoding="utf-8"))
