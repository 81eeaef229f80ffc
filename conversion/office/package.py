"""An Open Packaging Conventions file (ECMA-376-2): parts, their relationships, and XML that is read with care."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from wrac.errors import ConversionFailed, NothingExtracted
from wrac.ids import page_id

if TYPE_CHECKING:
    from collections.abc import Iterator

_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_RELATIONSHIP_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRICT = b"http://purl.oclc.org/ooxml/"
# Strict files (ISO/IEC 29500-1) differ from the usual ones (29500-4) in the names of their namespaces.
_TRANSITIONAL = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/spreadsheetml/main", b"spreadsheetml/2006/main"),
    (b"http://purl.oclc.org/ooxml/presentationml/main", b"presentationml/2006/main"),
    (b"http://purl.oclc.org/ooxml/drawingml/main", b"drawingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"drawingml/2006/"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", b"officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", b"officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/officeDocument/", b"officeDocument/2006/"),
)
_SCHEMAS = b"http://schemas.openxmlformats.org/"


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a relationship leads: a part of the package, or an address outside of it."""

    kind: str
    """The last word of its type, e.g. ``footnotes``."""
    target: str
    external: bool


class Package:
    """Parts of an opened file. Names are those of the ZIP members, without a leading slash."""

    def __init__(self, data: bytes, url: str, max_part: int) -> None:
        """Raises ``ConversionFailed`` where the file is no ZIP archive."""
        self.url = url
        self._max_part = max_part
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise self.failure(f"is damaged or was cut off ({error}): fetch it again") from error
        # Part names are equal without regard to case (ECMA-376-2, 6.2.2.3).
        self._names = {name.lower().replace("\\", "/"): name for name in self._archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}

    def failure(self, fault: str) -> ConversionFailed:
        """The error of this document."""
        return ConversionFailed(f"{self.url}: the document {fault}", stage="convert", page_id=page_id(self.url))

    def without_text(self, fault: str) -> NothingExtracted:
        """The error of this document where it was read to its end and gave no text."""
        return NothingExtracted(f"{self.url}: the document {fault}", stage="convert", page_id=page_id(self.url))

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    def names(self) -> Iterator[str]:
        """Names of all parts, in lower case."""
        yield from self._names

    def read(self, part: str, most: int = 0) -> bytes:
        """The bytes of a part, empty where there is none. Raises ``ConversionFailed`` over ``most`` or ``max_part``."""
        most = most or self._max_part
        name = self._names.get(part.lower())
        if name is None:
            return b""
        try:
            with self._archive.open(name) as member:
                data = member.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
            raise self.failure(f"is damaged in {part} ({error}): fetch it again") from error
        if len(data) > most:
            raise self.failure(f"has more than {most >> 20} MiB of text in {part}; divide it")
        return data

    def parse(self, part: str) -> etree._Element | None:
        """The root of an XML part, None where there is no such part. Entities and network are never followed."""
        data = self.read(part)
        if not data.strip():
            return None
        try:
            return etree.fromstring(transitional(data), careful_parser())
        except etree.XMLSyntaxError as error:
            raise self.failure(f"holds broken XML in {part} ({error})") from error

    def parse_leniently(self, part: str) -> etree._Element | None:
        """The root of a part that the text does not depend on; None where it is missing or broken."""
        try:
            return self.parse(part)
        except ConversionFailed:
            return None

    @property
    def main(self) -> str:
        """Name of the main part. Raises ``ConversionFailed`` where none is named."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument":
                return relation.target
        raise self.failure("names no main part; open and save it anew")

    def relations(self, part: str) -> dict[str, Relation]:
        """Relationships of a part by id; of the package itself for the empty name."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            root = self.parse(posixpath.join(folder, "_rels", f"{name}.rels"))
            elements = [] if root is None else root.iter(_RELATIONSHIP)
            self._relations[part] = {e.get("Id", ""): _relation(e, folder) for e in elements}
        return self._relations[part]

    def related(self, part: str, kind: str) -> Iterator[str]:
        """Names of the parts to which relationships of this kind lead."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external and relation.target in self:
                yield relation.target

    def related_root(self, part: str, kind: str, *, leniently: bool = False) -> etree._Element | None:
        """Root of the first part of this kind."""
        name = next(self.related(part, kind), None)
        if name is None:
            return None
        return self.parse_leniently(name) if leniently else self.parse(name)


def _relation(element: etree._Element, folder: str) -> Relation:
    target = element.get("Target", "")
    external = element.get("TargetMode") == "External"
    if not external:
        path = unquote(target.partition("#")[0])
        target = path.lstrip("/") if path.startswith("/") else posixpath.normpath(posixpath.join(folder, path))
    return Relation(element.get("Type", "").rpartition("/")[2], target, external)


def relation_id(element: etree._Element, name: str = "id") -> str:
    """The relationship that an element names by ``r:id`` and the like; empty where it names none."""
    return element.get(_RELATIONSHIP_ID + name, "")


def careful_parser() -> etree.XMLParser:
    """A parser without entities, external subsets, network and unbounded depth."""
    return etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )


def transitional(data: bytes) -> bytes:
    """The XML with the namespaces of strict files replaced by the usual ones."""
    if _STRICT in data:
        for strict, usual in _TRANSITIONAL:
            data = data.replace(strict, _SCHEMAS + usual)
    return data


def in_usual_form(data: bytes) -> bytes:
    """The file itself; a strict one with its XML rewritten, for readers that know the usual namespaces only."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = {name for name in archive.namelist() if name.endswith((".xml", ".rels"))}
        if "_rels/.rels" not in names or _STRICT not in archive.read("_rels/.rels"):
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
            for info in archive.infolist():
                member = archive.read(info)
                written.writestr(info.filename, transitional(member) if info.filename in names else member)
    return out.getvalue()
