"""Pages without a text layer, read by tesseract (a program of its own, Debian package tesseract-ocr)."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import subprocess
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from conversion.pdf.records import PageReport, PageStatus, PageText, Style, Word
from conversion.pdf.render import PageNotDrawn, draw
from conversion.pdf.skew import skew

if TYPE_CHECKING:
    import numpy as np
    import pypdfium2.raw as pdfium
    from numpy.typing import NDArray

    from conversion.pdf.records import PdfOptions

WITHOUT_WORDS = "a picture on which OCR found no words"
_MAX_SIDE = 5_000
_SKEW_DPI = 100
_X_HEIGHTS = 0.78
"""Size of type in heights of a line of its words, ascenders and descenders included."""
_LARGER = 1.3
"""A line so many times higher than most is a heading; smaller differences are noise of the reading."""
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,30}(?:/[A-Za-z0-9_]{1,30})?")
_MISSING = re.compile(r"([\w/]+)\.traineddata")
_LEAST_CONFIDENCE = 10.0
_POOR = 60.0
"""Mean confidence of a page that probably lies on its side or upside down."""
_AUTOMATIC, _WITH_ORIENTATION = "3", "1"


class _Read(NamedTuple):
    line: tuple[int, int, int]
    left: float
    top: float
    width: float
    height: float
    text: str
    confidence: float
    """0 to 100."""


def read_by_ocr(document: pdfium.FPDF_DOCUMENT, index: int, options: PdfOptions) -> PageText:
    """The page (0-based) with the words that tesseract reads; its report says OCR, EMPTY or NEEDS_OCR and why."""
    number = index + 1
    try:
        turn = skew(draw(document, index, options, dpi=_SKEW_DPI, max_side=_MAX_SIDE, grey=True))
        pixels = draw(document, index, options, dpi=options.ocr_dpi, max_side=_MAX_SIDE, grey=True, turn=turn)
        found = _read(_tesseract(pixels, options, _AUTOMATIC))
        if _is_poor(found):
            # Finding out which way up a page is doubles the time: only where the text makes no sense as it lies.
            found = max(found, _read(_tesseract(pixels, options, _WITH_ORIENTATION)), key=_certainty)
    except PageNotDrawn as error:
        return PageText(number, 0, 0, [], [], PageReport(number, PageStatus.FAILED, str(error)))
    except _NotRead as error:
        return PageText(number, 0, 0, [], [], PageReport(number, PageStatus.NEEDS_OCR, str(error)))
    high, wide = pixels.shape
    scale = 72.0 / options.ocr_dpi
    words = _words(found, high, scale)
    report = PageReport(number, PageStatus.OCR) if words else PageReport(number, PageStatus.EMPTY, WITHOUT_WORDS)
    return PageText(number, wide * scale, high * scale, words, [], report)


class _NotRead(Exception):
    """Tesseract gave no answer; the message says why and what to do."""


def _tesseract(pixels: NDArray[np.uint8], options: PdfOptions, segmentation: str) -> str:
    """Tesseract's table of words (TSV) for a grey picture; ``segmentation`` is its page segmentation mode."""
    if not options.ocr_languages or not all(_LANGUAGE.fullmatch(name) for name in options.ocr_languages):
        raise _NotRead(
            f"ocr_languages {options.ocr_languages!r} are no names of tesseract's languages, e.g. eng or deu"
        )
    height, width = pixels.shape
    picture = b"P5 %d %d 255\n" % (width, height) + pixels.tobytes()
    languages = "+".join(options.ocr_languages)
    command = [
        options.tesseract,
        "stdin",
        "stdout",
        "-l",
        languages,
        "--dpi",
        str(options.ocr_dpi),
        "--psm",
        segmentation,
        "tsv",
    ]
    # One thread a page: tesseract's own threads slow each other down, and a page is one process of many.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise _NotRead(
            "a picture without a text layer, and tesseract is not installed: install the package tesseract-ocr "
            f"and one package for each language (tesseract-ocr-{options.ocr_languages[0]})"
        ) from error
    try:
        out, err = process.communicate(picture, timeout=options.ocr_seconds)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise _NotRead(f"tesseract took longer than {options.ocr_seconds:.0f} s; raise ocr_seconds") from error
    if process.returncode:
        message = err.decode("utf-8", "replace").strip()
        if missing := _MISSING.search(message):
            name = missing.group(1).rpartition("/")[2]
            raise _NotRead(f"tesseract lacks the language {name}: install the package tesseract-ocr-{_package(name)}")
        raise _NotRead(f"tesseract failed ({message[-200:] or process.returncode})")
    return out.decode("utf-8", "replace")


def _package(language: str) -> str:
    return language.lower().replace("_", "-")


def _read(table: str) -> list[_Read]:
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    found: list[_Read] = []
    for row in rows:
        text = (row.get("text") or "").strip()
        if row.get("level") != "5" or not text or float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        line = (int(row["block_num"]), int(row["par_num"]), int(row["line_num"]))
        left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
        found.append(_Read(line, left, top, width, height, text, float(row["conf"])))
    return found


def _certainty(found: list[_Read]) -> float:
    """Letters weighted by how sure tesseract is of them."""
    return sum(len(word.text) * word.confidence for word in found)


def _is_poor(found: list[_Read]) -> bool:
    letters = sum(len(word.text) for word in found)
    return _certainty(found) < _POOR * letters if letters else True


def _words(found: list[_Read], high: int, scale: float) -> list[Word]:
    """Words in points; the words of a line share a baseline, and lines of nearly the same height a size of type."""
    by_line: defaultdict[tuple[int, int, int], list[_Read]] = defaultdict(list)
    for word in found:
        by_line[word.line].append(word)
    heights = {line: max(w.top + w.height for w in ws) - min(w.top for w in ws) for line, ws in by_line.items()}
    if not heights:
        return []
    usual = median(heights[word.line] for word in found)
    words: list[Word] = []
    for line, members in by_line.items():
        height = heights[line] if heights[line] > _LARGER * usual else usual
        size = round(height * scale * _X_HEIGHTS, 1)
        style = Style("ocr", size, bold=False, italic=False, mono=False, angle=0)
        base = (high - median(w.top + w.height for w in members)) * scale
        for word in members:
            x0, x1 = word.left * scale, (word.left + word.width) * scale
            words.append(Word(word.text, x0, x1, base, base + size, base, style))
    return words
