"""Office formulas (OMML; ECMA-376-1, 22.1) on one line, in the notation of TeX as far as it is read without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MAX_DEPTH = 40


def formula(element: etree._Element) -> str:
    """The formula as text; its words are all there, in reading order."""
    return " ".join(_content(element, 0).split())


def _content(element: etree._Element | None, depth: int) -> str:
    if element is None:
        return ""
    if depth > _MAX_DEPTH:
        return "".join(text.text or "" for text in element.iter(_M + "t"))
    return "".join(_read(child, depth + 1) for child in element)


def _read(element: etree._Element, depth: int) -> str:
    if element.tag == _M + "t":
        return element.text or ""
    if element.tag == _M + "r":
        return "".join(text.text or "" for text in element.iter(_M + "t"))
    handler = _HANDLERS.get(element.tag)
    if handler is not None:
        return handler(element, depth)
    if not isinstance(element.tag, str) or element.tag.endswith("Pr"):
        return ""
    return _content(element, depth)


def _part(element: etree._Element, name: str, depth: int) -> str:
    return _content(element.find(_M + name), depth).strip()


def _property(element: etree._Element, name: str, default: str) -> str:
    found = element.find(f"*/{_M}{name}")
    return default if found is None else found.get(_M + "val", "")


def _grouped(text: str) -> str:
    """Brackets around what is more than one sign or number."""
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def _fraction(element: etree._Element, depth: int) -> str:
    return f"{_grouped(_part(element, 'num', depth))}/{_grouped(_part(element, 'den', depth))}"


def _scripts(element: etree._Element, depth: int) -> str:
    low, high = _part(element, "sub", depth), _part(element, "sup", depth)
    return _part(element, "e", depth) + (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")


def _root(element: etree._Element, depth: int) -> str:
    degree = _part(element, "deg", depth)
    return f"{degree}√({_part(element, 'e', depth)})" if degree else f"√({_part(element, 'e', depth)})"


def _sum(element: etree._Element, depth: int) -> str:
    low, high = _part(element, "sub", depth), _part(element, "sup", depth)
    sign = _property(element, "chr", "∫")
    limits = (f"_{_grouped(low)}" if low else "") + (f"^{_grouped(high)}" if high else "")
    return f"{sign}{limits} {_part(element, 'e', depth)}"


def _brackets(element: etree._Element, depth: int) -> str:
    opener, closer = _property(element, "begChr", "("), _property(element, "endChr", ")")
    separator = _property(element, "sepChr", "|")
    return opener + separator.join(_content(e, depth).strip() for e in element.findall(_M + "e")) + closer


def _rows(element: etree._Element, depth: int) -> str:
    rows = element.findall(_M + "mr") or [element]
    return "; ".join(", ".join(_content(e, depth).strip() for e in row.findall(_M + "e")) for row in rows)


def _function(element: etree._Element, depth: int) -> str:
    return f"{_part(element, 'fName', depth)} {_part(element, 'e', depth)}"


def _limit(element: etree._Element, depth: int) -> str:
    return f"{_part(element, 'e', depth)}_{_grouped(_part(element, 'lim', depth))}"


_HANDLERS: dict[object, Callable[[etree._Element, int], str]] = {
    _M + "f": _fraction,
    _M + "sSub": _scripts,
    _M + "sSup": _scripts,
    _M + "sSubSup": _scripts,
    _M + "rad": _root,
    _M + "nary": _sum,
    _M + "d": _brackets,
    _M + "m": _rows,
    _M + "eqArr": _rows,
    _M + "func": _function,
    _M + "limLow": _limit,
    _M + "limUpp": _limit,
}
