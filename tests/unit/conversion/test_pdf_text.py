"""Prose in PDF: paragraphs, hyphens, headings, lists, code, links and the page map."""

from __future__ import annotations

import pytest
from pdf_files import BOLD, ITALIC, MONO, Page, column, pdf, text

from conversion.pdf import PageStatus, PdfOptions, convert_pdf
from wrac.errors import NothingExtracted

NO_OCR = PdfOptions(ocr=False)
FULL = "This line of body text is as wide as the column of the page allows it to be, so it is"


def converted(*contents: str, **more: object) -> str:
    return convert_pdf(pdf([Page(content) for content in contents], **more), "file:a.pdf", NO_OCR).document.text  # type: ignore[arg-type]


def test_lines_of_a_paragraph_are_joined_and_a_wider_gap_parts_paragraphs() -> None:
    first = column(72, 700, [FULL, "followed by a second line."])
    second = column(72, 660, [FULL, "another paragraph altogether."])
    assert converted(first + second) == f"{FULL} followed by a second line.\n\n{FULL} another paragraph altogether.\n"


def test_a_first_line_indent_parts_paragraphs_that_no_gap_parts() -> None:
    lines = (
        column(72, 700, [FULL, FULL]) + text(87, 676, "An indented line starts a paragraph here") + text(72, 664, FULL)
    )
    assert converted(lines).count("\n\n") == 1


def test_a_short_line_inside_a_paragraph_is_a_hard_break() -> None:
    lines = column(72, 700, [FULL, "Head Office:", "Tower 1, Sector 18", FULL])
    assert "Head Office:  \nTower 1, Sector 18" in converted(lines)


def test_a_paragraph_goes_on_over_a_page_border_and_the_page_map_tells_where() -> None:
    pages = [Page(column(72, 100, [FULL, FULL])), Page(column(72, 700, ["continued on the next page."]))]
    document = convert_pdf(pdf(pages), "file:a.pdf", NO_OCR).document
    assert document.text.count("\n\n") == 0
    second = document.pages[1]
    assert [span.page for span in document.pages] == [1, 2]
    assert document.text[second.offset :].startswith("continued on the next page")


def test_a_sentence_that_ended_is_not_joined_to_the_next_page() -> None:
    pages = [column(72, 100, [FULL, "It ends here."]), column(72, 700, ["A new page starts."])]
    assert "It ends here.\n\nA new page" in converted(*pages)


@pytest.mark.parametrize(
    ("end", "start", "joined"),
    [
        ("the arrange-", "ment of the parts", "arrangement of"),
        ("the Mercedes-", "Benz of the family", "Mercedes-Benz of"),
        ("a span of 24-", "hour days", "24-hour days"),
    ],
)
def test_hyphens_at_line_ends(end: str, start: str, joined: str) -> None:
    lines = column(72, 700, [FULL, FULL[: -len(end)] + end, f"{start} goes on."])
    assert joined in converted(lines)


def test_a_hyphen_stays_where_the_document_writes_the_word_with_one() -> None:
    lines = [FULL, "This is about a well-known case that all " + FULL[:14] + " of a well-", "known kind, and so on."]
    assert "of a well-known kind" in converted(column(72, 700, lines))


def test_larger_type_makes_headings_in_the_order_of_sizes() -> None:
    page = (
        text(72, 720, "A Manual of Everything", size=20, font=BOLD)
        + text(72, 690, "The first chapter", size=14, font=BOLD)
        + column(72, 670, [FULL, FULL])
        + text(72, 620, "The second chapter", size=14, font=BOLD)
        + column(72, 600, [FULL, FULL])
    )
    lines = converted(page).splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# A Manual of Everything",
        "## The first chapter",
        "## The second chapter",
    ]


def test_the_outline_names_headings_and_levels_that_type_does_not_show() -> None:
    page = text(72, 720, "Scope") + column(72, 690, [FULL]) + text(72, 660, "2.1 Terms") + column(72, 630, [FULL])
    made = converted(page, outline=[(1, "Scope", 0), (2, "Terms", 0)])
    assert "# Scope\n" in made
    assert "## 2.1 Terms\n" in made


