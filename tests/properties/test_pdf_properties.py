"""What holds for every PDF: no bytes crash the conversion, and no word that stands on a page vanishes unseen."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_files import BOLD, MONO, REGULAR, Page, pdf, rule, text

from chunking import build_tree
from conversion.pdf import PdfOptions, convert_pdf
from wrac.errors import ConversionFailed, NothingExtracted, UnsupportedContent

NO_OCR = PdfOptions(ocr=False)
SEED = pdf(
    [Page(text(72, 700, "Hello to everyone") + rule(72, 690, 300, 690)), Page(text(72, 700, "Second page", size=18))],
    outline=[(1, "Second page", 1)],
)
WORD = st.text(alphabet="abcdefgh", min_size=1, max_size=9)
PIECE = st.tuples(
    st.integers(20, 500),
    st.integers(30, 760),
    st.lists(WORD, min_size=1, max_size=6).map(" ".join),
    st.sampled_from([8, 10, 10, 10, 14, 22]),
    st.sampled_from([REGULAR, REGULAR, BOLD, MONO]),
)
RULE = st.tuples(st.integers(20, 300), st.integers(30, 760), st.integers(40, 280), st.booleans())


def outcome(data: bytes) -> bool:
    """Whether there is text, or an error that names the document."""
    try:
        return bool(convert_pdf(data, "file:a.pdf", NO_OCR).document.text.strip())
    except (ConversionFailed, NothingExtracted, UnsupportedContent) as error:
        return str(error).startswith("file:a.pdf: ")


@given(st.lists(st.tuples(st.integers(0, len(SEED) - 1), st.integers(0, 255)), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_damaged_bytes_convert_or_fail_with_the_documents_name(changes: list[tuple[int, int]]) -> None:
    data = bytearray(SEED)
    for place, value in changes:
        data[place] = value
    assert outcome(bytes(data))


@given(st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_any_bytes_convert_or_fail(tail: bytes) -> None:
    assert outcome(b"%PDF-1.7\n" + tail)


def letters(words: str) -> Counter[str]:
    return Counter(re.sub(r"[^a-h]", "", words))


def spread(pieces: list[tuple[int, int, str, int, str]]) -> list[tuple[int, int, str, int, str]]:
    """The pieces that no other covers: pdfium takes text over text for one that is drawn twice."""
    kept: list[tuple[int, int, str, int, str]] = []
    for piece in pieces:
        if all(abs(piece[1] - other[1]) > 24 for other in kept):
            kept.append(piece)
    return kept


@given(
    st.lists(
        st.tuples(st.lists(PIECE, min_size=1, max_size=12).map(spread), st.lists(RULE, max_size=6)),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=120, deadline=None)
def test_every_word_is_in_the_text_or_in_a_removal(
    drawn: list[tuple[list[tuple[int, int, str, int, str]], list[tuple[int, int, int, bool]]]],
) -> None:
    pages = []
    for pieces, rules in drawn:
        content = "".join(text(x, y, words, size=size, font=font) for x, y, words, size, font in pieces)
        content += "".join(rule(x, y, x + n, y) if flat else rule(x, y, x, y + n) for x, y, n, flat in rules)
        pages.append(Page(content, width=1_400))
    try:
        made = convert_pdf(pdf(pages), "file:a.pdf", NO_OCR)
    except ConversionFailed:
        # All of it was taken for running heads.
        return
    wanted = letters(" ".join(words for pieces, _ in drawn for _, _, words, _, _ in pieces))
    left_out = sum((letters(removal.preview) for removal in made.removals), Counter[str]())
    assert letters(made.document.text) + left_out == wanted
    offsets = [span.offset for span in made.document.pages]
    assert offsets == sorted(offsets)
    assert all(0 <= offset < len(made.document.text) for offset in offsets)
    tree = build_tree(made.document)
    owned = "".join(tree.text_of(unit) for unit in tree.units)
    assert letters(owned) == letters(made.document.text)
