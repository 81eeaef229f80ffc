"""Bytes of a response to an lxml tree: the encoding found, the markup repaired, nothing of the text lost."""

from __future__ import annotations

import codecs
import re
from typing import Final, cast

from charset_normalizer import CharsetMatch, from_bytes
from lxml import etree
from lxml.html import HtmlComment, HtmlElement, HtmlEntity, HtmlProcessingInstruction

from wrac.errors import NothingExtracted, UnsupportedContent

STAGE: Final = "clean"

# The WHATWG encoding standard (section 4.2) reads these labels as their supersets; so does every browser.
_SUPERSETS: Final = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_NO_CHARSETS: Final = frozenset({"punycode", "unicode-escape", "raw-unicode-escape"})
"""Text encodings of Python's own that no page is written in: they would turn plain letters into others."""
_SEVEN_BIT: Final = frozenset({"iso2022_jp", "hz", "utf-7"})
_WEB_ENCODINGS: Final = (
    "cp1252", "cp1251", "gb18030", "cp932", "euc_jp", "cp949", "big5hkscs", "cp1250", "iso8859_2", "cp1256", "cp1254",
    "cp1253", "iso8859_7", "cp1255", "cp1257", "cp1258", "cp874", "koi8_r", "koi8_u", "iso8859_5", "cp866",
)  # fmt: skip
"""What pages without a true declaration are written in (WHATWG Encoding Standard), the most usual first."""
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEADER_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_XML_ENCODING: Final = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_META_WINDOW: Final = 4096
_SNIFFED_BYTES: Final = 65_536
_MULTIBYTE: Final = frozenset({"gb18030", "big5hkscs", "cp932", "cp949", "euc_jp", "johab"})
_EVIDENCE: Final = 2
_EVIDENCE_AGAINST_MULTIBYTE: Final = 12
"""Bytes beyond one a character from which valid UTF-8 is no accident, whatever the page declares."""

_MAGIC: Final = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an OLE document"),
)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY_SHARE: Final = 0.05
_FEW_CONTROLS: Final = 4

# lxml.html's own lookup calls back into Python for every element; one class for all of them costs nothing.
_CLASSES: Final = etree.ElementDefaultClassLookup(
    element=HtmlElement, comment=HtmlComment, pi=HtmlProcessingInstruction, entity=HtmlEntity
)
_PARSER_DEPTH: Final = 2_000
"""libxml2 gives a document up at 2,048 open elements, and with it all text that follows."""
# XML has no room for control characters (XML 1.0, section 2.2), so lxml refuses to write what it has read.
_CONTROLS: Final = bytes(code for code in range(0x20) if code not in b"\t\n\r\x0b\x0c") + b"\x7f"
_SPACES: Final = bytes.maketrans(b"\x0b\x0c", b"  ")
_FLAT_DEPTH: Final = 500
# Pygments and rouge (up to three letters), highlight.js, Prism; none that names a line or its number.
_TOKEN_TAG: Final = re.compile(
    r'<(?:/span|span(?: class="(?:(?!ln|[cg]l")[a-z]{1,2}[a-z0-9]?|hljs-(?!ln|copy)[\w-]+(?: \w+_)*'
    r'|token (?![^"]*\bline)[\w -]+)")?)>',
    re.ASCII,
)
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][\w:-]*)[^<>]*>")
_NEVER_NESTED: Final = frozenset(
    """
    area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead
    tbody tfoot html head body script style
    """.split()
)


def parse_html(body: bytes, content_type: str = "") -> HtmlElement:
    """The document's root element, whatever the bytes are like.

    The encoding is, in this order: a byte order mark, UTF-8 where the bytes prove it, the header, the page's own
    declaration, a guess. Bytes that fit none become U+FFFD. Nesting beyond what the parser bears is flattened.

    Raises ``NothingExtracted`` for a blank body and ``UnsupportedContent`` for bytes that are no text.
    """
    if not body or body.isspace():
        raise NothingExtracted("the body is empty (zero bytes or white space); fetch the page again", stage=STAGE)
    text = _without_tokens(decode(body, content_type))
    root = _parse(text)
    if _depth_of_last(root) >= _PARSER_DEPTH:
        root = _parse(_flattened(text))
    return root


def decode(body: bytes, content_type: str = "") -> str:
    """The body as text. Raises ``UnsupportedContent`` for bytes that are no text."""
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace").removeprefix("\ufeff")
    declared = _declared(body, content_type)
    wide = declared.startswith(("utf-16", "utf-32"))
    if not wide:
        _refuse_binary(body)
    if not wide and declared not in _SEVEN_BIT:
        text = _strict(body, "utf-8")
        if text is not None and _proves_utf8(body, text, declared):
            return text
    if declared and (text := _strict(body, declared)) is not None:
        return text
    return _guess(body, declared)


