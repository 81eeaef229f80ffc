"""Blocks of a tagged document: its structure elements say what is a heading, a list, a table; layout is not asked.

Elements over a page border come as one part a page, so that they are joined as untagged text is: by what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Code, Heading, Item, ListBlock, Paragraph, Quote, Table
from conversion.html.marks import anchor_mark, without_anchors
from conversion.pdf.code import code_text
from conversion.pdf.continuation import joined_row
from conversion.pdf.hidden import removal, text_of
from conversion.pdf.inline import Inline, Text
from conversion.pdf.lines import lines, segments
from conversion.pdf.markers import is_mark
from conversion.pdf.structure import TELLING, Element, tagged_share
from conversion.pdf.styles import ARTIFACT, TYPED
from conversion.pdf.tagged_tables import TaggedCell, columns_of, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Line, PageText, Word
    from conversion.pdf.tagged_tables import Span
    from wrac.records import Removal

_LEAST_SHARE = 0.9
"""Share of the characters that tags must hold to be trusted."""
_HEADINGS = {"H": 2, "H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6, "Title": 1}
_TEXTS = frozenset({"P", "Caption", "TOCI", "Note", "BibEntry", "Formula", "Lbl", "LBody", "Index"})
_INLINE = frozenset({"Span", "Link", "Reference", "Em", "Strong", "Quote", "Code", "Annot", "Ruby", "Warichu", "Sub"})
_INLINE_IN_TEXT = _INLINE | {"NonStruct", "Private", "Lbl", "Formula", "Form", "RB", "RT", "RP", "WT", "WP"}
"""The same inside of text, where producers tag formulas, marks of notes and what has no tag of its own as well."""
_NOTES = frozenset({"Note", "FENote"})
_LEADING = 1.2
_MAX_DIGITS = 6
_TITLE = 1.3
"""Type so many times larger than the page's usual one sets a title."""
_ENDINGS = (".", "!", "?", ":", "。", "！", "？", "…")
_LEAST_READ = 0.5
"""Share of all characters that tags must hold: a file that calls most of itself an artifact is not believed."""


def is_well_tagged(pages: Sequence[PageText]) -> bool:
    """Whether the structure holds nearly all text and tells more than that it is text."""
    held = total = artifacts = 0
    kinds: set[str] = set()
    for page in pages:
        artifacts += sum(len(word.text) for word in page.words if word.tag == ARTIFACT)
        tags = [(word.tag, len(word.text)) for word in page.words if word.tag != ARTIFACT]
        if page.structure is None:
            total += sum(n for _, n in tags)
            continue
        some, all_of = tagged_share(page.structure, tags)
        held, total = held + some, total + all_of
        kinds.update(page.structure.kinds())
    enough = held >= _LEAST_SHARE * total and held >= _LEAST_READ * (total + artifacts)
    return total > 0 and enough and bool(kinds & TELLING)


