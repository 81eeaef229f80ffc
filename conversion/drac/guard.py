"""What is refused before it costs anything: bombs, cut-off files, XML with declarations of its own.

A document that passes may still be hostile in other ways; it is then stopped by the limits of its process
(``conversion.drac.sandbox``).
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from conversion.drac.detect import FLAT_WITHIN, OFFICE_OPEN_XML, DocumentKind, detect, flat_kind
from wrac.errors import ConversionFailed, UnsupportedContent
from wrac.ids import page_id

if TYPE_CHECKING:
    from typing import IO

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """What a document may hold at most. Sizes are bytes."""

    size: int = 256 * _MIB
    """The file as it came."""
    entries: int = 10_000
    """Members of a ZIP file, those of archives inside it included."""
    expanded: int = 1024 * _MIB
    """All members together, unpacked."""
    xml_expanded: int = 256 * _MIB
    """All XML members together, unpacked: these are what readers take into memory."""
    ratio: int = 200
    """Unpacked size of a member against its packed size, judged from ``ratio_from`` on."""
    ratio_from: int = 16 * _MIB
    depth: int = 2
    """Archives inside one another."""


DEFAULT_LIMITS = GuardLimits()

_ENCRYPTED_FLAG = 0x1
_FLAT_ROOT = re.compile(rb"<((?:\w+:)?(?:Workbook|wordDocument|document))\s")
_BLOCK = 1 << 16
_DECLARATIONS = tuple(
    text.encode(encoding) for text in ("<!ENTITY", "<!DOCTYPE") for encoding in ("ascii", "utf-16-le", "utf-16-be")
)
_ENTITIES = _DECLARATIONS[:3]
_OVERLAP = max(map(len, _DECLARATIONS)) - 1


def guarded_kind(data: bytes, url: str, limits: GuardLimits = DEFAULT_LIMITS) -> DocumentKind:
    """The kind of the document, which is neither a bomb nor cut off as far as can be told without reading it.

    ZIP files are unpacked once, block by block and into nothing. Raises ``ConversionFailed`` with the one limit that
    was passed, or ``UnsupportedContent`` for kinds that no converter reads.
    """
    place = _Place(url)
    if len(data) > limits.size:
        place.fail(f"has {len(data) // _MIB} MiB, more than the {limits.size // _MIB} MiB that are read")
    kind = detect(data)
    place.refuse_unread(kind)
    if data.startswith(b"PK"):
        _Archive(place, limits, kind).check(data)
    elif flat_kind(data) is not None:
        _check_flat(place, data)
    elif kind is DocumentKind.RTF and b"}" not in data[-1024:]:
        place.fail("ends before its last bracket; it was cut off: fetch it again")
    return kind


def _check_flat(place: _Place, data: bytes) -> None:
    """An Office document in one XML file declares nothing, and has an end."""
    if any(declaration in data for declaration in _DECLARATIONS):
        place.fail("declares entities or a document type, which no Office does")
    root = _FLAT_ROOT.search(data[:FLAT_WITHIN].replace(b"\x00", b""))
    if root is None or b"</" + root.group(1) not in data[-1024:].replace(b"\x00", b""):
        place.fail("ends before its last element; it was cut off: fetch it again")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a fault is reported."""

    url: str

    def fail(self, fault: str) -> NoReturn:
        raise ConversionFailed(f"{self.url}: the document {fault}", stage="convert", page_id=page_id(self.url))

    def refuse_unread(self, kind: DocumentKind) -> None:
        reason = {
            DocumentKind.ENCRYPTED: "is encrypted: save it without a password",
            DocumentKind.EPUB: "is an EPUB book, which is not read: publish it as HTML or PDF",
            DocumentKind.EMAIL: "is an e-mail, which is not read: save its text or its attachments",
            DocumentKind.ARCHIVE: "is a ZIP archive and no document: unpack it first",
            DocumentKind.UNKNOWN: "is of no kind that is read: PDF, Word, PowerPoint, Excel, OpenDocument, RTF, images",
        }.get(kind)
        if reason:
            raise UnsupportedContent(f"{self.url}: the document {reason}", stage="convert", page_id=page_id(self.url))


