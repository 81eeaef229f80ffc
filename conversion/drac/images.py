"""Pictures as PDF, one page each; many-page TIFFs keep their pages. Decoded in a confined process only."""

from __future__ import annotations

import atexit
import io
import pickle
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from conversion.drac.confinement import ProcessLimits
from conversion.drac.sandbox import Sandbox
from wrac.errors import ConversionFailed
from wrac.ids import page_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image as Pictures

MAX_PIXELS = 100_000_000
"""Of one picture; a larger one is refused by its header, before it is unpacked."""
MAX_PAGES = 500
_DPI = 200.0
_LIMITS = ProcessLimits()
_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")


def image_as_pdf(data: bytes, url: str, limits: ProcessLimits = _LIMITS) -> bytes:
    """The picture as a PDF with one page, a TIFF with one page for each of its own. Raises ``ConversionFailed``."""
    return _sandbox().run(pickle.dumps((data, url)), url, limits=limits, modules=("PIL.Image", "pypdfium2"))


@cache
def _sandbox() -> Sandbox:
    sandbox = Sandbox("conversion.drac.images:answer")
    atexit.register(sandbox.close)
    return sandbox


# ---------------------------------------------------------------- in the confined process


def answer(request: bytes) -> bytes:
    """The PDF of a pickled picture. Called in the confined process only."""
    from PIL import Image, ImageSequence  # noqa: PLC0415 (loaded where pictures come at all)

    data, url = pickle.loads(request)  # noqa: S301 (from our own parent)
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            frames = islice(ImageSequence.Iterator(image), MAX_PAGES if image.format == "TIFF" else 1)
            resolution = float(image.info.get("dpi", (_DPI, _DPI))[0] or _DPI)
            # Page by page: together they would take the memory of all of them unpacked.
            return _joined([_page(frame, max(resolution, 50.0)) for frame in frames])
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        fault = f"is a picture that cannot be read ({error})"
        raise ConversionFailed(f"{url}: the document {fault}", stage="convert", page_id=page_id(url)) from error


def _page(frame: Pictures.Image, resolution: float) -> bytes:
    out = io.BytesIO()
    _flat(frame).save(out, "PDF", resolution=resolution)
    return out.getvalue()


def _joined(pages: Sequence[bytes]) -> bytes:
    if len(pages) == 1:
        return pages[0]
    import pypdfium2  # noqa: PLC0415 (as above)

    out = io.BytesIO()
    with pypdfium2.PdfDocument.new() as whole:
        for page in pages:
            with pypdfium2.PdfDocument(page) as part:
                whole.import_pages(part)
        whole.save(out)
    return out.getvalue()


def _flat(frame: Pictures.Image) -> Pictures.Image:
    """The frame as grey or colour on white. Raises ``ValueError`` over ``MAX_PIXELS``."""
    from PIL import Image, ImageOps  # noqa: PLC0415 (as above)

    width, height = frame.size
    if width * height > MAX_PIXELS:
        raise ValueError(f"{width} x {height} pixels, more than {MAX_PIXELS:,}")
    frame = ImageOps.exif_transpose(frame)  # a camera that was turned says so, and turns nothing
    if frame.mode in ("1", "L"):
        return frame.copy()
    if frame.mode in ("RGBA", "LA", "PA") or "transparency" in frame.info:
        seen = frame.convert("RGBA")
        white = Image.new("RGB", frame.size, "white")
        white.paste(seen, mask=seen.getchannel("A"))
        return white
    return frame.convert("RGB")
