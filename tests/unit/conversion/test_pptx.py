"""Slides as sections: titles, levels, order, tables, notes, and what no viewer sees."""

from __future__ import annotations

import io
import zipfile

import pytest
from decks import BLANK, CONTENT, SECTION, TITLE, TITLE_ONLY, add_box, add_slide, new_deck, saved
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from conversion.office.pptx import convert_pptx
from conversion.office.pptx.order import Placed, reading_order
from wrac.errors import ConversionFailed, NothingExtracted

URL = "https://handbook.example/decks/launch_plan.pptx"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def text_of(deck: object) -> str:
    """Markdown of the deck."""
    return convert_pptx(saved(deck), URL).document.text


def test_titles_are_headings_and_levels_are_lists() -> None:
    deck = new_deck()
    add_slide(deck, TITLE, "Launch", (0, "All hands"))
    add_slide(deck, CONTENT, "Plan", (0, "Prepare"), (1, "Rooms"), (1, "Food"), (0, "Invite"))
    assert text_of(deck) == "# Launch\n\nAll hands\n\n## Plan\n\n- Prepare\n  - Rooms\n  - Food\n- Invite\n"


def test_slides_stand_below_their_section() -> None:
    deck = new_deck()
    add_slide(deck, SECTION, "Part one")
    add_slide(deck, CONTENT, "Plan", (0, "Prepare"))
    assert text_of(deck) == "## Part one\n\n### Plan\n\n- Prepare\n"


def test_pages_are_slide_numbers() -> None:
    deck = new_deck()
    add_slide(deck, CONTENT, "One", (0, "first"))
    add_slide(deck, BLANK)
    add_slide(deck, CONTENT, "Three", (0, "third"))
    done = convert_pptx(saved(deck), URL)
    assert [(span.page, done.document.text[span.offset :][:6]) for span in done.document.pages] == [
        (1, "## One"),
        (3, "## Thr"),
    ]
    assert done.pages == 3


def test_hidden_slides_and_what_lies_beside_the_slide_are_recorded() -> None:
    deck = new_deck()
    add_slide(deck, CONTENT, "Shown", (0, "text"))
    hidden = add_slide(deck, CONTENT, "Draft", (0, "not yet"))
    hidden._element.set("show", "0")
    add_box(deck.slides[0], "parked", left=12, top=1)
    done = convert_pptx(saved(deck), URL)
    assert done.document.text == "## Shown\n\n- text\n"
    assert [(r.rule, r.locator, r.preview) for r in done.removals] == [
        ("office.off-slide", "slide 1", "parked"),
        ("office.hidden-slide", "slide 2", "Draft not yet"),
    ]


def test_paragraphs_without_marks_stay_paragraphs() -> None:
    deck = new_deck()
    slide = add_slide(deck, CONTENT, "Why", (0, "Because it is time."), (0, "point"))
    first = slide.placeholders[1].text_frame.paragraphs[0]._p
    etree.SubElement(first.get_or_add_pPr(), A + "buNone")
    assert text_of(deck) == "## Why\n\nBecause it is time.\n\n- point\n"


def test_automatic_numbers_start_where_the_deck_says() -> None:
    deck = new_deck()
    slide = add_slide(deck, CONTENT, "Steps", (0, "Open"), (0, "Close"))
    for paragraph in slide.placeholders[1].text_frame.paragraphs:
        etree.SubElement(paragraph._p.get_or_add_pPr(), A + "buAutoNum", type="arabicPeriod", startAt="3")
    assert text_of(deck) == "## Steps\n\n3. Open\n4. Close\n"


def test_shapes_are_read_by_position() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "Cards")
    for text, left, top in (
        ("right text", 6, 3),
        ("left text", 1, 3),
        ("right head", 6, 2.4),
        ("left head", 1, 2.4),
    ):
        add_box(slide, text, left, top)
    assert text_of(deck) == "## Cards\n\nleft head\n\nleft text\n\nright head\n\nright text\n"


def test_rows_are_read_across_where_rows_are_further_apart() -> None:
    grid = [
        Placed(name, x, y, x + 90, y + 20)
        for name, x, y in (("d", 100, 200), ("a", 0, 0), ("c", 0, 200), ("b", 100, 0))
    ]
    assert reading_order(grid) == ["a", "b", "c", "d"]


def test_groups_are_read_as_one() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "Groups")
    group = slide.shapes.add_group_shape()
    for text, top in (("second", 3), ("first", 2)):
        group.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(0.5)).text_frame.text = text
    add_box(slide, "beside", 6, 2.5)
    assert text_of(deck) == "## Groups\n\nfirst\n\nsecond\n\nbeside\n"


def test_tables_keep_head_and_merged_cells() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "Prices")
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for row, cells in enumerate((("Model", "Price"), ("Edge", "12 | 14"), ("Storm", ""))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 1).merge(table.cell(2, 1))
    assert text_of(deck) == (
        "## Prices\n\n| Model | Price |\n| --- | --- |\n| Edge | 12 \\| 14 |\n| Storm | 12 \\| 14 |\n"
    )


def test_charts_are_tables_of_their_values() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "Sales")
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("2023", (5, 7))
    data.add_series("2024", (6, 8))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    assert text_of(deck) == (
        "## Sales\n\n|  | 2023 | 2024 |\n| --- | --- | --- |\n| North | 5 | 6 |\n| South | 7 | 8 |\n"
    )


