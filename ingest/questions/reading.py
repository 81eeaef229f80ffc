"""Files of questions: CSV or TSV with a header, JSON Lines, JSON or TOML.

    query,url,quote,tags                        {"query": "...", "url": "https://...", "tags": ["keys"]}
    how do I rotate a key?,/keys.html,,keys
                                                [[question]]        # or [[canary]]
                                                query = "how do I rotate a key?"
                                                url = "https://docs.example.org/keys.html#rotate"

Every mistake is a ``ConfigError`` that names the file and the line.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.questions.question import KEYS, question_of
from wrac.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ingest.questions.question import Question

    Entries = Iterator[tuple[int, dict[str, Any]]]

_TABLE = re.compile(r"[ \t]*\[\[[ \t]*(question|canary)[ \t]*\]\]")
# Names of files may hold white space, so a cell is divided only where another URL begins.
_URL_AFTER = re.compile(r"\s+(?=[a-z][a-z0-9+.-]*://|/|[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?/)", re.IGNORECASE)
_BLANK = re.compile(r"\s*")
_EXAMPLE = "a first line `query,url` and below it one question a line"


def read_questions(file: str | Path) -> list[Question]:
    """The questions of a file, in its order, at least one; no two of them are the same.

    Raises ``ConfigError``.
    """
    path = Path(file)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        kinds = ", ".join(sorted(_READERS))
        raise ConfigError(
            f"{file}: the ending says how questions are written: {kinds}. The simplest: {_EXAMPLE} (.csv)"
        )
    questions: list[Question] = []
    lines: dict[tuple[str, ...], int] = {}
    for line, entry in reader(_text(path), str(file)):
        question = question_of(entry, line, f"{file}, line {line}")
        if question.identity in lines:
            first = lines[question.identity]
            raise ConfigError(f"{file}, line {line}: asks and expects what line {first} does: leave out one of both")
        lines[question.identity] = line
        questions.append(question)
    if not questions:
        raise ConfigError(f'{file} holds no entry: write {_EXAMPLE} (.csv), or {{"query": ..., "url": ...}} (.jsonl)')
    return questions


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: is not written in UTF-8: save the file as UTF-8") from error


def _table(text: str, file: str) -> Entries:
    """Rows of a table; the delimiter is the one of the header."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max("\t;,", key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    before = 0
    try:
        for row in rows:
            line, before = before + 1, rows.line_num
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = _header(row, f"{file}, line {line}")
                continue
            if any(cell.strip() for cell in row[len(header) :]):
                raise ConfigError(
                    f"{file}, line {line}: has {len(row)} cells where the header has {len(header)}: put a text that "
                    f'holds {delimiter!r} in double quotes, "like this{delimiter} for example"'
                )
            yield line, _entry(header, row)
    except csv.Error as error:
        raise ConfigError(f"{file}, line {rows.line_num}: is no row of a table: {error}") from error


def _header(row: list[str], place: str) -> list[str]:
    names = [cell.strip().lower() for cell in row]
    for name in names:
        if name and name not in KEYS:
            raise ConfigError(
                f"{place}: must name the columns, and {name!r} is none{did_you_mean(name, KEYS)}. Write `query,url`; "
                "columns are query, url, quote, tags, k, nothing and note"
            )
    return names


def _entry(header: list[str], row: list[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    for name, cell in zip(header, row, strict=False):
        if name and cell.strip():
            entry.setdefault(name, []).extend(_URL_AFTER.split(cell.strip()) if KEYS[name] == "urls" else [cell])
    return entry


def _json_lines(text: str, file: str) -> Entries:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _no_json(file, number, error) from error
            yield number, _object(entry, f"{file}, line {number}")


def _json(text: str, file: str) -> Entries:
    """A list of objects; each is placed at the line where it begins."""
    decoder, place = json.JSONDecoder(), _skip(text, 0)
    if text[place : place + 1] == "{":
        yield from _json_lines(text, file)
        return
    try:
        if text[place : place + 1] != "[":
            raise ConfigError(f'{file}, line 1: must be a list of questions: [{{"query": ..., "url": ...}}, ...]')
        place = _skip(text, place + 1)
        while text[place : place + 1] != "]":
            line = text.count("\n", 0, place) + 1
            entry, place = decoder.raw_decode(text, place)
            yield line, _object(entry, f"{file}, line {line}")
            place = _skip(text, place)
            place = _after_comma(text, place)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else text.count("\n", 0, place) + 1
        raise _no_json(file, line, error) from error


def _no_json(file: str, line: int, error: Exception) -> ConfigError:
    why = f"{error.msg} (column {error.colno})" if isinstance(error, json.JSONDecodeError) else str(error)
    return ConfigError(f"{file}, line {line}: is no JSON: {why}")


def _after_comma(text: str, place: int) -> int:
    if text[place : place + 1] not in (",", "]"):
        raise json.JSONDecodeError("expected a comma or the end of the list", text, place)
    return _skip(text, place + 1) if text[place] == "," else place


def _skip(text: str, place: int) -> int:
    """The next place without white space."""
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _toml(text: str, file: str) -> Entries:
    try:
        known = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        where = f"{file}, line {found[1]}" if found else file
        raise ConfigError(f"{where}: is no TOML: {error}") from error
    found_at: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if head := _TABLE.match(line):
            found_at.setdefault(head[1], []).append(number)
    placed: list[tuple[int, Any]] = []
    for name, value in known.items():
        if name not in ("question", "canary"):
            raise ConfigError(f"{file}: there is no {name!r}: begin each question with a line [[question]]")
        entries = value if isinstance(value, list) else [value]
        lines = found_at.get(name, [])
        placed += zip(lines if len(lines) == len(entries) else [1] * len(entries), entries, strict=True)
    for place, entry in sorted(placed, key=lambda each: each[0]):
        yield place, _object(entry, f"{file}, line {place}")


def _object(entry: Any, place: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ConfigError(f"{place}: must be an object with query and url, not {json.dumps(entry)[:60]}")
    return entry


_READERS: dict[str, Callable[[str, str], Entries]] = {
    ".csv": _table,
    ".tsv": _table,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".toml": _toml,
}
