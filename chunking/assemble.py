"""Plans become chunks: text rebuilt from source spans, and beside it the text that is embedded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from chunking.headings import Outline, heading_text
from chunking.plain import plain_inline, plain_text
from wrac.ids import digest
from wrac.records import Chunk, FusionKind
from wrac.tokens import count_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunking.headings import Path
    from wrac.records import ChunkPlan, Group, MarkdownDocument, UnitTree

BREADCRUMB_SEPARATOR = " > "


def assemble(tree: UnitTree, plan: ChunkPlan) -> tuple[Chunk, ...]:
    """One chunk per group, in order.

    ``text`` is the group's heading lines, then its units with the blank lines between them, all as written.
    ``embed_text`` is the breadcrumb and the same content without Markdown marks, table rows as sentences.
    """
    builder = _Builder(tree)
    owned = [[builder.outline.position[i] for i in group.unit_ids] for group in plan.groups]
    texts = [builder.text(group, indices) for group, indices in zip(plan.groups, owned, strict=True)]
    parts = zip(plan.groups, owned, texts, count_each(texts), strict=True)
    return tuple(builder.chunk(ordinal, *part) for ordinal, part in enumerate(parts))


class _Builder:
    def __init__(self, tree: UnitTree) -> None:
        self.tree = tree
        self.document: MarkdownDocument = tree.document
        self.outline = Outline(tree)
        self.anchors = [anchor.offset for anchor in self.document.anchors]
        self.page_starts = [page.offset for page in self.document.pages]
        self.procedures = {i for f in tree.fusions if f.kind is FusionKind.PROCEDURE for i in f.unit_ids}
        self._names: dict[int, str] = {}

    def text(self, group: Group, indices: Sequence[int]) -> str:
        units, source = self.outline.units, self.document.text
        heads = dict.fromkeys(h for h in (group.level1, group.level2, group.parent) if h and h not in group.unit_ids)
        said = [self.tree.text_of(units[self.outline.position[h]]) for h in heads]
        first = 0
        for place, index in enumerate(indices):
            if place + 1 == len(indices) or indices[place + 1] != index + 1:
                said.append(source[units[indices[first]].start : units[index].end])
                first = place + 1
        return "\n\n".join(said)

    def chunk(self, ordinal: int, group: Group, indices: Sequence[int], text: str, tokens: int) -> Chunk:
        content = [i for i in indices if self.outline.is_content(i)] or list(indices)
        path = self.outline.path_of(indices)
        heading_path = tuple(self._name(i) for i in path)
        if self.outline.titled(path):
            heading_path = (" ".join(self.document.title.split()), *heading_path)
        breadcrumb = BREADCRUMB_SEPARATOR.join(heading_path)
        return Chunk(
            text=text,
            embed_text=self._embed_text(breadcrumb, indices, path),
            heading_path=heading_path,
            breadcrumb=breadcrumb,
            unit_ids=group.unit_ids,
            kind=self._kind(content),
            fragment=self._fragment(self.outline.units[content[0]].start),
            ordinal=ordinal,
            tokens=tokens,
            digest=digest(text),
            pages=self._pages(content),
        )

    def _embed_text(self, breadcrumb: str, indices: Sequence[int], path: Path) -> str:
        """The breadcrumb names the headings of the path; they are not said again."""
        units, source = self.outline.units, self.document.text
        said = [breadcrumb]
        for index in indices:
            unit = units[index]
            if unit.level == 0:
                said.append(plain_text(unit.kind, source[unit.start : unit.end]))
            elif index not in path:
                said.append(self._name(index))
        return "\n".join(part for part in said if part)

    def _name(self, index: int) -> str:
        if index not in self._names:
            unit = self.outline.units[index]
            self._names[index] = " ".join(plain_inline(heading_text(self.tree.text_of(unit))).split())
        return self._names[index]

    def _kind(self, content: Sequence[int]) -> str:
        units = [self.outline.units[i] for i in content]
        if self.procedures:
            steps = sum(unit.tokens for unit in units if unit.id in self.procedures)
            if steps and 2 * steps > sum(unit.tokens for unit in units):
                return "procedure"
        return units[0].kind.value if len(units) == 1 else "section"

    def _fragment(self, offset: int) -> str:
        index = bisect_right(self.anchors, offset) - 1
        return self.document.anchors[index].fragment if index >= 0 else ""

    def _pages(self, content: Sequence[int]) -> tuple[int, ...]:
        found: set[int] = set()
        for index in content if self.page_starts else ():
            unit = self.outline.units[index]
            first = max(0, bisect_right(self.page_starts, unit.start) - 1)
            found.update(page.page for page in self.document.pages[first : bisect_left(self.page_starts, unit.end)])
        return tuple(sorted(found))
