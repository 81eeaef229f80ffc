"""Language tags (BCP 47, RFC 5646), as far as anything here depends on them."""

from __future__ import annotations


def primary_subtag(tag: str) -> str:
    """The language that a tag names, in lower case: ``pt`` for ``pt-BR`` and for ``PT_br``."""
    return tag.replace("_", "-").partition("-")[0].strip().lower()