def test_bold_lines_in_running_text_are_no_headings() -> None:
    lines = column(72, 700, [FULL, FULL]) + text(72, 676, "Note:", font=BOLD) + text(110, 676, FULL[:60])
    assert "#" not in converted(lines)
    assert "**Note:**" in converted(lines)


def test_bullets_with_nesting_and_wrapped_items() -> None:
    page = (
        text(72, 700, "\225")
        + column(84, 700, [FULL, "wrapped line of it"])
        + text(96, 676, "\226")
        + text(108, 676, "an inner item")
        + text(72, 664, "\225")
        + text(84, 664, "the last item")
    )
    assert converted(page) == f"- {FULL} wrapped line of it\n  - an inner item\n- the last item\n"


def test_numbers_are_kept_as_the_file_has_them() -> None:
    page = column(72, 700, ["3. The third step", "4. The fourth step", "5. The fifth step"])
    assert converted(page) == "3. The third step\n4. The fourth step\n5. The fifth step\n"


def test_a_number_at_the_start_of_a_wrapped_line_is_no_list() -> None:
    lines = column(72, 700, [FULL, FULL, "3. That is how the sentence goes on. " + FULL[:40]])
    assert "\n3." not in converted(lines)


def test_code_keeps_indentation_and_blank_lines() -> None:
    page = (
        column(72, 720, [FULL])
        + text(72, 690, "def f(x):", font=MONO)
        + text(96, 678, "return x", font=MONO)
        + text(72, 654, "f(1)", font=MONO)
    )
    assert "```\ndef f(x):\n    return x\n\nf(1)\n```" in converted(page)


def test_fixed_width_words_inside_a_line_are_code_spans_and_emphasis_stays() -> None:
    page = (
        text(72, 700, "Run")
        + text(95, 700, "make all", font=MONO)
        + text(148, 700, "in a")
        + text(167, 700, "new", font=ITALIC)
    )
    assert converted(page) == "Run `make all` in a *new*\n"


def test_links_lead_where_the_annotation_says_and_end_inside_words() -> None:
    page = Page(
        text(72, 700, "See the manual."),
        links=[((108, 697, 141, 710), "https://docs.example/manual"), ((72, 697, 88, 710), "javascript:alert(1)")],
    )
    made = convert_pdf(pdf([page]), "file:a.pdf", NO_OCR).document.text
    assert made == "See the [manual](https://docs.example/manual).\n"


def test_text_that_markdown_would_read_is_escaped() -> None:
    assert converted(text(72, 700, "# no heading, *no emphasis*")) == "\\# no heading, \\*no emphasis\\*\n"


@pytest.mark.parametrize(("rotate", "degrees"), [(90, 90), (180, 180), (270, 270)])
def test_rotated_pages_read_as_they_are_seen(rotate: int, degrees: int) -> None:
    step = {90: (12, 0), 180: (0, 12), 270: (-12, 0)}[degrees]
    from pdf_files import turned

    content = turned(300, 400, "The upper line", degrees) + turned(
        300 + step[0], 400 + step[1], "the lower line", degrees
    )
    made = convert_pdf(pdf([Page(content, rotate=rotate)]), "file:a.pdf", NO_OCR).document.text
    assert made.split() == "The upper line the lower line".split()


def test_the_title_is_the_files_own_unless_it_is_a_file_name() -> None:
    page = Page(text(72, 720, "The real title", size=20) + column(72, 690, [FULL]))
    assert convert_pdf(pdf([page], title="A Guide"), "file:a.pdf").document.title == "A Guide"
    assert convert_pdf(pdf([page], title="Microsoft Word - x.docx"), "file:a.pdf").document.title == "The real title"


