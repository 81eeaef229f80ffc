"""HTML that is escaped by construction: what is not ``Html`` is text, and is shown as it is."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_VOID = frozenset({"meta", "br", "rect", "line", "path", "circle"})
# C0 and C1 controls, the bidirectional overrides (Unicode TR9, TR36), tag characters, and lone surrogates: what would
# reorder or hide text is shown by its number instead.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_SAFE_LINK = re.compile(r"https?://[^\s\x00-\x1f\\]+", re.IGNORECASE)
_LOCAL_LINK = re.compile(r"#[a-z0-9-]+")


class Html(str):
    """Markup, made by ``element`` alone; a plain ``str`` is text."""

    __slots__ = ()


def text(value: str) -> Html:
    """``value`` to be read, whatever it holds."""
    return Html(escape(_INVISIBLE.sub(lambda found: f"\\u{ord(found.group()):04x}", value)))


def element(name: str, /, *children: str, **attributes: str | float) -> Html:
    """An element. ``class_`` stands for ``class`` and ``_`` in other names for ``-``; empty attributes are left out."""
    given = "".join(_attribute(key, str(value)) for key, value in attributes.items() if value != "")
    if name in _VOID:
        return Html(f"<{name}{given}>") if name in ("meta", "br") else Html(f"<{name}{given}/>")
    return Html(f"<{name}{given}>{join(children)}</{name}>")


def join(children: Iterable[str]) -> Html:
    """The children one after another."""
    return Html("".join(child if isinstance(child, Html) else text(child) for child in children))


def link(url: str, label: str = "") -> Html:
    """A link to a web page or to a place of this page; text alone where the URL is anything else."""
    if _LOCAL_LINK.fullmatch(url):
        return element("a", label or url, href=url)
    if _SAFE_LINK.fullmatch(url):
        return element("a", label or url, href=url, rel="noreferrer noopener")
    return element("span", label or url)


def _attribute(key: str, value: str) -> str:
    return f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
