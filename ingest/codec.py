"""Records to JSON and back, for the archive. Field names are kept, so that a later version can still read them.

Reading fills fields that the stored text lacks with their defaults and passes over fields that no longer exist.
"""

from __future__ import annotations

import json
import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

_Record = TypeVar("_Record")


def encode(record: object) -> bytes:
    """UTF-8 JSON of a record; equal records give equal bytes. Lone surrogates survive as escapes."""
    return json.dumps(record, default=_as_dict, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def decode(cls: type[_Record], data: bytes) -> _Record:
    """The record that ``encode`` wrote. Raises ``ValueError`` where the data is no such record."""
    try:
        return cast("_Record", _reader(cast("Any", cls))(json.loads(data)))
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ValueError(f"no {cls.__name__} in the stored data: {error}") from error


def _as_dict(value: object) -> dict[str, Any]:
    return _dissolver(cast("Any", type(value)))(value)


@cache
def _dissolver(cls: type) -> Callable[[Any], dict[str, Any]]:
    """How a record of ``cls`` becomes a dict; a page has hundreds of records."""
    if not is_dataclass(cls):
        raise TypeError(f"{cls.__name__} cannot be stored")
    names = _names(cls)
    if len(names) == 1:
        return lambda value: {names[0]: getattr(value, names[0])}
    values = attrgetter(*names)
    return lambda value: dict(zip(names, values(value), strict=True))


@cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls))


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """How a value of ``kind`` is made from parsed JSON."""
    origin = get_origin(kind)
    if is_dataclass(kind):
        return _record_reader(cast("type", kind))
    if origin is tuple:
        return _tuple_reader(get_args(kind))
    if origin in (Union, types.UnionType):
        inner = _reader(next(arg for arg in get_args(kind) if arg is not type(None)))
        return lambda value: None if value is None else inner(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return lambda value: value


def _tuple_reader(args: tuple[Any, ...]) -> Callable[[Any], Any]:
    if len(args) == 2 and args[1] is Ellipsis:
        if args[0] in (str, int, float, bool):
            return tuple
        item = _reader(args[0])
        return lambda value: tuple(item(part) for part in value)
    items = [_reader(arg) for arg in args]
    return lambda value: tuple(item(part) for item, part in zip(items, value, strict=True))


def _record_reader(cls: type) -> Callable[[Any], Any]:
    hints = get_type_hints(cls)
    readers = {name: _reader(hints[name]) for name in _names(cls)}
    plain = (str, int, float, bool)
    direct = frozenset(name for name, hint in hints.items() if hint in plain)

    def read(value: Any) -> Any:
        return cls(**{k: v if k in direct else readers[k](v) for k, v in value.items() if k in readers})

    return read