def test_the_same_bytes_give_the_same_digest() -> None:
    data = pdf([Page(column(72, 700, [FULL]))])
    assert convert_pdf(data, "file:a.pdf").document == convert_pdf(data, "file:a.pdf").document


def test_a_blank_page_between_others_is_told_and_costs_nothing() -> None:
    made = convert_pdf(pdf([Page(text(72, 700, "One")), Page(), Page(text(72, 700, "Three"))]), "file:a.pdf", NO_OCR)
    assert [report.status for report in made.pages] == [PageStatus.TEXT, PageStatus.EMPTY, PageStatus.TEXT]
    assert made.pages_ok == 3


def test_blank_documents_fail_with_their_name() -> None:
    with pytest.raises(NothingExtracted, match=r"file:a\.pdf: no text on any of its 2 pages: they are blank"):
        convert_pdf(pdf([Page(), Page()]), "file:a.pdf", NO_OCR)


def risen(x: float, y: float, pieces: list[tuple[str, float, int]]) -> str:
    """Pieces of one line: (text, size, rise above the baseline)."""
    shown = " ".join(f"/F1 {size} Tf {rise} Ts ({words}) Tj" for words, size, rise in pieces)
    return f"BT 0 g 1 0 0 1 {x} {y} Tm {shown} 0 Ts ET\n"


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([("under 10", 10, 0), ("6", 6, 4), (" Pa is", 10, 0)], "under 10^6 Pa is"),
        ([("a flow in m", 10, 0), ("3", 6, 4), ("/h is", 10, 0)], "a flow in m^3/h is"),
        ([("under 10", 10, 0), ("6", 8.6, 4), (" Pa is", 10, 0)], "under 10^6 Pa is"),
        ([("at s", 10, 0), ("-1", 6, 4), (" it is", 10, 0)], "at s^-1 it is"),
        ([("of 10", 10, 0), ("-", 6.5, 4), ("6", 6, 4), (" m", 10, 0)], "of 10^-6 m"),
        ([("Built in 2019.", 10, 0), ("4", 6, 4), (" Sold", 10, 0)], "Built in 2019.^4 Sold"),
        ([("on the 1", 10, 0), ("st", 6, 4), (" day", 10, 0)], "on the 1st day"),
        ([("of H", 10, 0), ("2", 6, -2), ("O is", 10, 0)], "of H2O is"),
    ],
)
def test_raised_numbers_do_not_become_digits_of_the_number_before(
    pieces: list[tuple[str, float, int]], expected: str
) -> None:
    assert expected in converted(risen(72, 700, pieces) + column(72, 688, [FULL, FULL]))


def test_the_number_of_a_note_is_no_digit_of_its_text() -> None:
    note = risen(72, 100, [("1", 5, 3), ("20 cups were measured.", 8, 0)])
    assert "1 20 cups were" in converted(column(72, 700, [FULL] * 8) + note)


@pytest.mark.parametrize(
    ("meaning", "expected"),
    [
        ("\U0001f600", "Let \U0001f600 be the flow of all pumps."),
        # Letters of mathematical alphabets are letters in another type; nobody asks for them by their own codes.
        ("\U0001d70c", "Let \u03c1 be the flow of all pumps."),
        ("\U0001d7d8", "Let 0 be the flow of all pumps."),
    ],
)
def test_characters_beyond_the_basic_plane_are_whole(meaning: str, expected: str) -> None:
    line = "BT 0 g 1 0 0 1 72 700 Tm /F1 10 Tf (Let ) Tj /M 10 Tf (a) Tj /F1 10 Tf ( be the flow of all pumps.) Tj ET\n"
    assert converted(line, meanings={"M": {ord("a"): meaning}}) == f"{expected}\n"


def test_an_index_inside_an_exponent_is_no_exponent() -> None:
    pieces = [("times x", 10, 0), ("M", 7, 5), ("2", 5, 3), (" is", 10, 0)]
    assert "times xM2 is" in converted(risen(72, 700, pieces) + column(72, 688, [FULL, FULL]))
