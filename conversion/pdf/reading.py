"""Reads one page by pdfium: words with style and place, in the order of the file.

Per character only its code is read; places are asked for at the ends of words and styles once per text object, which
takes a quarter of the time of asking for every character.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2.raw as pdfium

from conversion.pdf.direction import RIGHT_TO_LEFT
from conversion.pdf.links import Links
from conversion.pdf.records import Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conversion.pdf.shapes import Box
    from conversion.pdf.styles import Styles

_TOKEN = re.compile(r"\S+")
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufdd0-\ufdef]"
)
HYPHEN = "\u2010"
"""Stands for a hyphen that pdfium found to divide a word at the end of a line."""
_LONG = 14
_BACK = 0.25
"""In sizes of type: a word that ends so far left of its beginning runs from right to left."""
_PUNCTUATION = ".,;:!?()[]{}\"'"
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")
_PDFIUM_HYPHENS = str.maketrans({"\x02": HYPHEN, "\ufffe": HYPHEN})
_FILLER = "\u2060"
"""No character at all: it is one of the controls."""
_MATHEMATICAL = {code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0x1D400, 0x1D800), 0x210E)}
"""Letters and digits of mathematical alphabets, as those that they are in another type."""
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
    | _MATHEMATICAL
)


class PageHandles(NamedTuple):
    """pdfium's handles of a page and of its text, which live as long as ``page_handles`` is open."""

    page: pdfium.FPDF_PAGE
    text: pdfium.FPDF_TEXTPAGE