class _Archive:
    """One ZIP file with the archives inside it, under a common account."""

    def __init__(self, place: _Place, limits: GuardLimits, kind: DocumentKind) -> None:
        self._place = place
        self._limits = limits
        self._forbidden = _DECLARATIONS if kind in OFFICE_OPEN_XML else _ENTITIES
        self._entries = self._expanded = self._xml = 0

    def check(self, data: bytes, depth: int = 0) -> None:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self._check_members(archive, depth)
        except zipfile.BadZipFile as error:
            if depth == 0:
                self._place.fail(f"is damaged or was cut off ({error}): fetch it again")
        except (NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
            if depth == 0:
                self._place.fail(f"cannot be unpacked ({error})")

    def _check_members(self, archive: zipfile.ZipFile, depth: int) -> None:
        members = archive.infolist()
        self._entries += len(members)
        if self._entries > self._limits.entries:
            self._place.fail(f"has more than {self._limits.entries:,} members: a bomb")
        if depth == 0:
            self._check_names(members)
        for member in members:
            if member.flag_bits & _ENCRYPTED_FLAG and depth == 0:
                raise UnsupportedContent(
                    f"{self._place.url}: the document is encrypted: save it without a password",
                    stage="convert",
                    page_id=page_id(self._place.url),
                )
            if not member.is_dir() and not member.flag_bits & _ENCRYPTED_FLAG:
                self._check_member(archive, member, depth)

    def _check_names(self, members: list[zipfile.ZipInfo]) -> None:
        # OPC part names are equal without regard to case (ECMA-376-2, 6.2.2.3): readers would take different ones.
        names = [member.filename.lower() for member in members]
        if len(names) != len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            self._place.fail(f"holds two members named {twice!r}: which of them is meant depends on the reader")

    def _check_member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int) -> None:
        is_xml = member.filename.lower().endswith((".xml", ".rels", ".vml"))
        try:
            with archive.open(member) as unpacked:
                head = self._read(unpacked, member, is_xml=is_xml and depth == 0)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            if is_xml and depth == 0:
                self._place.fail(f"is damaged in {member.filename} ({error}): fetch it again")
            return  # a broken picture costs nobody the text
        if head.startswith(b"PK\x03\x04"):
            if depth >= self._limits.depth:
                self._place.fail(f"holds archives inside archives, more than {self._limits.depth} deep")
            self._check_inner(archive, member, depth)

    def _check_inner(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int) -> None:
        # Its size is under the account by now, so that it may be held in memory.
        with archive.open(member) as unpacked:
            self.check(unpacked.read(self._limits.expanded), depth + 1)

    def _read(self, unpacked: IO[bytes], member: zipfile.ZipInfo, *, is_xml: bool) -> bytes:
        """Unpacks a member into nothing, under the account; returns its first bytes."""
        limits, size, head, tail = self._limits, 0, b"", b""
        while block := unpacked.read(_BLOCK):
            head = head or block[:8]
            size += len(block)
            self._expanded += len(block)
            if self._expanded > limits.expanded:
                self._place.fail(f"unpacks to more than {limits.expanded // _MIB:,} MiB: a bomb")
            if size > limits.ratio_from and size > limits.ratio * max(member.compress_size, 1):
                self._place.fail(f"unpacks {member.filename} to more than {limits.ratio} times its size: a bomb")
            if is_xml:
                self._xml += len(block)
                if self._xml > limits.xml_expanded:
                    self._place.fail(f"unpacks to more than {limits.xml_expanded // _MIB:,} MiB of XML")
                seam = tail + block
                if any(declaration in seam for declaration in self._forbidden):
                    self._place.fail(f"declares entities or a document type in {member.filename}, which no Office does")
                tail = block[-_OVERLAP:]
        return head