class TaggedBuilder:
    """Blocks of tagged pages, added in order."""

    def __init__(self, inline: Inline) -> None:
        self._inline = inline
        self._blocks: list[Block] = []
        self.removals: list[Removal] = []
        self._page = 0
        self._words: dict[int, list[Word]] = {}
        self._code_lines: list[Line] = []
        self._columns: list[Span] = []

    def add(self, page: PageText) -> None:
        """The page's text in the order of its structure; text outside of it is an artifact and is recorded."""
        self._page = page.number
        if page.structure is None:
            self._artifacts(page, set())
            self._blocks.extend(self._typed(page))
            return
        self._words = {}
        for word in page.words:
            self._words.setdefault(word.tag, []).append(word)
        self._artifacts(page, set(page.structure.identifiers()))
        found = self._flow(page.structure)
        if not self._blocks and found and isinstance(found[0], Paragraph) and self._is_title(page):
            found[0] = Heading(1, found[0].text.replace("**", ""))
        if found and self._blocks and _join(self._blocks[-1], found[0]):
            found = found[1:]
        self._blocks.extend([*found, *self._typed(page)])

    @staticmethod
    def _is_title(page: PageText) -> bool:
        """Whether the first text of the document is set like a title: producers have no tag for titles."""
        known = set(page.structure.identifiers()) if page.structure else set()
        held = [word.style.size for word in page.words if word.tag in known]
        return bool(held) and held[0] >= _TITLE * sorted(held)[len(held) // 2]

    def finish(self) -> list[Block]:
        """All blocks."""
        return self._blocks

    def _artifacts(self, page: PageText, known: set[int]) -> None:
        outside = [word for word in page.words if word.tag not in known and word.tag != TYPED]
        if outside:
            self.removals.append(removal("pdf.artifact", page.number, text_of(outside)))

    def _typed(self, page: PageText) -> list[Block]:
        """What was typed onto the page: tags say nowhere where it belongs."""
        out: list[Block] = []
        for segment in segments([word for word in page.words if word.tag == TYPED]):
            text = Text()
            self._inline.add(text, segment.runs, page.number)
            out.extend(Paragraph(anchor_mark(page.number) + part) for part in self._inline.paragraphs(text))
        return out

    # ------------------------------------------------------------ blocks

    def _flow(self, element: Element) -> list[Block]:
        """Blocks of a grouping element; loose text inside becomes paragraphs, and notes in a text stand behind it."""
        out: list[Block] = []
        loose: list[int] = []
        notes: list[Element] = []
        is_text = element.kind in _TEXTS
        for child in element.children:
            if isinstance(child, int) or _is_inline(child, _INLINE_IN_TEXT if is_text else _INLINE):
                loose.extend([child] if isinstance(child, int) else child.identifiers())
                continue
            if is_text and child.kind in _NOTES:
                notes.append(child)
                continue
            self._text(loose, out)
            loose = []
            self._element(child, out)
        self._text(loose, out)
        for note in notes:
            self._element(note, out)
        return out

    def _element(self, element: Element, out: list[Block]) -> None:
        kind = element.kind
        if kind in _HEADINGS:
            if words := self._line(list(element.identifiers()), strong=False):
                out.append(Heading(_HEADINGS[kind], anchor_mark(self._page) + words))
        elif kind == "L":
            self._list(element, out)
        elif kind == "Table":
            self._table(element, out)
        elif kind == "Code":
            self._code(list(element.identifiers()), out)
        elif kind == "BlockQuote":
            if inner := self._flow(element):
                out.append(Quote(inner))
        elif kind in _TEXTS and all(isinstance(c, int) or _is_inline(c, _INLINE_IN_TEXT) for c in element.children):
            self._text(list(element.identifiers()), out)
        else:
            if element.alternative:
                out.append(Paragraph(anchor_mark(self._page) + " ".join(element.alternative.split())))
            out.extend(self._flow(element))

    def _text(self, identifiers: list[int], out: list[Block]) -> None:
        words = self._of(identifiers)
        if words and all(word.style.mono for word in words):
            self._code(identifiers, out)
            return
        text = self._joined(words)
        made = self._inline.paragraphs(text)
        out.extend(Paragraph((anchor_mark(self._page) if i == 0 else "") + part) for i, part in enumerate(made))

    def _code(self, identifiers: list[int], out: list[Block]) -> None:
        found = lines(segments(self._of(identifiers)), self._page)
        if not found:
            return
        if not (out and isinstance(out[-1], Code)):
            out.append(Code(""))
            self._code_lines = []
        # Producers tag each line as a paragraph: the indentation shows only when they are seen together.
        self._code_lines.extend(found)
        out[-1] = Code(anchor_mark(self._page) + code_text(self._code_lines, _LEADING))

    def _of(self, identifiers: Sequence[int]) -> list[Word]:
        return [word for identifier in identifiers for word in self._words.get(identifier, ())]

    def _joined(self, words: Sequence[Word]) -> Text:
        text = Text()
        for segment in segments(words):
            self._inline.add(text, segment.runs, self._page)
        return text

    def _line(self, identifiers: list[int], *, strong: bool = True) -> str:
        text = self._joined(self._of(identifiers))
        return self._inline.line(text, strong=strong) if text.runs else ""

    def _list(self, element: Element, out: list[Block]) -> None:
        items: list[Item] = []
        labels: list[str] = []
        for child in element.children:
            if not isinstance(child, Element):
                continue
            if child.kind == "L" and items:
                # Some producers put an inner list beside the item that it belongs to.
                self._list(child, items[-1].blocks)
                continue
            label = [i for c in child.children if isinstance(c, Element) and c.kind == "Lbl" for i in c.identifiers()]
            words = self._of(label) or self._of(list(child.identifiers()))[:1]
            labels.append(text_of(words))
            if not label and words and is_mark(words[0].text):
                # The mark stands in the item's own text.
                self._words[words[0].tag].remove(words[0])
            items.append(Item(self._item(child)))
        kept = [(item, label) for item, label in zip(items, labels, strict=True) if item.blocks]
        numbers = [_number(label) for _, label in kept]
        ordered = None not in numbers
        for (item, _), number in zip(kept, numbers, strict=True):
            item.number = number or 0
        if kept:
            out.append(ListBlock(ordered, [item for item, _ in kept]))

    def _item(self, element: Element) -> list[Block]:
        kept = [c for c in element.children if not (isinstance(c, Element) and c.kind == "Lbl")]
        return self._flow(Element("LI", kept))

    def _cell(self, element: Element, *, strong: bool) -> TaggedCell:
        identifiers = list(element.identifiers())
        words = self._of(identifiers)
        x0, x1 = min((word.x0 for word in words), default=0.0), max((word.x1 for word in words), default=0.0)
        return TaggedCell(self._line(identifiers, strong=strong), x0, x1, element.rows, element.columns)

    def _table(self, element: Element, out: list[Block]) -> None:
        made: list[list[TaggedCell]] = []
        header = False
        for row in _rows(element):
            cells = [c for c in row.children if isinstance(c, Element)]
            if not made and cells and all(cell.kind == "TH" for cell in cells):
                header = True
            made.append([self._cell(cell, strong=bool(made) and cell.kind != "TH") for cell in cells])
        for child in element.children:
            if isinstance(child, Element) and child.kind == "Caption":
                self._element(child, out)
        goes_on = not out and bool(self._blocks) and isinstance(self._blocks[-1], Table)
        self._columns = columns_of(made, self._columns if goes_on else ())
        rows = [row for row in spread(made, self._columns) if any(row)]
        if not rows:
            return
        rows[0][0] = anchor_mark(self._page) + rows[0][0]
        # Word and LibreOffice tag heads as data: the first row names the columns where there are others.
        out.append(Table(rows, header=header or len(rows) > 1))


def _is_inline(element: Element, kinds: frozenset[str]) -> bool:
    """Whether the element is of the kinds, and all below it as well."""
    return element.kind in kinds and all(isinstance(c, int) or _is_inline(c, kinds) for c in element.children)


def _number(label: str) -> int | None:
    bare = label.strip("().")
    return int(bare) if bare.isdecimal() and bare != label and len(bare) <= _MAX_DIGITS else None


def _rows(element: Element) -> list[Element]:
    rows: list[Element] = []
    for child in element.children:
        if isinstance(child, Element):
            rows.extend([child] if child.kind == "TR" else _rows(child) if child.kind != "Caption" else [])
    return rows


def _join(last: Block, first: Block) -> bool:
    """Joins the first block of a page to the last of the page before where it goes on; whether it did."""
    match last, first:
        case Paragraph(), Paragraph() if not last.text.rstrip("\"'”’)*").endswith(_ENDINGS):
            last.text += f" {first.text}"
            return True
        case ListBlock(), ListBlock() if last.ordered == first.ordered:
            if not last.ordered or first.items[0].number == last.items[-1].number + 1:
                last.items.extend(first.items)
                return True
        case Table(), Table() if len(last.rows[0]) == len(first.rows[0]):
            same = [without_anchors(cell) for cell in first.rows[0]] == [without_anchors(cell) for cell in last.rows[0]]
            rows = first.rows[1:] if same else first.rows
            last.rows.extend(rows[1:] if rows and joined_row(last.rows[-1], rows[0]) else rows)
            return True
        case Code(), Code():
            last.text += f"\n{first.text}"
            return True
        case _:
            pass
    return False
