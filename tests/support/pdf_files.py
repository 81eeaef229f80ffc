"""Writes small PDF files (ISO 32000-1) for tests: text at places, rulings, images, links, outlines, tags, encryption.

Coordinates are in points from the lower left corner. Fonts are the standard ones, which no file carries.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

FONTS = {
    "F1": "Helvetica",
    "F2": "Helvetica-Bold",
    "F3": "Courier",
    "F4": "Helvetica-Oblique",
    "F5": "Symbol",
}
REGULAR, BOLD, MONO, ITALIC, SYMBOL = FONTS


def text(
    x: float, y: float, words: str, *, size: float = 10, font: str = REGULAR, mode: int = 0, grey: float = 0
) -> str:
    """One piece of text at a place; ``mode`` is its render mode, 3 for invisible."""
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf {mode} Tr {grey} g 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n"


def turned(x: float, y: float, words: str, degrees: int, *, size: float = 10, font: str = REGULAR) -> str:
    """Text that runs up (90), upside down (180) or down (270)."""
    a, b = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    return f"BT /{font} {size} Tf 0 g {a} {b} {-b} {a} {x} {y} Tm ({words}) Tj ET\n"


def column(
    x: float, top: float, lines: list[str], *, size: float = 10, leading: float = 12, font: str = REGULAR
) -> str:
    """Lines under one another, from ``top`` down."""
    return "".join(text(x, top - i * leading, line, size=size, font=font) for i, line in enumerate(lines))


def rule(x0: float, y0: float, x1: float, y1: float, *, width: float = 0.8) -> str:
    """A ruling line."""
    return f"{width} w {x0} {y0} m {x1} {y1} l S\n"


def box(x0: float, y0: float, x1: float, y1: float, *, grey: float = 0) -> str:
    """A filled rectangle."""
    return f"{grey} g {x0} {y0} {x1 - x0} {y1 - y0} re f\n"


def tagged(kind: str, number: int, content: str) -> str:
    """Marked content with an identifier."""
    return f"/{kind} <</MCID {number}>> BDC\n{content}\nEMC\n"


def image(name: str, x0: float, y0: float, x1: float, y1: float) -> str:
    """An image of the page's resources."""
    return f"q {x1 - x0} 0 0 {y1 - y0} {x0} {y0} cm /{name} Do Q\n"


@dataclass
class Page:
    """One page; ``links`` are ((x0, y0, x1, y1), URI)."""

    content: str = ""
    width: float = 612
    height: float = 792
    rotate: int = 0
    links: list[tuple[tuple[float, float, float, float], str]] = field(default_factory=list)
    images: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)
    """Name -> (width, height, grey samples)."""
    extra: str = ""
    """More entries of the page's dictionary."""
    typed: list[tuple[tuple[float, float, float, float], str, str, str]] = field(default_factory=list)
    """Annotations with text in their appearance: (x0, y0, x1, y1), subtype, text, more entries (``/F 4``: printed)."""


@dataclass
class Tag:
    """A structure element: its kind, and children that are elements or (page index, marked-content identifier)."""

    kind: str
    children: list[Tag | tuple[int, int]]
    entries: str = ""


def pdf(
    pages: list[Page],
    *,
    outline: list[tuple[int, str, int]] = (),  # type: ignore[assignment]
    title: str = "",
    tags: list[Tag] = (),  # type: ignore[assignment]
    fonts: dict[str, str] | None = None,
    meanings: dict[str, dict[int, str]] | None = None,
) -> bytes:
    """The file.

    ``outline`` holds (level from 1, title, page index); ``fonts`` name -> whole font dictionaries; ``meanings`` name of
    a font -> code of a character -> the text that it stands for (ToUnicode).
    """
    return _File(pages, list(outline), title, list(tags), fonts or {}, meanings or {}).written()


def _standard_font(base: str) -> str:
    encoding = "" if base == "Symbol" else "/Encoding/WinAnsiEncoding"
    return f"<</Type/Font/Subtype/Type1/BaseFont/{base}{encoding}>>"


def _character_map(texts: dict[int, str]) -> bytes:
    pairs = "".join(f"<{code:02x}> <{words.encode('utf-16-be').hex()}>\n" for code, words in texts.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(texts)} beginbfchar\n{pairs}endbfchar\nendcmap end end"
    ).encode()


