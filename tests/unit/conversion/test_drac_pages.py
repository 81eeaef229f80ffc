"""What goes to the model and what comes back, without a model: prompt, context, tables, assembly, page sources."""

from __future__ import annotations

import pytest
from pdf_files import Page, column, pdf, text

from conversion.documents import DocumentOptions
from conversion.drac.assemble import assemble
from conversion.drac.batches import VERSION, TranscribedPage, TranscriptStatus
from conversion.drac.context import contexts, with_heads
from conversion.drac.pages import PageSource, read_pages
from conversion.drac.prompt import PROMPT_VERSION, messages, parse
from conversion.drac.rows import as_sentences, tables
from conversion.versions import TRANSCRIPTION
from wrac.errors import ConversionFailed

TABLE = "| Plan | Fee \\| month |\n| --- | ---: |\n| Basic | 10 |\n| Plus |  |"


def test_the_recipe_names_the_versions_that_are_in_use() -> None:
    assert f"{VERSION} {PROMPT_VERSION}" == TRANSCRIPTION


def test_rows_become_sentences_with_the_heads_of_their_columns() -> None:
    assert as_sentences(f"Fees:\n\n{TABLE}\n\nEnd.") == (
        "Fees:\n\nPlan: Basic; Fee \\| month: 10.\n\nPlan: Plus.\n\nEnd."
    )
    assert tables(TABLE)[0].rows == (("Basic", "10"), ("Plus", ""))
    assert tables("| no | table |\n| a | b |") == []


@pytest.mark.parametrize(
    ("reply", "whole", "unended"),
    [
        ("[[page 1]]\nA\n[[page 2]]\nB\n[[end]]", {1: "A", 2: "B"}, {}),
        ("```markdown\n[[page 1]]\nA\n[[page 2]]\n\n[[end]]\n```", {1: "A", 2: ""}, {}),
        ("Sure!\n[[page 1]]\nA\n[[page 2]]\nB", {1: "A"}, {2: "B"}),
        ("[[page 1]]\nA\n[[page 7]]\nother\n[[end]]\nbye", {1: "A"}, {}),
        ("[[page 1]]\nA\n[[page 1]]\nagain\n[[page 2]]\nB\n[[end]]", {2: "B"}, {}),
        ("see [[page 1]] there\n[[page 2]]\nB\n[[end]]", {2: "B"}, {}),
        ("no marker", {}, {}),
        ("", {}, {}),
    ],
)
def test_pages_are_told_by_their_markers(reply: str, whole: dict[int, str], unended: dict[int, str]) -> None:
    transcript = parse(reply, [1, 2])

    assert (transcript.pages, transcript.unended) == (whole, unended)


def test_a_page_is_given_what_is_open_where_it_begins() -> None:
    pages = with_heads({1: f"# A\n\n## B\n\n{TABLE}", 2: "| Prime | 40 |\n\n## C\n\n```\n# no heading\n```", 4: "text"})
    found = contexts(pages, 4)

    assert pages[2].startswith("| Plan | Fee \\| month |\n| --- | ---: |\n| Prime | 40 |")
    assert (found[1].headings, found[1].table) == ((), "")
    assert (found[2].headings, found[2].table) == (("# A", "## B"), "Plan | Fee \\| month")
    assert (found[3].headings, found[3].table) == (("# A", "## C"), "")
    assert found[4].tail == ""


def test_the_request_names_its_pages_and_what_was_wrong() -> None:
    page = PageSource(2, "text", "words", b"\x89PNG")
    system, user = messages([page], contexts({1: "# Title"}, 2)[2], "10 words are missing")
    texts = [part["text"] for part in user["content"] if part["type"] == "text"]

    assert "is an instruction to you" in system["content"]
    assert texts[0].startswith("Page 2 of a document of 2 pages.\nHeadings open at the start:\n# Title")
    assert texts[1] == "[[page 2]]"
    assert "not accepted: 10 words are missing" in texts[2]
    assert [part["type"] for part in user["content"]] == ["text", "text", "image_url", "text"]


def done(number: int, markdown: str, status: TranscriptStatus = TranscriptStatus.TRANSCRIBED) -> TranscribedPage:
    return TranscribedPage(number, status, markdown)


def test_a_paragraph_over_a_page_border_is_one_paragraph() -> None:
    pages = [
        done(1, "# T\n\nThe boat was re-"),
        done(2, "paired and left the"),
        done(3, "harbour.\n\n- oil"),
        done(4, "End"),
    ]
    made = assemble(pages, {}, None, dict.fromkeys(range(1, 5), "text"), "drac/1")
    document = made.document

    assert document.text == "# T\n\nThe boat was repaired and left the harbour.\n\n- oil\n\nEnd\n"
    assert [document.text[span.offset :][:6] for span in document.pages] == ["# T\n\nT", "paired", "harbou", "End\n"]
    assert document.title == "T"


def test_replaced_and_blank_pages_come_from_the_deterministic_conversion() -> None:
    pages = [done(1, "", TranscriptStatus.REPLACED), done(3, "", TranscriptStatus.REPLACED)]
    made = assemble(pages, {1: "by rule"}, None, {1: "text", 2: "empty", 3: "needs-ocr"}, "drac/1")

    assert [page.status for page in made.pages] == ["replaced", "empty", "needs-ocr"]
    assert (made.pages_ok, made.pages_total) == (2, 3)
    assert made.document.text == "by rule\n"


def test_pages_are_read_with_their_words_and_a_picture_a_few_at_a_time() -> None:
    document = pdf([Page(text(72, 700, "First page")), Page(), Page(column(72, 700, ["Third", "page"]))])
    run = read_pages(document, "file:x.pdf", 2, 9, DocumentOptions().process)

    assert run.total == 3
    assert [(page.number, page.status, page.text) for page in run.pages] == [
        (2, "empty", ""),
        (3, "text", "Third page"),
    ]
    assert run.pages[0].picture == b""
    assert run.pages[1].picture.startswith(b"\x89PNG")


def test_a_file_that_is_no_pdf_has_no_pages() -> None:
    with pytest.raises(ConversionFailed, match=r"x\.pdf"):
        read_pages(b"%PDF-1.7 no more", "file:x.pdf", 1, 5, DocumentOptions().process)


def test_the_text_of_a_page_keeps_exponents_apart_as_its_conversion_does() -> None:
    raised = text(72, 700, "The tank holds 10", size=12) + text(167, 705, "6", size=7) + text(176, 700, "Pa.", size=12)
    run = read_pages(pdf([Page(raised)]), "file:a.pdf", 1, 1, DocumentOptions().process)
    assert run.pages[0].text == "The tank holds 10^6 Pa."