def _proves_utf8(body: bytes, text: str, declared: str) -> bool:
    enough = _EVIDENCE_AGAINST_MULTIBYTE if declared in _MULTIBYTE else _EVIDENCE
    return declared in ("", "utf-8") or text.isascii() or len(body) - len(text) >= enough


def _declared(body: bytes, content_type: str) -> str:
    head = body[:_META_WINDOW]
    header = _HEADER_CHARSET.search(content_type)
    labels = [header.group(1)] if header else []
    labels += [
        m.group(1).decode("ascii", "replace") for m in (_META_CHARSET.search(head), _XML_ENCODING.search(head)) if m
    ]
    for label in labels:
        try:
            name = codecs.lookup(label).name
            # Refused by codecs that compress or encode bytes, and by those that cannot replace what they cannot read.
            b"-".decode(name, "replace")
        except (LookupError, ValueError):
            continue
        if name not in _NO_CHARSETS:
            return _SUPERSETS.get(name, name)
    return ""


def _strict(body: bytes, encoding: str) -> str | None:
    try:
        return body.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _guess(body: bytes, declared: str) -> str:
    """A few broken bytes leave the declaration (or UTF-8) in force; many make it a wrong one."""
    first = body.decode(declared or "utf-8", "replace")
    foreign = sum(byte > 127 for byte in body[:_SNIFFED_BYTES])
    broken = first.count("\ufffd")
    if broken <= max(1, foreign // 10) and broken * 3 < foreign:
        return first
    likely = from_bytes(body[:_SNIFFED_BYTES], cp_isolation=list(_WEB_ENCODINGS))
    best = min(likely, key=_implausibility, default=None)
    return body.decode(best.encoding if best else "cp1252", "replace")


def _implausibility(match: CharsetMatch) -> tuple[float, bool, float, int]:
    """Least for the best guess. Bytes that pair up by chance are rare; single letters fit many encodings alike."""
    usual = min(_WEB_ENCODINGS.index(name) for name in match.could_be_from_charset)
    return match.chaos, not match.multi_byte_usage, -match.coherence, usual


def _refuse_binary(body: bytes) -> None:
    for magic, kind in _MAGIC:
        if body.startswith(magic):
            raise UnsupportedContent(
                f"the body begins like {kind}, although it was served as HTML; serve it with its own content type",
                stage=STAGE,
            )
    head = body[:_META_WINDOW]
    if len(_CONTROL.findall(head)) > max(_FEW_CONTROLS, _BINARY_SHARE * len(head)):
        raise UnsupportedContent("the body is binary data, although it was served as HTML", stage=STAGE)


def _parse(text: str) -> HtmlElement:
    # lxml reads UTF-8 bytes faster than str, and refuses a str with an XML encoding declaration.
    data = text.encode("utf-8", "replace").translate(_SPACES, _CONTROLS)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    parser.set_element_class_lookup(_CLASSES)
    try:
        root = etree.fromstring(data, parser=parser)
    except etree.XMLSyntaxError as error:
        raise NothingExtracted(f"the markup holds no element ({error})", stage=STAGE) from error
    if root is None:
        raise NothingExtracted("the markup holds no element", stage=STAGE)
    return cast(HtmlElement, root)


def _without_tokens(text: str) -> str:
    """The markup without what highlighters put round each word of code: most elements of many a page."""
    pieces: list[str] = []
    end = 0
    while (start := text.find("<pre", end)) >= 0 and (stop := text.find("</pre>", start)) >= 0:
        code = text[start:stop]
        plain, tags = _TOKEN_TAG.subn("", code)
        only_tokens = tags == code.count("<span") + code.count("</span")
        pieces += text[end:start], plain if only_tokens else code
        end = stop
    return "".join([*pieces, text[end:]])


def _depth_of_last(root: HtmlElement) -> int:
    depth, node = 0, root
    while len(node):
        node = node[-1]
        depth += 1
    return depth


def _flattened(text: str) -> str:
    """The same text without the tags that open below ``_FLAT_DEPTH``, and without their closing tags."""
    open_tags: list[tuple[str, bool]] = []

    def keep(tag: re.Match[str]) -> str:
        name = tag.group(2).lower()
        if name in _NEVER_NESTED or tag.group(0).endswith("/>"):
            return tag.group(0)
        if not tag.group(1):
            kept = len(open_tags) < _FLAT_DEPTH
            open_tags.append((name, kept))
            return tag.group(0) if kept else " "
        while open_tags:
            opened, kept = open_tags.pop()
            if opened == name:
                return tag.group(0) if kept else " "
        return ""

    return _TAG.sub(keep, text)
