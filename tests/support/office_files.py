"""Small Office files put together from their XML, so that a test shows what it is about and nothing else."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"

STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Our Chapter"/><w:basedOn w:val="ChapterBase"/></w:style>
<w:style w:type="paragraph" w:styleId="ChapterBase"><w:name w:val="Chapter Base"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Numbered"><w:name w:val="Numbered Heading"/>
  <w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="4"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Source"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Loud"><w:name w:val="Loud"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Banded"><w:name w:val="Banded"/>
  <w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr></w:tblStylePr></w:style>
"""
"""Styles that the cases of ``tests/golden/office/docx.md`` name."""


def _level(depth: int, form: str, text: str, start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/>'
        f'<w:pPr><w:ind w:left="{720 * (depth + 1)}" w:hanging="360"/></w:pPr></w:lvl>'
    )


NUMBERING = (
    f'<w:abstractNum w:abstractNumId="1">{_level(0, "bullet", "•")}{_level(1, "bullet", "o")}'
    f"{_level(2, 'bullet', '•')}</w:abstractNum>"
    f'<w:abstractNum w:abstractNumId="2">{_level(0, "decimal", "%1.")}{_level(1, "lowerLetter", "%2)")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="3">{_level(0, "decimal", "%1.")}{_level(1, "decimal", "%1.%2")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="4">{_level(0, "upperRoman", "Part %1:")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="5">{_level(0, "bullet", " ")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="6">{_level(0, "decimal", "%1.", 5)}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="4"/></w:num>'
    '<w:num w:numId="5"><w:abstractNumId w:val="5"/></w:num>'
    '<w:num w:numId="6"><w:abstractNumId w:val="6"/></w:num>'
    '<w:num w:numId="7"><w:abstractNumId w:val="2"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
)
"""Lists that the cases name: 1 bullets, 2 numbers and letters, 3 numbers of two levels, 4 ``Part I:``, 5 no mark,
6 from five on, 7 as 2 from one on."""


def zip_of(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx(body: str, *, core: str = "", links: Mapping[str, str] | None = None, **stories: str) -> bytes:
    """A Word file. ``stories`` are the contents of further parts: footnotes, endnotes, header, footer, comments."""
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {NAMESPACES}>{STYLES}</w:styles>",
        "word/numbering.xml": f"<w:numbering {NAMESPACES}>{NUMBERING}</w:numbering>",
    }
    roots = {"header": "hdr", "footer": "ftr"}
    for kind, content in stories.items():
        root = roots.get(kind, kind)
        parts[f"word/{kind}.xml"] = f"<w:{root} {NAMESPACES}>{content}</w:{root}>"
    kinds = ["styles", "numbering", *stories]
    relations = "".join(
        f'<Relationship Id="p{kind}" Type="{_OFFICE}/{kind}" Target="{kind}.xml"/>' for kind in kinds
    ) + "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/hyperlink" Target="{target}" TargetMode="External"/>'
        for key, target in (links or {}).items()
    )
    parts["word/_rels/document.xml.rels"] = (
        f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'
    )
    parts["_rels/.rels"] = (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/></Types>'
    )
    if core:
        parts["docProps/core.xml"] = (
            f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
            f"{core}</cp:coreProperties>"
        )
    return zip_of(parts)


def paragraph(text: str, style: str = "", number: tuple[int, int] | None = None) -> str:
    """A paragraph of one run; ``number`` is (list, level)."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number:
        properties += f'<w:numPr><w:ilvl w:val="{number[1]}"/><w:numId w:val="{number[0]}"/></w:numPr>'
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def compound(*names: str, word_flags: int = 0) -> bytes:
    """A compound file (version 3) with these top-level streams; the first one begins in sector 2."""
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<H", header, 30, 9)
    struct.pack_into("<I", header, 48, 1)
    struct.pack_into("<I", header, 56, 4096)
    struct.pack_into("<109I", header, 76, 0, *[0xFFFFFFFF] * 108)
    table = struct.pack("<4I", 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFF).ljust(512, b"\xff")
    entries = []
    for index, name in enumerate(("Root Entry", *names)):
        entry = bytearray(128)
        encoded = name.encode("utf-16-le") + b"\0\0"
        entry[: len(encoded)] = encoded
        struct.pack_into("<H", entry, 64, len(encoded))
        right = index + 1 if 0 < index < len(names) else 0xFFFFFFFF
        struct.pack_into("<3I", entry, 68, 0xFFFFFFFF, right, 1 if index == 0 else 0xFFFFFFFF)
        struct.pack_into("<2I", entry, 116, 2, 8192)
        entries.append(bytes(entry))
    directory = b"".join(entries).ljust(512, b"\0")
    stream = bytearray(512)
    struct.pack_into("<H", stream, 10, word_flags)
    return bytes(header) + table + directory + bytes(stream)


SHEET_2003 = """<?xml version="1.0"?>
<?mso-application progid="Excel.Sheet"?>
<!-- written by a shop -->
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Stock"><Table>
<Row><Cell><Data ss:Type="String">Name</Data></Cell><Cell><Data ss:Type="String">Count</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">Rope</Data></Cell><Cell><Data ss:Type="Number">5</Data></Cell></Row>
</Table></Worksheet></Workbook>
"""
"""A workbook as many shops and accounts write it: one XML file of Excel 2003, called .xls."""
LETTER_2003 = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body><w:p><w:r>
<w:t>Ropes are looked over each spring.</w:t></w:r></w:p></w:body></w:wordDocument>
"""
FLAT_TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>
<text:p>Ropes are looked over each spring.</text:p></office:text></office:body></office:document>
"""
