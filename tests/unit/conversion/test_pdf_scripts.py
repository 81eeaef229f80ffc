"""Scripts other than Latin: what pdfium reorders is put back, and fonts whose glyphs are of one width are no code."""

from __future__ import annotations

import pytest
from pdf_files import Page, pdf

from conversion.pdf import PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
HEBREW = {ord("a") + n: chr(0x05D0 + n) for n in range(20)}
"""Letters of the font H: a is alef, b is bet, ..."""


def drawn(y: float, pieces: list[tuple[float, str, str]]) -> str:
    """One line: (x, font, characters from left to right, as they are drawn)."""
    return "".join(f"BT 0 g /{font} 10 Tf 1 0 0 1 {x} {y} Tm ({words}) Tj ET\n" for x, font, words in pieces)


def converted(content: str, meanings: dict[str, dict[int, str]], fonts: dict[str, str] | None = None) -> str:
    data = pdf([Page(content)], meanings=meanings, fonts=fonts)
    return convert_pdf(data, "file:a.pdf", NO_OCR).document.text


LINES = "".join(drawn(600 - 12 * n, [(300, "H", "abcdef ghijkl mnopqr abcdef")]) for n in range(4))
"""Enough Hebrew to say in which direction the page runs."""


@pytest.mark.parametrize("token", ["E1", "example.org", "v2.1-beta", "3.5"])
def test_latin_words_with_digits_and_points_keep_their_order_between_hebrew_ones(token: str) -> None:
    width = 6.0 * len(token)
    made = converted(
        LINES + drawn(700, [(400, "H", "cba"), (396 - width, "F3", token), (380 - width, "H", "fed")]), {"H": HEBREW}
    )
    assert token in made


def test_a_ligature_of_lam_and_alef_is_lam_and_then_alef() -> None:
    # Drawn from right to left: alef, the ligature, seen. pdfium gives both letters of a glyph in the order of drawing.
    arabic = {ord("a"): "\u0627", ord("b"): "\u0644\u0627", ord("c"): "\u0633", ord("d"): "\u062a"}
    content = "".join(drawn(700 - 12 * n, [(400, "H", "dcbacdc")]) for n in range(3))
    made = converted(content, {"H": arabic})
    assert "\u0633\u062a\u0633\u0627\u0644\u0627\u0633\u062a" in made


def test_brackets_open_before_they_close() -> None:
    content = drawn(700, [(300, "H", "\\)abc\\( def")])
    made = converted(LINES + content, {"H": HEBREW | {ord("("): "(", ord(")"): ")", ord(" "): " "}})
    assert made.count("(") == made.count(")") == 1
    assert made.index("(") < made.index(")")


def test_chinese_in_a_font_of_one_width_is_prose() -> None:
    glyphs = {ord("a") + n: chr(0x6C34 + n) for n in range(26)}
    fixed = (
        "<</Type/Font/Subtype/Type1/BaseFont/SimSun/Encoding/WinAnsiEncoding/FirstChar 97/LastChar 122"
        f"/Widths[{' '.join(['1000'] * 26)}]/FontDescriptor<</Type/FontDescriptor/FontName/SimSun/Flags 33"
        "/FontBBox[0 -200 1000 800]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>>>"
    )
    content = "".join(drawn(700 - 14 * n, [(72, "W", "abcdefghijklmnopqrstuvwxyz")]) for n in range(3))
    made = converted(content, {"W": glyphs}, {"W": fixed})
    assert "`" not in made
    assert made.startswith("".join(glyphs.values()))


def test_a_line_from_right_to_left_on_a_page_from_left_to_right_is_read_in_its_own_direction() -> None:
    english = "".join(
        drawn(600 - 12 * n, [(72, "F1", "Most of the text of this page is English and runs to the right.")])
        for n in range(4)
    )
    # Read: abc 20 def ghi.
    line = drawn(700, [(270, "H", "ihg"), (286, "H", "fed"), (303, "F1", "20"), (317, "H", "cba")])
    letters = "".join(HEBREW[ord(c)] for c in "abcdefghi")
    made = converted(line + english, {"H": HEBREW})
    assert f"{letters[:3]} 20 {letters[3:6]} {letters[6:]}\n" in made
