"""Formulas, once each: TeX where the page carries it, else MathML written out on a line.

Renderers repeat a formula for the eye, for screen readers and for copying (KaTeX, MathJax, MediaWiki); the TeX
annotation (MathML Core, section 5.1) is the one copy that is kept.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from conversion.html.marks import visible
from conversion.html.tags import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TEX_DELIMITED = re.compile(
    r"\s*(?:\\\((?P<inline>.*)\\\)|\\\[(?P<block>.*)\\\]|\$\$(?P<dollars>.*)\$\$)\s*", re.DOTALL
)
_RENDERED = re.compile(
    r"(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax(?:_\w+)?|mjx-chtml|math|MathJax_SVG)(?:\s|$)"
)
_MAX_DEPTH = 100
_WRAPPED_STYLE = re.compile(r"\{\\(?:display|text)style\s+(.*)\}", re.DOTALL)


def formula_of_class(element: HtmlElement, name: str) -> str | None:
    """The formula of an element with a renderer's class; "" for a copy of one, None where it is no formula."""
    if not _RENDERED.search(name):
        return None
    if "MathJax_Preview" in name or "katex-html" in name or ("MathJax" in name and _script_follows(element)):
        return ""
    inner = element.find(".//math")
    if inner is not None:
        return formula(inner, block="katex-display" in name)
    for script in element.iter("script"):
        if found := script_formula(script):
            return found
    text = text_of(element)
    delimited = _TEX_DELIMITED.fullmatch(text)
    if delimited:
        tex = delimited.group("inline")
        return _tex(tex or delimited.group("block") or delimited.group("dollars") or "", block=tex is None)
    return None


def formula(element: HtmlElement, block: bool = False) -> str:
    """A ``math`` element (or a container of one) as ``$tex$``, ``$$tex$$`` or plain linear text."""
    math = element if element.tag == "math" else element.find(".//math")
    if math is None:
        return ""
    display = block or math.get("display") == "block" or element.get("display") == "true"
    for annotation in math.iter("annotation"):
        if "tex" in (annotation.get("encoding") or "").lower() and (annotation.text or "").strip():
            return _tex(annotation.text or "", display)
    if alternative := math.get("alttext"):
        return _tex(alternative, display)
    return " ".join(linear(math).split())


def linear(element: HtmlElement, depth: int = 0) -> str:
    """MathML as linear text: fractions with a slash, scripts with ``^`` and ``_``, roots with ``√``.

    Elements nested deeper than any formula is give their text only.
    """
    if depth == _MAX_DEPTH:
        return visible(text_of(element)).strip()
    parts = [
        linear(child, depth + 1)
        for child in element
        if isinstance(child.tag, str) and not child.tag.startswith("annotation")
    ]
    match element.tag, parts:
        case "mfrac", [upper, lower]:
            return f"{_grouped(upper)}/{_grouped(lower)}"
        case "msup" | "mover", [base, upper]:
            return f"{base}^{_grouped(upper)}"
        case "msub" | "munder", [base, lower]:
            return f"{base}_{_grouped(lower)}"
        case "msubsup" | "munderover", [base, lower, upper]:
            return f"{base}_{_grouped(lower)}^{_grouped(upper)}"
        case "msqrt", _:
            return f"√{_grouped(''.join(parts))}"
        case "mroot", [base, degree]:
            return f"{_grouped(degree)}√{_grouped(base)}"
        case "mtr", _:
            return ", ".join(parts) + "; "
        case "mspace", _:
            return " "
        case _:
            return (visible(element.text or "").strip() if not parts else "") + "".join(parts)


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) < 2 or text.isalnum() else f"({text})"


def script_formula(script: HtmlElement) -> str:
    """The formula of a ``math/tex`` script (MathJax 2); empty for any other script."""
    kind = script.get("type") or ""
    return _tex(script.text or "", block="mode=display" in kind) if kind.startswith("math/tex") else ""


def _script_follows(element: HtmlElement) -> bool:
    """Whether the source of the formula comes next, so that its rendering is a copy."""
    for sibling in islice(element.itersiblings(), 2):
        if sibling.tag == "script":
            return (sibling.get("type") or "").startswith("math/tex")
    return False


def _tex(source: str, block: bool) -> str:
    tex = " ".join(source.split())
    if styled := _WRAPPED_STYLE.fullmatch(tex):
        tex = styled.group(1).strip()
    if not tex:
        return ""
    return f"$${tex}$$" if block else f"${tex}$"
