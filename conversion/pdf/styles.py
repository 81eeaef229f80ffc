"""Fonts, sizes, colours and render modes of text objects, asked for once each."""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import replace

import pypdfium2.raw as pdfium

from conversion.pdf.records import Style

_BOLD = re.compile(r"bold|black|heavy|demi|(?<![a-z])bd(?![a-z])|-b(?:i|x)?\d*$|cmbx|cmssbx", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|-it?\d*$|cmti|cmsl", re.IGNORECASE)
_MONO = re.compile(
    r"mono|courier|consol|typewriter|cmtt|sftt|ectt|lmtt|menlo|fixed|monaco|inconsolata|sourcecode|-tt", re.IGNORECASE
)
_SUBSET = re.compile(r"^[A-Z]{6}\+")
# Font descriptor flags (ISO 32000-1, table 123).
_FIXED_PITCH, _ITALIC_FLAG, _FORCE_BOLD = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 700
"""pdfium derives weights from the width of stems, which many fonts give wrongly: only where the name is silent."""
_NAMELESS = re.compile(r"(?:[ft]|tt|font|cidfont|type3)?[-+_]?\d*", re.IGNORECASE)
ARTIFACT = -2
"""In place of the marked-content identifier of text that the file itself calls an artifact, as running heads are."""
TYPED = -3
"""The same of text that stands in annotations, which no structure holds."""
TINY_POINTS = 1.0
"""Text smaller than this is no reading matter; the smallest print of real documents is about 3 points."""
WHITE = 250
"""A colour of which all components are at least this is paper to the eye."""


class Styles:
    """The styles of one page's text objects."""

    def __init__(self, text_page: pdfium.FPDF_TEXTPAGE) -> None:
        self._text = text_page
        self._by_font: dict[int, tuple[str, bool, bool, bool]] = {}
        self._by_object: dict[int, tuple[Style, int]] = {}
        self._same: dict[Style, Style] = {}
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(256)
        self._mark = (ctypes.c_ushort * 32)()
        self._colour = tuple(ctypes.c_uint() for _ in range(4))

    def of(self, index: int, address: int) -> Style:
        """The style of the character ``index``, which belongs to the text object at ``address``."""
        return self._entry(index, address)[0]

    def tag(self, address: int) -> int:
        """Marked-content identifier of a text object that ``of`` was asked for, or ``ARTIFACT``, or -1."""
        return self._by_object[address][1]

    def _entry(self, index: int, address: int) -> tuple[Style, int]:
        known = self._by_object.get(address)
        if known is None:
            style = self._read(index, address)
            handle = self._handle(address)
            tag = pdfium.FPDFPageObj_GetMarkedContentID(handle) if handle else -1
            if tag < 0:
                tag = ARTIFACT if handle and self._is_artifact(handle) else -1
            known = self._by_object[address] = (self._same.setdefault(style, style), tag)
        return known

    def _is_artifact(self, handle: pdfium.FPDF_PAGEOBJECT) -> bool:
        length = ctypes.c_ulong()
        for index in range(max(0, pdfium.FPDFPageObj_CountMarks(handle))):
            mark = pdfium.FPDFPageObj_GetMark(handle, index)
            if mark and pdfium.FPDFPageObjMark_GetName(mark, self._mark, ctypes.sizeof(self._mark), length):
                name = bytes(self._mark)[: max(0, length.value - 2)]
                if name.decode("utf-16-le", "replace") == "Artifact":
                    return True
        return False

    @staticmethod
    def _handle(address: int) -> pdfium.FPDF_PAGEOBJECT | None:
        return ctypes.cast(address, pdfium.FPDF_PAGEOBJECT) if address else None

    def _read(self, index: int, address: int) -> Style:
        handle = self._handle(address)
        name, bold, italic, mono = self._font(handle)
        size = pdfium.FPDFText_GetFontSize(self._text, index)
        pdfium.FPDFText_GetMatrix(self._text, index, self._matrix)
        matrix = self._matrix
        scale = math.hypot(matrix.c, matrix.d)
        angle = _angle(math.degrees(math.atan2(matrix.b, matrix.a)))
        unmapped = pdfium.FPDFText_HasUnicodeMapError(self._text, index) == 1
        style = Style(name, round(abs(size * scale), 2), bold, italic, mono, angle, unmapped=unmapped)
        if handle is None:
            return style
        mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
        if mode == pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE:
            style = replace(style, bold=True)
        red, green, blue, alpha = self._colour
        known = pdfium.FPDFText_GetFillColor(self._text, index, red, green, blue, alpha)
        if mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
            style = replace(style, hidden="pdf.invisible")
        elif style.size < TINY_POINTS:
            style = replace(style, hidden="pdf.tiny")
        elif known and alpha.value == 0:
            style = replace(style, hidden="pdf.transparent")
        elif known and mode == pdfium.FPDF_TEXTRENDERMODE_FILL and min(red.value, green.value, blue.value) >= WHITE:
            style = replace(style, hidden="pdf.white")
        return style

    def _font(self, handle: pdfium.FPDF_PAGEOBJECT | None) -> tuple[str, bool, bool, bool]:
        font = pdfium.FPDFTextObj_GetFont(handle) if handle else None
        if not font:
            return "", False, False, False
        address = ctypes.addressof(font.contents)
        known = self._by_font.get(address)
        if known is None:
            length = pdfium.FPDFFont_GetBaseFontName(font, self._name, len(self._name))
            raw = self._name.raw[: max(0, min(length, len(self._name)) - 1)].decode("utf-8", "replace")
            name = _SUBSET.sub("", raw)
            flags = max(0, pdfium.FPDFFont_GetFlags(font))
            weight = pdfium.FPDFFont_GetWeight(font)
            is_nameless = _NAMELESS.fullmatch(name) is not None
            known = (
                name,
                bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD) or (weight >= _BOLD_WEIGHT and is_nameless),
                bool(_ITALIC.search(name)) or bool(flags & _ITALIC_FLAG),
                is_mono_name(name) or bool(flags & _FIXED_PITCH),
            )
            self._by_font[address] = known
        return known


def is_mono_name(font: str) -> bool:
    """Whether the name of the font says that its characters are of one width."""
    return _MONO.search(font) is not None


def _angle(degrees: float) -> int:
    nearest = round(degrees / 90) * 90
    return nearest % 360 if abs(degrees - nearest) <= 3 else -1