def test_notes_are_marked() -> None:
    deck = new_deck()
    slide = add_slide(deck, CONTENT, "Plan", (0, "Prepare"))
    slide.notes_slide.notes_text_frame.text = "Tell the story.\nThen pause."
    assert text_of(deck) == ("## Plan\n\n- Prepare\n\n> **Speaker notes**\n>\n> Tell the story.\n>\n> Then pause.\n")


def test_slide_without_a_title_is_headed_by_its_largest_first_line() -> None:
    deck = new_deck()
    slide = add_slide(deck, BLANK)
    add_box(slide, "Small print below.", 1, 3, size=12)
    add_box(slide, "Our promise", 1, 1, size=40)
    assert text_of(deck) == "## Our promise\n\nSmall print below.\n"


def test_slide_without_any_heading_has_none_made_up() -> None:
    deck = new_deck()
    slide = add_slide(deck, BLANK)
    add_box(slide, "One sentence here.", 1, 1)
    add_box(slide, "Another one there.", 1, 3)
    assert text_of(deck) == "One sentence here.\n\nAnother one there.\n"


def test_bold_line_with_space_above_is_a_heading_inside_the_slide() -> None:
    deck = new_deck()
    slide = add_slide(deck, CONTENT, "Tyres", (0, "Before you start"), (0, "Park."), (0, "All of it bold"))
    for paragraph, space in zip(slide.placeholders[1].text_frame.paragraphs, (30, 0, 0), strict=True):
        properties = paragraph._p.get_or_add_pPr()
        if space:
            paragraph.space_before = Pt(space)
        etree.SubElement(properties, A + "buNone")
        paragraph.runs[0].font.bold = paragraph.text != "Park."
    assert text_of(deck) == "## Tyres\n\n### Before you start\n\nPark.\n\n**All of it bold**\n"


def test_footers_are_left_out_and_recorded() -> None:
    deck = new_deck()
    slide = add_slide(deck, CONTENT, "Plan", (0, "Prepare"))
    footer = slide.placeholders[1]._element
    copy = etree.fromstring(etree.tostring(footer))
    holder = copy.find(".//{*}ph")
    holder.set("type", "ftr")
    holder.set("idx", "11")
    copy.find(f".//{A}t").text = "Confidential"
    slide.shapes._spTree.append(copy)
    done = convert_pptx(saved(deck), URL)
    assert done.document.text == "## Plan\n\n- Prepare\n"
    assert [(r.rule, r.preview) for r in done.removals] == [("office.footer", "Confidential")]


def test_shapes_offered_in_alternatives_are_read() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "New")
    add_box(slide, "by a new version", 1, 2)
    shape = slide.shapes._spTree[-1]
    offer = etree.fromstring(
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="p14"/><mc:Fallback/></mc:AlternateContent>'
    )
    shape.getparent().append(offer)
    offer[0].append(shape)
    assert text_of(deck) == "## New\n\nby a new version\n"


def test_links_breaks_and_code() -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY, "Mixed")
    box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame
    box.text = "See "
    run = box.paragraphs[0].add_run()
    run.text = "docs"
    run.hyperlink.address = "https://example.org/docs"
    for line in ("make all", "make test"):
        paragraph = box.add_paragraph()
        paragraph.text = line
        paragraph.runs[0].font.name = "Consolas"
    assert text_of(deck) == "## Mixed\n\nSee [docs](https://example.org/docs)\n\n```\nmake all\nmake test\n```\n"


def test_title_of_the_deck_is_its_own_else_that_of_the_first_slide() -> None:
    deck = new_deck()
    add_slide(deck, TITLE, "Launch")
    deck.core_properties.title = "PowerPoint Presentation"
    deck.core_properties.author = "Ann"
    done = convert_pptx(saved(deck), URL)
    assert (done.document.title, done.metadata.author) == ("Launch", "Ann")


def test_slide_shows_are_read() -> None:
    deck = new_deck()
    add_slide(deck, CONTENT, "Plan", (0, "Prepare"))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(deck))) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "[Content_Types].xml":
                content = content.replace(b"presentationml.presentation.main", b"presentationml.slideshow.main")
            new.writestr(name, content)
    assert convert_pptx(out.getvalue(), URL).document.text == "## Plan\n\n- Prepare\n"


def with_broken_slide(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<a/>" if name == "ppt/slides/slide1.xml" else old.read(name))
    return out.getvalue()


def test_damaged_slide_costs_no_other() -> None:
    deck = new_deck()
    add_slide(deck, CONTENT, "One", (0, "first"))
    add_slide(deck, CONTENT, "Two", (0, "second"))
    done = convert_pptx(with_broken_slide(saved(deck)), URL)
    assert done.document.text == "## Two\n\n- second\n"
    assert done.pages == 2
    assert [number for number, _ in done.failed] == [1]


def test_deck_of_broken_slides_alone_is_a_failure() -> None:
    deck = new_deck()
    add_slide(deck, CONTENT, "One", (0, "first"))
    with pytest.raises(ConversionFailed, match=r"launch_plan\.pptx: the document gives no text: slide 1: "):
        convert_pptx(with_broken_slide(saved(deck)), URL)


def test_deck_without_text_is_empty() -> None:
    deck = new_deck()
    add_slide(deck, BLANK)
    with pytest.raises(NothingExtracted, match=r"launch_plan\.pptx: the document holds no text"):
        convert_pptx(saved(deck), URL)
