"""Styles: what they are called, what they build on, and what they say of outline, numbering, fonts and visibility."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from conversion.office.docx.names import DRAWING, W, attribute, flag, value, whole
from conversion.office.fonts import is_fixed_font

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree

_T = TypeVar("_T")

_LONGEST_CHAIN = 30
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)
_BODY_TEXT_LEVEL = 9
_CODE = re.compile(
    r"(?:source ?code|code(?: ?(?:block|example|listing|sample|text))?|(?:html )?preformatted(?: text)?|listing"
    r"|verbatim|macro(?: text)?|program ?listing|console|screen|terminal)",
    re.IGNORECASE,
)
_CODE_STYLE = re.compile(r"(?:^|\b)(?:verbatim|(?:source |inline |html )?code|html typewriter)(?:\b|$)", re.IGNORECASE)
_QUOTE = re.compile(r"(?:intense )?quot(?:e|ations?)|block ?(?:text|quot(?:e|ation))", re.IGNORECASE)
_CONTENTS = re.compile(
    r"toc heading|toc \d|contents? (?:heading|\d)|table of figures|index \d|index heading", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Style:
    """One style as written, without what it inherits."""

    id: str
    name: str
    kind: str
    """``paragraph``, ``character``, ``table`` or ``numbering``."""
    based_on: str
    element: etree._Element


class Styles:
    """The style sheet of a document. Chains of inheritance that bite their own tail end."""

    def __init__(self, root: etree._Element | None, theme: etree._Element | None, fonts: etree._Element | None) -> None:
        self._styles: dict[tuple[str, str], Style] = {}
        self._defaults: dict[str, str] = {}
        self._flags: dict[tuple[str, str | None, str | None], bool] = {}
        self._mono: dict[tuple[str | None, str | None, str | None], bool] = {}
        self._root = root
        self._theme = theme
        self._fixed = _fixed_fonts(fonts)
        for element in root.iter(W + "style") if root is not None else ():
            style = Style(
                element.get(W + "styleId", ""),
                value(element, "name") or str(element.get(W + "styleId", "")),
                element.get(W + "type", "paragraph"),
                value(element, "basedOn") or "",
                element,
            )
            self._styles.setdefault((style.kind, style.id), style)
            if element.get(W + "default") in ("1", "true", "on"):
                self._defaults.setdefault(style.kind, style.id)

    def chain(self, kind: str, identifier: str | None) -> Iterator[Style]:
        """The style and what it builds on, nearest first; the default style where none is named or known."""
        style = self._styles.get((kind, identifier or "")) or self._styles.get((kind, self._defaults.get(kind, "")))
        for _ in range(_LONGEST_CHAIN):
            if style is None:
                return
            yield style
            style = self._styles.get((kind, style.based_on)) if style.based_on else None

    def find(
        self, kind: str, identifier: str | None, part: str, read: Callable[[etree._Element], _T | None]
    ) -> _T | None:
        """The first value that is not None among the ``w:pPr`` or ``w:rPr`` of the chain."""
        for style in self.chain(kind, identifier):
            properties = style.element.find(W + part)
            if properties is not None and (found := read(properties)) is not None:
                return found
        return None

    # ------------------------------------------------------------ paragraphs

    def name(self, identifier: str | None) -> str:
        """Name of a paragraph style; the built-in ones have the same name in every language (17.7.4.9)."""
        style = self._styles.get(("paragraph", identifier or ""))
        return style.name if style else ""

    def heading_level(self, identifier: str | None, properties: etree._Element | None) -> int:
        """1 to 9, or 0 for body text: by outline level, the paragraph's own first, else by the name of a style."""
        own = whole(value(properties, "outlineLvl"))
        if own is not None:
            return own + 1 if 0 <= own < _BODY_TEXT_LEVEL else 0
        for style in self.chain("paragraph", identifier) if identifier else ():
            level = whole(value(style.element.find(W + "pPr"), "outlineLvl"))
            if level is not None:
                return level + 1 if 0 <= level < _BODY_TEXT_LEVEL else 0
            if named := _HEADING_NAME.fullmatch(style.name):
                return int(named.group(1))
        return 0

    def is_title(self, identifier: str | None) -> bool:
        """Whether the paragraph is the document's title."""
        return self.name(identifier).lower() == "title"

    def is_code(self, identifier: str | None) -> bool:
        """Whether a style of the chain is one for code."""
        return bool(identifier) and any(_CODE.fullmatch(style.name) for style in self.chain("paragraph", identifier))

    def is_quote(self, identifier: str | None) -> bool:
        """Whether the paragraph is a quotation."""
        return _QUOTE.fullmatch(self.name(identifier)) is not None

    def is_contents(self, identifier: str | None) -> bool:
        """Whether the paragraph belongs to a generated table of contents, of figures, or an index."""
        return _CONTENTS.fullmatch(self.name(identifier)) is not None

    def is_table_heading(self, identifier: str | None) -> bool:
        """Whether the paragraph is set as the head of a column."""
        return self.name(identifier).lower() == "table heading"

    def numbering(self, identifier: str | None) -> etree._Element | None:
        """The nearest ``w:numPr`` of the chain."""
        return self.find("paragraph", identifier, "pPr", lambda p: p.find(W + "numPr")) if identifier else None

    def indent(self, identifier: str | None) -> int | None:
        """Left indent in twentieths of a point."""
        return self.find("paragraph", identifier, "pPr", lambda p: attribute(p.find(W + "ind"), "start", "left"))

    def head_row_is_set_apart(self, table_style: str | None) -> bool:
        """Whether the table style gives its first row looks of its own."""
        return any(
            part.get(W + "type") == "firstRow" and len(part) > 0
            for style in self.chain("table", table_style)
            for part in style.element.iter(W + "tblStylePr")
        )

    # ------------------------------------------------------------ characters

    def run_flag(self, name: str, run: etree._Element | None, paragraph_style: str | None) -> bool:
        """A toggle property of a run: its own, else that of its style, else that of the paragraph's."""
        own = flag(run, name)
        if own is not None:
            return own
        return self._styled_flag(name, value(run, "rStyle"), paragraph_style)

    def _styled_flag(self, name: str, character_style: str | None, paragraph_style: str | None) -> bool:
        key = name, character_style, paragraph_style
        if key not in self._flags:
            found = self.find("character", character_style, "rPr", lambda r: flag(r, name)) if character_style else None
            if found is None:
                found = self.find("paragraph", paragraph_style, "rPr", lambda r: flag(r, name))
            self._flags[key] = bool(found)
        return self._flags[key]

    def is_mono(self, run: etree._Element | None, paragraph_style: str | None) -> bool:
        """Whether the run is set in a font of fixed width, in a document that is not so throughout."""
        if self._is_typewritten:
            return False
        font = self._font(run)
        if font is not None and not value(run, "rStyle"):
            return self.is_fixed(font)
        return self._is_mono_style(font, value(run, "rStyle"), paragraph_style)

    def _is_mono_style(self, own: str | None, character_style: str | None, paragraph_style: str | None) -> bool:
        key = own, character_style, paragraph_style
        if key not in self._mono:
            names = (s.name for s in self.chain("character", character_style)) if character_style else ()
            font = own or (self.find("character", character_style, "rPr", self._font) if character_style else None)
            font = font or self.find("paragraph", paragraph_style, "rPr", self._font)
            self._mono[key] = any(_CODE_STYLE.search(name) for name in names) or bool(font and self.is_fixed(font))
        return self._mono[key]

    def is_fixed(self, font: str) -> bool:
        """Whether a font has a fixed width, by the document's font table or by its name."""
        return font.lower() in self._fixed or is_fixed_font(font)

    @cached_property
    def _is_typewritten(self) -> bool:
        font = self.find("paragraph", None, "rPr", self._font)
        if font is None and self._root is not None:
            font = self._font(self._root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        return font is not None and self.is_fixed(font)

    def _font(self, properties: etree._Element | None) -> str | None:
        fonts = properties.find(W + "rFonts") if properties is not None else None
        if fonts is None:
            return None
        for name in ("ascii", "hAnsi", "cs"):
            if themed := fonts.get(f"{W}{name}Theme"):
                return self._theme_font(themed)
            if font := fonts.get(W + name):
                return font
        return None

    def _theme_font(self, name: str) -> str | None:
        place = "majorFont" if name.startswith("major") else "minorFont"
        latin = self._theme.find(f".//{DRAWING}{place}/{DRAWING}latin") if self._theme is not None else None
        return None if latin is None else latin.get("typeface")


def _fixed_fonts(fonts: etree._Element | None) -> frozenset[str]:
    if fonts is None:
        return frozenset()
    return frozenset(
        font.get(W + "name", "").lower() for font in fonts.iter(W + "font") if value(font, "pitch") == "fixed"
    )
