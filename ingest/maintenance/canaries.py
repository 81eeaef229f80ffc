"""Canary queries: questions whose answer is known, put to a new collection before anybody else can.

A file of them is TOML or JSON Lines, by its ending; paths are relative to the working directory:

    [[canary]]                                      {"query": "...", "url": "https://...", "k": 3}
    query = "how do I rotate a key?"
    url = "https://docs.example.org/keys.html"      # with #fragment: that very section
    k = 3                                           # among the first k hits; 5 unless given
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexing.search import search
from ingest.identity import identify
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.protocols import Embedder, SparseEncoder, Store

DEFAULT_K = 5
_KEYS = frozenset({"query", "url", "k"})


@dataclass(frozen=True, slots=True)
class Canary:
    """A query, and the page that must be among its first ``k`` hits."""

    query: str
    url: str
    k: int = DEFAULT_K


@dataclass(frozen=True, slots=True)
class DeadCanary:
    """A canary that was not answered as it should be."""

    canary: Canary
    found: tuple[str, ...]
    """URLs of the hits, best first."""

    def __str__(self) -> str:
        """For a person."""
        instead = ", ".join(self.found) or "no hit"
        return f"{self.canary.query!r}: {self.canary.url} is not among the first {self.canary.k} ({instead})"


def read_canaries(file: str) -> list[Canary]:
    """The canaries of a file. Raises ``ConfigError`` that names the file, the entry and the key."""
    path = Path(file)
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            entries: Any = tomllib.loads(text).get("canary", [])
        else:
            entries = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise ConfigError(f"the canaries {file} cannot be read: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"the canaries {file} hold no entry: write [[canary]] with query and url, or JSON lines")
    return [_canary(file, number, entry) for number, entry in enumerate(entries, 1)]


def _canary(file: str, number: int, entry: Any) -> Canary:
    place = f"entry {number} of the canaries {file}"
    if not isinstance(entry, dict) or (unknown := sorted(entry.keys() - _KEYS)):
        raise ConfigError(f"{place}: expected the keys query, url and k" + (f", not {unknown[0]}" if entry else ""))
    for key in ("query", "url"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise ConfigError(f"{place}: {key} must be a text that is not empty")
    k = entry.get("k", DEFAULT_K)
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ConfigError(f"{place}: k must be a whole number from 1 on")
    return Canary(entry["query"], entry["url"], k)


def run_canaries(
    canaries: Sequence[Canary], store: Store, encoders: tuple[Embedder, SparseEncoder], site: str
) -> list[DeadCanary]:
    """Those that the store does not answer as they should be, in order."""
    embedder, sparse = encoders
    dead = []
    for canary in canaries:
        hits = search(canary.query, store=store, embedder=embedder, sparse=sparse, limit=canary.k, site=site)
        urls = tuple(hit.url for hit in hits)
        if not any(_matches(canary.url, url) for url in urls):
            dead.append(DeadCanary(canary, urls))
    return dead


def _matches(wanted: str, found: str) -> bool:
    page, _, fragment = wanted.partition("#")
    found_page, _, found_fragment = found.partition("#")
    return identify(page) == identify(found_page) and fragment in ("", found_fragment)
