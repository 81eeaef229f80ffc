"""What a Word file tells besides its body: notes, metadata, and what was left out."""

from __future__ import annotations

import pytest
from office_files import docx, paragraph, zip_of

from conversion.office.docx import convert_docx
from conversion.office.records import OfficeOptions
from wrac.errors import ConversionFailed, NothingExtracted

URL = "https://handbook.example/files/user_guide.docx"
NOTE_CALL = '<w:p><w:r><w:t>Text.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'


def removals(data: bytes) -> dict[str, str]:
    """Previews by rule."""
    return {removal.rule: removal.preview for removal in convert_docx(data, URL).removals}


def test_notes_stand_where_their_section_ends() -> None:
    notes = (
        '<w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="2">{paragraph("The note.")}</w:footnote>'
    )
    body = paragraph("One", "H1") + NOTE_CALL + paragraph("Two", "H1") + paragraph("End.")
    text = convert_docx(docx(body, footnotes=notes), URL).document.text
    assert text == "# One\n\nText.[^1]\n\n[^1]: The note.\n\n# Two\n\nEnd.\n"


def test_endnotes_have_labels_of_their_own() -> None:
    body = '<w:p><w:r><w:t>Text.</w:t></w:r><w:r><w:endnoteReference w:id="1"/></w:r></w:p>' + NOTE_CALL
    data = docx(
        body,
        footnotes=f'<w:footnote w:id="2">{paragraph("Foot.")}</w:footnote>',
        endnotes=f'<w:endnote w:id="1">{paragraph("End.")}</w:endnote>',
    )
    text = convert_docx(data, URL).document.text
    assert "Text.[^i]" in text
    assert "[^i]: End." in text
    assert "[^1]: Foot." in text


def test_left_out_texts_are_recorded() -> None:
    body = (
        paragraph("Kept.")
        + paragraph("hidden words", "Secret")
        + paragraph("Chapter 1 .... 3", "TOC1")
        + "<w:p><w:del><w:r><w:delText>old words</w:delText></w:r></w:del><w:r><w:t>New.</w:t></w:r></w:p>"
        + '<w:p><w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>tiny words</w:t></w:r><w:r><w:t>Seen.</w:t></w:r></w:p>'
    )
    data = docx(
        body,
        header=paragraph("Confidential"),
        footer=paragraph("Page 1"),
        comments=f'<w:comment w:id="0">{paragraph("Is this right?")}</w:comment>',
    )
    assert convert_docx(data, URL).document.text == "Kept.\n\nNew.\n\nSeen.\n"
    assert removals(data) == {
        "office.hidden": "hidden words tiny words",
        "office.contents": "Chapter 1 .... 3",
        "office.deleted": "old words",
        "office.header": "Confidential",
        "office.footer": "Page 1",
        "office.comment": "Is this right?",
    }


def test_metadata_is_that_of_the_file() -> None:
    core = (
        "<dc:title>Handbook</dc:title><dc:creator>Ann</dc:creator><dc:language>en-GB</dc:language>"
        "<dcterms:created>2024-05-01T10:00:00Z</dcterms:created><dcterms:modified>1601-01-01T00:00:00Z</dcterms:modified>"
    )
    done = convert_docx(docx(paragraph("Text."), core=core), URL)
    assert (done.metadata.title, done.metadata.author) == ("Handbook", "Ann")
    assert done.metadata.language == "en-gb"
    assert done.metadata.published == "2024-05-01T10:00:00Z"
    assert done.metadata.modified == ""
    assert done.document.title == "Handbook"


@pytest.mark.parametrize(
    ("core", "body", "title"),
    [
        ("<dc:title>Old name</dc:title>", paragraph("The Guide", "Title") + paragraph("Text."), "The Guide"),
        ("<dc:title>Microsoft Word - draft.doc</dc:title>", paragraph("First", "H1") + paragraph("Text."), "First"),
        ("<dc:title>Document1</dc:title>", paragraph("Text."), "user guide"),
    ],
)
def test_title_is_what_a_person_gave(core: str, body: str, title: str) -> None:
    assert convert_docx(docx(body, core=core), URL).document.title == title


def test_same_file_gives_same_digest() -> None:
    data = docx(paragraph("Text."))
    assert convert_docx(data, URL).document.digest == convert_docx(data, URL).document.digest


def test_strict_files_are_read() -> None:
    data = docx(paragraph("One", "H1") + paragraph("two", number=(2, 0)))
    strict = {
        name: content.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        for name, content in members(data).items()
    }
    assert convert_docx(zip_of(strict), URL).document.text == "# One\n\n1. two\n"


def members(data: bytes) -> dict[str, bytes]:
    """Members of a ZIP file by name."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_file_without_text_is_empty() -> None:
    with pytest.raises(NothingExtracted, match=r"user_guide\.docx: the document holds no text"):
        convert_docx(docx("<w:p/>"), URL)


def test_broken_part_is_named() -> None:
    parts = members(docx(paragraph("Text.")))
    parts["word/document.xml"] = parts["word/document.xml"][:-30]
    with pytest.raises(ConversionFailed, match=r"broken XML in word/document\.xml"):
        convert_docx(zip_of(parts), URL)


def test_part_over_the_bound_is_refused() -> None:
    data = docx(paragraph("x" * 5000))
    with pytest.raises(ConversionFailed, match=r"of text in word/document\.xml"):
        convert_docx(data, URL, OfficeOptions(max_part=4000))


def test_long_lists_take_no_quadratic_time() -> None:
    """Ten times the length would take a hundred times as long."""

    def seconds(count: int) -> float:
        import time

        data = docx("".join(paragraph(f"item {n}", number=(2, n % 2)) for n in range(count)))
        start = time.process_time()
        convert_docx(data, URL)
        return time.process_time() - start

    seconds(100)
    assert seconds(3000) < 50 * max(seconds(300), 0.02)
