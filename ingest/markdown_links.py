"""Links of a Markdown document, so that a site served as Markdown can be crawled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wrac.records import Link
from wrac.urls import join_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_INLINE = re.compile(r"(!?)\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]\(\s*<?([^\s<>()]+(?:\([^\s()]*\)[^\s<>()]*)*)")
_DEFINED = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]+)", re.MULTILINE)
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>")


def markdown_links(text: str, url: str) -> tuple[Link, ...]:
    """Links in order of first appearance, absolute and without fragment; images and code are passed over."""
    bare = _CODE.sub("", _FENCED.sub("", text))
    targets = (join_url(url, target) for target in _targets(bare))
    return tuple(Link(target) for target in dict.fromkeys(targets) if target)


def _targets(text: str) -> Iterator[str]:
    found = [(m.start(), m[2]) for m in _INLINE.finditer(text) if not m[1]]
    found += [(m.start(), m[1]) for pattern in (_DEFINED, _AUTOLINK) for m in pattern.finditer(text)]
    return (target for _, target in sorted(found))
