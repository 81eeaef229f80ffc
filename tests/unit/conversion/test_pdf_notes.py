"""Notes at the foot of a page stand behind the paragraph that they would divide."""

from __future__ import annotations

from pdf_files import Page, column, pdf, text

from conversion.pdf import PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
FULL = "This line of body text is as wide as the column of the page allows it to be, so it is"


def converted(*contents: str) -> str:
    return convert_pdf(pdf([Page(content) for content in contents]), "file:a.pdf", NO_OCR).document.text


def note(y: float, mark: str, words: str) -> str:
    return text(72, y, mark, size=7) + text(84, y, words, size=7)


def test_a_sentence_over_a_page_border_is_whole_and_the_note_follows_it() -> None:
    first = column(72, 700, [FULL] * 6) + note(100, "1.", "See the minutes of May.") + note(90, "2.", "As before.")
    second = column(72, 700, ["and it ends here.", "", "Another one."])
    made = converted(first, second)
    assert f"{FULL} and it ends here.\n" in made.replace("  \n", " ")
    assert made.index("ends here") < made.index("See the minutes") < made.index("Another one")
    assert "As before." in made


def test_notes_below_a_finished_paragraph_follow_it_at_once() -> None:
    first = column(72, 700, [*[FULL] * 6, "It ends on this page."]) + note(100, "1.", "See the minutes of May.")
    made = converted(first, column(72, 700, ["The next page starts with a sentence."]))
    assert made.index("It ends") < made.index("See the minutes") < made.index("The next page")


def test_notes_of_the_last_page_are_kept() -> None:
    assert "See the minutes" in converted(column(72, 700, [FULL] * 6) + note(100, "1.", "See the minutes of May."))


def test_small_type_without_a_mark_is_no_note() -> None:
    small = column(72, 620, ["Small print that belongs here and is as wide as can be, so that it goes on,"] * 2, size=7)
    made = converted(column(72, 700, [FULL] * 6) + small, column(72, 700, ["and the next page begins."]))
    assert made.index("Small print") < made.index("the next page")


def test_rows_of_a_table_in_smaller_type_are_no_notes() -> None:
    def rows(first: int, top: float) -> str:
        return "".join(
            text(72 + 100 * place, top - 12 * n, f"{first + n}{'abc'[place]}", size=8)
            for n in range(5)
            for place in range(3)
        )

    made = converted(column(72, 700, [FULL] * 7) + rows(1, 150), rows(6, 700) + column(72, 500, ["and here."]))
    assert made.index("| 1a | 1b | 1c |") < made.index("| 10a | 10b | 10c |") < made.index("and here")
