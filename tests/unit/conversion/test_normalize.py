"""Old and open formats, as LibreOffice itself writes them, read through LibreOffice; and what happens without it."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import time
import zlib
from pathlib import Path

import openpyxl
import pytest
from decks import CONTENT, TITLE, add_slide, new_deck, saved
from office_files import docx, paragraph
from PIL import Image

from conversion.documents import DocumentOptions, convert_documents
from conversion.drac.confinement import ProcessLimits
from conversion.drac.detect import DocumentKind, detect
from conversion.drac.images import image_as_pdf
from conversion.drac.normalize import OfficeSuite, Source, as_pdf, normalized
from wrac.errors import ConversionFailed

GUIDE = Path(__file__).parents[2] / "golden" / "office" / "guide.fodt"
GUIDE_MARKDOWN = """\
# Boats

Every boat has **one** owner.[^1]

[^1]: Or a club.

## Moorings

See [the list](https://example.org/moorings).

4. Tie the bow.
   1. Loop once.
   2. Loop twice.
5. Tie the stern.

- Ropes
  - long
- Fenders

| Length | Summer | Winter |
| --- | --- | --- |
| short | 10 | 5 |
| short | 12 | 6 |
| long | ask |  |

```
moor --bow --stern
```

The end.
"""


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fees"
    for row in (("Boat", "Length", "Fee"), ("Gull", 7.5, 1200), ("Tern", 9, 1450.5)):
        sheet.append(row)
    sheet["D1"], sheet["D2"], sheet["D3"] = "Double", "=C2*2", "=C3*2"
    for cell in (*sheet["C"][1:], *sheet["D"][1:]):
        cell.number_format = '#,##0.00 "EUR"'
    book.create_sheet("Secret")["A1"] = "not shown"
    book["Secret"].sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def deck() -> bytes:
    made = new_deck()
    add_slide(made, TITLE, "Harbour", (0, "Season plan"))
    slide = add_slide(made, CONTENT, "Tasks", (0, "Paint"), (1, "Piers"), (0, "Dredge"))
    slide.notes_slide.notes_text_frame.text = "Mind the tide."
    return saved(made)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of the old and open formats by their endings, written by LibreOffice."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "guide.fodt").write_bytes(GUIDE.read_bytes())
    (folder / "fees.xlsx").write_bytes(workbook())
    (folder / "plan.pptx").write_bytes(deck())
    found = {}
    for name, ending, form in (
        ("guide.fodt", "odt", "odt"),
        ("guide.fodt", "doc", "doc:MS Word 97"),
        ("guide.fodt", "rtf", "rtf:Rich Text Format"),
        ("fees.xlsx", "ods", "ods"),
        ("fees.xlsx", "xls", "xls:MS Excel 97"),
        ("plan.pptx", "odp", "odp"),
        ("plan.pptx", "ppt", "ppt:MS PowerPoint 97"),
    ):
        command = ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
        subprocess.run(
            [*command, "--convert-to", form, "--outdir", str(folder), str(folder / name)],
            check=True,
            capture_output=True,
            timeout=100,
        )
        found[ending] = (folder / name).with_suffix(f".{ending}").read_bytes()
    return found


@pytest.fixture(scope="module")
def converted(made: dict[str, bytes]) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """(Markdown, title, rules of removals) of each by its ending; all of them in one go."""
    results = convert_documents([(f"https://harbour.example/{name}", data) for name, data in made.items()])
    done = {}
    for name, result in zip(made, results, strict=True):
        assert not isinstance(result, Exception), result
        assert str(result.kind) == name
        done[name] = (result.document.text, result.document.title, tuple(r.rule for r in result.removals))
    return done


@pytest.mark.requires("soffice")
@pytest.mark.timeout(300)
def test_open_text_comes_out_whole(converted: dict[str, tuple[str, str, tuple[str, ...]]]) -> None:
    assert converted["odt"] == (GUIDE_MARKDOWN, "Boat handbook", ("office.hidden",))


@pytest.mark.requires("soffice")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("ending", "lost"),
    [
        ("doc", [("5. Tie the stern.", "\n2) Tie the stern.")]),
        (
            "rtf",
            [
                ("4. Tie the bow.", "1. Tie the bow."),
                ("5. Tie", "2. Tie"),
                (
                    "| Length | Summer | Winter |\n| --- | --- | --- |",
                    "|  |  |  |\n| --- | --- | --- |\n| Length | Summer | Winter |",
                ),
            ],
        ),
    ],
)
def test_old_text_formats_keep_all_but_what_their_writer_lost(
    converted: dict[str, tuple[str, str, tuple[str, ...]]], ending: str, lost: list[tuple[str, str]]
) -> None:
    """LibreOffice writes start values to neither format as they were, and no head rows to RTF."""
    wanted = GUIDE_MARKDOWN
    for before, after in lost:
        wanted = wanted.replace(before, after)
    assert converted[ending] == (wanted, "Boat handbook", ("office.hidden",))


@pytest.mark.requires("soffice")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("ending", ["ods", "xls"])
def test_sheets_keep_displayed_values_and_computed_formulas(
    converted: dict[str, tuple[str, str, tuple[str, ...]]], ending: str
) -> None:
    text, _, removed = converted[ending]
    assert text == (
        "## Fees\n\n| Boat | Length | Fee | Double |\n| --- | --- | --- | --- |\n"
        "| Gull | 7.5 | 1,200.00 EUR | 2,400.00 EUR |\n| Tern | 9 | 1,450.50 EUR | 2,901.00 EUR |\n"
    )
    assert removed == ("office.hidden-sheet",)


@pytest.mark.requires("soffice")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("ending", ["odp", "ppt"])
def test_decks_keep_titles_levels_and_notes(
    converted: dict[str, tuple[str, str, tuple[str, ...]]], ending: str
) -> None:
    text = converted[ending][0]
    for line in ("# Harbour\n", "Season plan\n", " Tasks\n", "- Paint\n  - Piers\n- Dredge\n", "> Mind the tide.\n"):
        assert line in text


@pytest.mark.requires("soffice")
@pytest.mark.timeout(300)
def test_batch_becomes_pdf_and_a_damaged_file_costs_no_other(made: dict[str, bytes]) -> None:
    damaged = Source("https://harbour.example/bad.odt", made["odt"][: len(made["odt"]) // 2], DocumentKind.ODT)
    good = Source("https://harbour.example/good.odt", made["odt"], DocumentKind.ODT)
    word = Source("https://harbour.example/a.docx", docx(paragraph("Text.")), DocumentKind.DOCX)
    results = as_pdf([good, damaged, word])
    assert [detect(r) if isinstance(r, bytes) else type(r) for r in results] == [
        DocumentKind.PDF,
        ConversionFailed,
        DocumentKind.PDF,
    ]
    assert str(results[1]).startswith("https://harbour.example/bad.odt: the document could not be converted")


def a_program(folder: Path, body: str) -> str:
    """A program in the place of LibreOffice."""
    program = folder / "fake-office"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program)


def sources(count: int = 1) -> list[Source]:
    return [Source(f"https://harbour.example/{n}.doc", b"x", DocumentKind.DOC) for n in range(count)]


@pytest.mark.parametrize(
    ("kind", "package"),
    [
        (DocumentKind.DOC, "libreoffice-writer-nogui"),
        (DocumentKind.ODP, "libreoffice-impress-nogui"),
        (DocumentKind.XLS, "libreoffice-calc-nogui"),
    ],
)
def test_missing_program_names_the_package(kind: DocumentKind, package: str) -> None:
    source = Source("https://harbour.example/a", b"x", kind)
    (result,) = normalized([source], OfficeSuite(program="no-such-office"))
    assert isinstance(result, ConversionFailed)
    assert str(result).endswith(f"that is missing: apt-get install {package}")


def test_missing_component_names_the_package(tmp_path: Path) -> None:
    program = a_program(tmp_path, "echo 'Error: no export filter for out.docx found, aborting.'")
    (result,) = normalized(sources(), OfficeSuite(program=program))
    assert str(result).endswith("apt-get install libreoffice-writer-nogui")


def test_hanging_program_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    program = a_program(tmp_path, f"(sleep 4; touch {mark}) & sleep 600")  # longer than a test may take
    suite = OfficeSuite(program=program, limits=ProcessLimits(wall_seconds=1.0))
    (result,) = normalized(sources(), suite)
    assert "was not converted by LibreOffice in time" in str(result)
    time.sleep(4)
    assert not mark.exists()


def test_document_that_stops_its_batch_stops_only_itself(tmp_path: Path) -> None:
    # Writes what it is given until it meets the second document, on which it hangs.
    body = """
    while [ "$1" != --outdir ]; do shift; done
    out=$2; shift 2
    for file; do
        case $file in *0001*) [ "$#" -gt 1 ] && sleep 60;; esac
        [ "$#" -eq 1 ] && grep -q bad "$file" && sleep 60
        name=$(basename "$file" .doc); printf done > "$out/$name.docx"; sleep 0.1
    done"""
    documents = sources(3)
    documents[1] = Source(documents[1].url, b"bad", DocumentKind.DOC)
    suite = OfficeSuite(program=a_program(tmp_path, body), limits=ProcessLimits(wall_seconds=2.0))
    results = normalized(documents, suite)
    assert [r if isinstance(r, bytes) else type(r) for r in results] == [b"done", ConversionFailed, b"done"]


def test_program_sees_read_only_copies_a_closed_profile_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRAC_SECRET", "key")
    report = tmp_path / "report"
    body = f"""
    env > {report}
    for file; do :; done
    stat -c 'mode %a' "$file" >> {report}
    profile=${{1#-env:UserInstallation=file://}}
    cat "$profile/user/registrymodifications.xcu" >> {report}"""
    normalized(sources(), OfficeSuite(program=a_program(tmp_path, body)))
    seen = report.read_text(encoding="utf-8")
    assert "WRAC_SECRET" not in seen
    assert f"HOME={os.environ.get('HOME', '/none')}\n" not in seen
    assert "mode 400" in seen
    for name in ("DisableMacrosExecution", "MacroSecurityLevel", 'oor:name="Link"', "ooInetProxyType"):
        assert name in seen


def test_pictures_become_pages(tmp_path: Path) -> None:
    out = io.BytesIO()
    frames = [Image.new("L", (40, 60), shade) for shade in (0, 128)]
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
    (result,) = as_pdf([Source("https://harbour.example/scan.tiff", out.getvalue(), DocumentKind.IMAGE)])
    assert isinstance(result, bytes)
    import pypdfium2

    document = pypdfium2.PdfDocument(result)
    assert len(document) == 2
    document.close()


def test_a_picture_is_unpacked_in_a_process_that_has_bounds() -> None:
    out = io.BytesIO()
    Image.new("RGB", (9_000, 9_000), "white").save(out, "PNG")
    with pytest.raises(ConversionFailed, match=r"more than 300 MiB of memory|want of memory"):
        image_as_pdf(out.getvalue(), "https://harbour.example/scan.png", ProcessLimits(memory=300 << 20))


def test_a_camera_that_was_turned_is_turned_back() -> None:
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # its top is to the right
    Image.new("RGB", (40, 60), "white").save(out, "JPEG", exif=exif)
    import pypdfium2

    with pypdfium2.PdfDocument(image_as_pdf(out.getvalue(), "https://harbour.example/a.jpg")) as document:
        wide, high = document[0].get_size()
    assert wide > high


def test_gigapixel_picture_is_refused_by_its_header() -> None:
    head = b"IHDR" + struct.pack(">2I5B", 40_000, 30_000, 8, 0, 0, 0, 0)
    chunks = (head, b"IDAT" + zlib.compress(b"\0" * 1000), b"IEND")
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )
    start = time.process_time()
    (result,) = as_pdf([Source("https://harbour.example/big.png", data, DocumentKind.IMAGE)])
    assert isinstance(result, ConversionFailed)
    assert "is a picture that cannot be read" in str(result)
    assert time.process_time() - start < 1


def test_pdf_stays_as_it_is() -> None:
    data = b"%PDF-1.7\n..."
    assert as_pdf([Source("https://harbour.example/a.pdf", data, DocumentKind.PDF)]) == [data]


def test_without_office_other_documents_are_read() -> None:
    options = DocumentOptions(suite=OfficeSuite(program="no-such-office"))
    results = convert_documents(
        [
            ("https://harbour.example/a.rtf", b"{\\rtf1 x}"),
            ("https://harbour.example/b.docx", docx(paragraph("Text."))),
        ],
        options,
    )
    assert isinstance(results[0], ConversionFailed)
    assert not isinstance(results[1], Exception)
    assert results[1].document.text == "Text.\n"
