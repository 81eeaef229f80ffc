"""Pictures as PDF, one page each; many-page TIFFs keep their pages."""

from __future__ import annotations

import io
from itertools import islice

from PIL import Image, ImageSequence, UnidentifiedImageError

MAX_PIXELS = 100_000_000
"""Of one picture; a larger one is refused by its header, before it is unpacked."""
MAX_PAGES = 500
_DPI = 200.0
_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")


def image_as_pdf(data: bytes) -> bytes:
    """The picture as a PDF with one page, a TIFF with one page for each of its own. Raises ``ValueError``."""
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            frames = islice(ImageSequence.Iterator(image), MAX_PAGES if image.format == "TIFF" else 1)
            pages = [_flat(frame) for frame in frames]
            resolution = float(image.info.get("dpi", (_DPI, _DPI))[0] or _DPI)
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(str(error)) from error
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=max(resolution, 50.0))
    return out.getvalue()


def _flat(frame: Image.Image) -> Image.Image:
    """The frame as grey or colour on white. Raises ``ValueError`` over ``MAX_PIXELS``."""
    width, height = frame.size
    if width * height > MAX_PIXELS:
        raise ValueError(f"{width} x {height} pixels, more than {MAX_PIXELS:,}")
    if frame.mode in ("1", "L"):
        return frame.copy()
    if frame.mode in ("RGBA", "LA", "PA") or "transparency" in frame.info:
        seen = frame.convert("RGBA")
        white = Image.new("RGB", frame.size, "white")
        white.paste(seen, mask=seen.getchannel("A"))
        return white
    return frame.convert("RGB")