def characters(handles: PageHandles, count: int) -> str:
    """One character for each of pdfium's character indices."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(handles.text, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * max(0, written)].decode("utf-16-le", "replace")
    if written != count or len(text) != count:
        # Characters without a code are left out of the text, and those beyond the BMP count twice: go one by one.
        text = _whole([pdfium.FPDFText_GetUnicode(handles.text, i) for i in range(count)])
    return text.translate(_PDFIUM_HYPHENS)


def _whole(codes: Sequence[int]) -> str:
    """One character a code; the two halves of a character beyond the basic plane are that and a filler."""
    out: list[str] = []
    before = 0
    for code in codes:
        if 0xDC00 <= code < 0xE000 and 0xD800 <= before < 0xDC00:
            out[-1] = chr(0x10000 + ((before - 0xD800) << 10) + code - 0xDC00)
            out.append(_FILLER)
        else:
            out.append(chr(code) if code and code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd")
        before = code
    return "".join(out)


def words(handles: PageHandles, text: str, styles: Styles, found: Sequence[tuple[Box, str]] = ()) -> Iterator[Word]:
    """The words of the page in its own coordinates, in the order of the file; parts of a word in other styles apart.

    ``found`` are boxes of links and their targets: a word is divided where a link ends inside it.
    """
    reader = _Reader(handles, styles)
    links = Links(found)
    for token in _TOKEN.finditer(text):
        glued = False
        for start, end, address in reader.pieces(token.start(), token.end()):
            word = reader.word(text[start:end], start, end, address)
            parts = [word]
            if found and (edges := links.edges(word)):
                parts = reader.divided(text, start, end, address, edges)
            for part in parts:
                part.text = _CONTROLS.sub("", part.text).translate(_LIGATURES)
                if len(part.inner) != len(part.text):
                    part.inner = ()
                if part.text:
                    part.glued, glued = glued, True
                    part.link = links.target(part) if found else ""
                    yield part


class _Reader:
    def __init__(self, handles: PageHandles, styles: Styles) -> None:
        self._text = handles.text
        self._styles = styles
        self._box = pdfium.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Parts of one style and one baseline: (start, end, address of the text object)."""
        first = self._object(start)
        if end - start == 1 or first == self._object(end - 1):
            yield start, end, first
            return
        begin, address = start, first
        for index in range(start + 1, end):
            other = self._object(index)
            if other != address:
                if self._parts(begin, address, index, other) or (index - begin > 1 and index + 1 < end):
                    yield begin, index, address
                    begin = index
                address = other
        yield begin, end, address

    def _object(self, index: int) -> int:
        found = pdfium.FPDFText_GetTextObject(self._text, index)
        return ctypes.addressof(found.contents) if found else 0

    def _parts(self, index: int, address: int, other_index: int, other: int) -> bool:
        style, next_style = self._styles.of(index, address), self._styles.of(other_index, other)
        if style != next_style:
            return True
        return abs(self._origin(index)[1] - self._origin(other_index)[1]) > 0.15 * style.size and style.angle in (
            0,
            180,
        )

    def _origin(self, index: int) -> tuple[float, float]:
        pdfium.FPDFText_GetCharOrigin(self._text, index, self._x, self._y)
        return self._x.value, self._y.value

    def divided(self, text: str, start: int, end: int, address: int, edges: Sequence[float]) -> list[Word]:
        """The word cut where its characters pass one of the edges (x)."""
        box, bounds, side = self._box, [start], -1
        for index in range(start, end):
            pdfium.FPDFText_GetLooseCharBox(self._text, index, box)
            passed = sum((box.left + box.right) / 2 > edge for edge in edges)
            if passed != side and index > start:
                bounds.append(index)
            side = passed
        bounds.append(end)
        return [self.word(text[a:b], a, b, address) for a, b in pairwise(bounds)]

    def word(self, piece: str, start: int, end: int, address: int) -> Word:
        box = self._box
        pdfium.FPDFText_GetLooseCharBox(self._text, start, box)
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        back = 0.0
        if end - start > 1:
            pdfium.FPDFText_GetLooseCharBox(self._text, end - 1, box)
            back = left - box.left
            left, right = min(left, box.left), max(right, box.right)
            bottom, top = min(bottom, box.bottom), max(top, box.top)
        style = self._styles.of(start, address)
        if style.angle == 0 and (back > _BACK * style.size or not piece.isascii()):
            piece = self._in_order(piece, start, runs_back=back > 0)
            if back > 0:
                left, right = self._extent(start, end)
        x, y = self._origin(start)
        word = Word(piece, left, right, bottom, top, y if style.angle in (0, 180, -1) else x, style)
        word.tag = self._styles.tag(address)
        if end - start >= _LONG:
            word.inner = tuple(self._left_of(index) for index in range(start, end))
        return word

    def _in_order(self, piece: str, start: int, *, runs_back: bool) -> str:
        """The word as it is read, where pdfium took it for a part of a line from right to left."""
        if RIGHT_TO_LEFT.search(piece) is None:
            core = piece.strip(_PUNCTUATION)
            if not runs_back or len(core) < 2:
                return piece
            first = piece.index(core)
            places = [self._origin(start + first + offset)[0] for offset in range(len(core))]
            read = "".join(core[offset] for offset in sorted(range(len(core)), key=lambda i: (places[i], i)))
            return piece[:first] + read + piece[first + len(core) :]
        for found in _ALEF_LAM.finditer(piece):
            first = start + found.start()
            if self._origin(first) == self._origin(first + 1):
                # One glyph: pdfium gives the letters of a ligature in the order of drawing.
                piece = piece[: found.start()] + piece[found.start() : found.end()][::-1] + piece[found.end() :]
        return piece

    def _extent(self, start: int, end: int) -> tuple[float, float]:
        """Of all characters, where the first and the last are not the outer ones."""
        lefts, rights = [], []
        for index in range(start, end):
            pdfium.FPDFText_GetLooseCharBox(self._text, index, self._box)
            lefts.append(float(self._box.left))
            rights.append(float(self._box.right))
        return min(lefts), max(rights)

    def _left_of(self, index: int) -> float:
        pdfium.FPDFText_GetLooseCharBox(self._text, index, self._box)
        return float(self._box.left)
