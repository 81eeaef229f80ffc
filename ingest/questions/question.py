"""A question with what should be found, made of an entry of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingest.questions.quotes import words_in_a_row
from wrac.errors import ConfigError, did_you_mean
from wrac.urls import page_key, without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_K = 5
"""Hits among which the answer must be, where neither the question nor the command says another number."""

MOST_HITS = 100
"""Largest ``k``: nobody reads more."""

KEYS: Mapping[str, str] = {
    "query": "query",
    "question": "query",
    "url": "urls",
    "urls": "urls",
    "quote": "quotes",
    "quotes": "quotes",
    "tag": "tags",
    "tags": "tags",
    "type": "tags",
    "k": "k",
    "nothing": "nothing",
    "note": "note",
}
"""What a key, or the head of a column, stands for."""
_FEW_DIGITS = re.compile(r"[0-9]{1,4}")
_YES = frozenset({"yes", "true", "1", "x", "y"})
_NO = frozenset({"no", "false", "0", "n", ""})
_HOST = re.compile(r"[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?/|localhost(?::\d+)?/|\d+(?:\.\d+){3}(?::\d+)?/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what should be found."""

    query: str
    urls: tuple[str, ...] = ()
    """Pages or places on pages (``#anchor``), any of which is right; with a final ``*``, all that begin so."""
    quotes: tuple[str, ...] = ()
    """Texts that the answer must say; on one of ``urls``, where there are any."""
    tags: tuple[str, ...] = ()
    k: int | None = None
    """Hits among which the answer must be; None where the file does not say."""
    nothing: bool = False
    """The site has no answer."""
    line: int = 0
    """Where it stands in its file, from 1."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Equal for two questions that ask the same and expect the same, in whatever order and case."""
        return (self.query.casefold(), *sorted(self.urls), *sorted(self.quotes))

    @property
    def expected(self) -> tuple[str, ...]:
        """What a hit is judged by: the quotes where there are any, else the URLs."""
        return self.quotes or self.urls


def question_of(entry: Mapping[str, Any], line: int, place: str) -> Question:
    """The question of an entry; ``place`` names file and line. Raises ``ConfigError`` that begins with it."""
    values: dict[str, list[Any]] = {}
    for key, value in entry.items():
        if value is None:
            continue
        name = KEYS.get(str(key).strip().lower())
        if name is None:
            known = ", ".join(sorted({"query", "url", "quote", "tags", "k", "nothing", "note"}))
            raise ConfigError(f"{place}: there is no key {key!r}{did_you_mean(str(key), KEYS)} (keys: {known})")
        values.setdefault(name, []).extend(value if isinstance(value, list) else [value])
    texts = {name: _texts(values.get(name, ()), name, place) for name in ("query", "urls", "quotes", "tags")}
    if len(texts["query"]) != 1:
        raise ConfigError(f"{place}: query must be one text that is not empty")
    question = Question(
        query=texts["query"][0],
        urls=tuple(dict.fromkeys(_url(url, place) for url in texts["urls"])),
        quotes=tuple(dict.fromkeys(_quote(quote, place) for quote in texts["quotes"])),
        tags=tuple(
            dict.fromkeys(tag.strip() for text in texts["tags"] for tag in re.split("[,;]", text) if tag.strip())
        ),
        k=_number(values.get("k", ()), place),
        nothing=_is_yes(values.get("nothing", ()), place),
        line=line,
    )
    if question.nothing and question.expected:
        raise ConfigError(f"{place}: it says that nothing should be found, and what: leave out one of both")
    if not question.nothing and not question.expected:
        raise ConfigError(f"{place}: it does not say what should be found: add url or quote, or nothing = yes")
    return question


def _texts(values: Any, name: str, place: str) -> list[str]:
    for value in values:
        if not isinstance(value, str):
            raise ConfigError(f"{place}: {name} must be text, not {value!r}")
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ConfigError(f"{place}: {name} holds half of a character (\\ud800 to \\udfff), which no text has")
    return [" ".join(value.split()) for value in values if value.strip()]


def _url(text: str, place: str) -> str:
    """The URL with a scheme, or a path from ``/`` on; a final ``*`` is kept."""
    if text.startswith("/") and not text.startswith("//"):
        return text
    url = text if "://" in text else f"https://{text}"
    if "://" not in text and not _HOST.match(text):
        raise ConfigError(f"{place}: {text!r} is no URL: write https://..., or the path from / on, as in /guide/{text}")
    if without_credentials(url) != url:
        raise ConfigError(f"{place}: leave user name and password out of {without_credentials(url)}")
    if url.startswith("http") and not page_key(url.rstrip("*")):
        raise ConfigError(f"{place}: {text!r} is no URL that a page could have")
    return url


def _quote(text: str, place: str) -> str:
    if not words_in_a_row(text).strip():
        raise ConfigError(f"{place}: the quote {text!r} has no word that could be looked for")
    return text


def _number(values: Any, place: str) -> int | None:
    given = [value for value in values if value not in (None, "")]
    if not given:
        return None
    value = int(given[0]) if isinstance(given[0], str) and _FEW_DIGITS.fullmatch(given[0].strip()) else given[0]
    if len(given) > 1 or not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_HITS:
        raise ConfigError(f"{place}: k must be a whole number from 1 to {MOST_HITS}")
    return value


def _is_yes(values: Any, place: str) -> bool:
    said = [str(value).strip().lower() for value in values]
    if unknown := [value for value in said if value not in _YES | _NO]:
        raise ConfigError(f"{place}: nothing must be yes or no, not {unknown[0]!r}")
    return any(value in _YES for value in said)
