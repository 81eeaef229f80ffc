"""Text as every ledger stores and compares it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy import Dialect
    from sqlalchemy.types import TypeEngine

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


class Words(TypeDecorator[str]):
    """Text of any length and language, ordered by code point.

    PostgreSQL stores no NUL and neither database a lone surrogate: each is kept as U+FFFD, in both alike. PostgreSQL
    would sort by the language of the server; here ``order by`` and ``<`` mean the same everywhere.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The column's type in one database."""
        kind = Text(collation="C") if dialect.name == "postgresql" else Text()
        return dialect.type_descriptor(kind)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's own
        """What is sent to the database."""
        return storable(value) if value else value


def storable(text: str) -> str:
    """``text`` with a replacement character (U+FFFD) for each character that some database refuses."""
    if text.isascii() and "\x00" not in text:
        return text
    return _NOT_STORABLE.sub("\ufffd", text)