class _File:
    def __init__(
        self,
        pages: list[Page],
        outline: list[tuple[int, str, int]],
        title: str,
        tags: list[Tag],
        fonts: dict[str, str],
        meanings: dict[str, dict[int, str]],
    ) -> None:
        self._objects: list[bytes] = []
        catalog, tree = self._reserve(), self._reserve()
        names = {**{name: _standard_font(base) for name, base in FONTS.items()}, **fonts}
        for name, texts in meanings.items():
            base = fonts.get(name, _standard_font("Helvetica")).removesuffix(">>")
            names[name] = f"{base}/ToUnicode {self._stream('', _character_map(texts))} 0 R>>"
        self._fonts = " ".join(f"/{name} {self._add(font)} 0 R" for name, font in names.items())
        self._pages = [self._page(page, tree, index, has_tags=bool(tags)) for index, page in enumerate(pages)]
        kids = " ".join(f"{number} 0 R" for number in self._pages)
        self._set(tree, f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>")
        entries = f"/Type/Catalog/Pages {tree} 0 R"
        if outline:
            entries += f"/Outlines {self._outline(outline)} 0 R"
        if tags:
            entries += f"/MarkInfo<</Marked true>>/StructTreeRoot {self._structure(tags)} 0 R/Lang(en)"
        self._set(catalog, f"<<{entries}>>")
        self._info = self._add(f"<</Title({title})>>") if title else 0
        self._catalog = catalog

    def _reserve(self) -> int:
        self._objects.append(b"null")
        return len(self._objects)

    def _set(self, number: int, body: str | bytes) -> None:
        self._objects[number - 1] = body if isinstance(body, bytes) else body.encode("latin-1")

    def _add(self, body: str | bytes) -> int:
        number = self._reserve()
        self._set(number, body)
        return number

    def _stream(self, entries: str, data: bytes) -> int:
        packed = zlib.compress(data)
        head = f"<<{entries}/Filter/FlateDecode/Length {len(packed)}>>stream\n".encode("latin-1")
        return self._add(head + packed + b"\nendstream")

    def _page(self, page: Page, tree: int, index: int, *, has_tags: bool) -> int:
        content = self._stream("", page.content.encode("latin-1"))
        pictures = " ".join(
            f"/{name} "
            + str(
                self._stream(
                    f"/Type/XObject/Subtype/Image/Width {wide}/Height {high}/BitsPerComponent 8/ColorSpace/DeviceGray",
                    data,
                )
            )
            + " 0 R"
            for name, (wide, high, data) in page.images.items()
        )
        links = " ".join(
            "<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[{:g} {:g} {:g} {:g}]/A<</S/URI/URI({})>>>>".format(
                *place, uri
            )
            for place, uri in page.links
        )
        links += "".join(self._typed(*typed) for typed in page.typed)
        return self._add(
            f"<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 {page.width} {page.height}]/Rotate {page.rotate}"
            f"/Contents {content} 0 R/Resources<</Font<<{self._fonts}>>/XObject<<{pictures}>>>>/Annots[{links}]"
            + (f"/StructParents {index}" if has_tags else "")
            + f"{page.extra}>>"
        )

    def _typed(self, place: tuple[float, float, float, float], kind: str, words: str, entries: str) -> str:
        x0, y0, x1, y1 = place
        size = f"/BBox[0 0 {x1 - x0:g} {y1 - y0:g}]/Resources<</Font<<{self._fonts}>>>>"
        shown = self._stream(f"/Type/XObject/Subtype/Form{size}", text(2, 4, words).encode("latin-1"))
        rest = f"/Rect[{x0:g} {y0:g} {x1:g} {y1:g}]/AP<</N {shown} 0 R>>"
        return f"<</Type/Annot/Subtype/{kind}/FT/Tx/V({words}){entries}{rest}>>"

    def _outline(self, entries: list[tuple[int, str, int]]) -> int:
        root = self._reserve()
        numbers = [self._reserve() for _ in entries]
        for place, (level, title, page) in enumerate(entries):
            after = entries[place + 1 :]
            siblings = [i for i, e in enumerate(after) if e[0] <= level]
            follower = next((i for i, e in enumerate(after) if e[0] == level), None)
            child = place + 1 if after and after[0][0] == level + 1 else None
            parts = f"/Title({title})/Dest[{self._pages[page]} 0 R/Fit]/Parent {root} 0 R"
            if follower is not None and siblings and siblings[0] == follower:
                parts += f"/Next {numbers[place + 1 + follower]} 0 R"
            if child is not None:
                parts += f"/First {numbers[child]} 0 R/Last {numbers[child]} 0 R/Count 1"
            self._set(numbers[place], f"<<{parts}>>")
        self._set(root, f"<</Type/Outlines/First {numbers[0]} 0 R/Last {numbers[-1]} 0 R/Count {len(numbers)}>>")
        return root

    def _structure(self, tags: list[Tag]) -> int:
        root, parents = self._reserve(), self._reserve()
        owners: dict[int, dict[int, int]] = {}

        def element(tag: Tag, parent: int) -> int:
            number = self._reserve()
            kids = []
            page = 0
            for child in tag.children:
                if isinstance(child, Tag):
                    kids.append(f"{element(child, number)} 0 R")
                else:
                    page = child[0]
                    owners.setdefault(child[0], {})[child[1]] = number
                    kids.append(f"<</Type/MCR/Pg {self._pages[child[0]]} 0 R/MCID {child[1]}>>")
            place = f"/P {parent} 0 R/Pg {self._pages[page]} 0 R"
            self._set(number, f"<</Type/StructElem/S/{tag.kind}{place}/K[{' '.join(kids)}]{tag.entries}>>")
            return number

        document = self._reserve()
        kids = " ".join(f"{element(tag, document)} 0 R" for tag in tags)
        self._set(document, f"<</Type/StructElem/S/Document/P {root} 0 R/K[{kids}]>>")
        numbers = " ".join(
            f"{page} [{' '.join(f'{held.get(i, document)} 0 R' for i in range(max(held) + 1))}]"
            for page, held in sorted(owners.items())
        )
        self._set(parents, f"<</Nums[{numbers}]>>")
        self._set(root, f"<</Type/StructTreeRoot/K {document} 0 R/ParentTree {parents} 0 R>>")
        return root

    def written(self) -> bytes:
        out = bytearray(b"%PDF-1.7\n")
        places = []
        for number, body in enumerate(self._objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % place for place in places)
        info = f"/Info {self._info} 0 R" if self._info else ""
        out += (
            f"trailer<</Size {len(places) + 1}/Root {self._catalog} 0 R{info}>>\nstartxref\n{start}\n%%EOF\n".encode()
        )
        return bytes(out)
