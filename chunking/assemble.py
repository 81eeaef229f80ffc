"""Plans become chunks: text rebuilt from source spans, and beside it the text that is embedded."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from chunking.headings import Outline, heading_text
from chunking.plain import plain_inline, plain_text
from wrac.ids import digest
from wrac.records import Chunk, FusionKind, UnitKind
from wrac.tokens import count_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.records import ChunkPlan, Group, MarkdownDocument, Unit, UnitTree

BREADCRUMB_SEPARATOR = " > "


def assemble(tree: UnitTree, plan: ChunkPlan) -> tuple[Chunk, ...]:
    """One chunk per group, in order.

    ``text`` is the group's heading lines, then its units with what stands between them, all as written. ``embed_text``
    is the breadcrumb and the same content without Markdown marks, table rows as sentences.
    """
    builder = _Builder(tree)
    texts = [builder.text(group) for group in plan.groups]
    counts = count_each(texts)
    return tuple(
        builder.chunk(group, ordinal, text, tokens)
        for ordinal, (group, text, tokens) in enumerate(zip(plan.groups, texts, counts, strict=True))
    )


class _Builder:
    def __init__(self, tree: UnitTree) -> None:
        self.tree = tree
        self.document: MarkdownDocument = tree.document
        self.outline = Outline(tree)
        self.anchors = [anchor.offset for anchor in self.document.anchors]
        self.procedures = {i for f in tree.fusions if f.kind is FusionKind.PROCEDURE for i in f.unit_ids}
        self._names: dict[int, str] = {}

    def text(self, group: Group) -> str:
        owned = set(group.unit_ids)
        units = [self.outline.units[self.outline.position[i]] for i in group.unit_ids]
        heads = [h for h in dict.fromkeys((group.level1, group.level2, group.parent)) if h and h not in owned]
        lines = [self.tree.text_of(self.outline.units[self.outline.position[h]]) for h in heads]
        return "\n\n".join([*lines, *self._spans(units)])

    def _spans(self, units: Sequence[Unit]) -> list[str]:
        """Source spans of runs of neighbouring units, blank lines between them included."""
        position = self.outline.position
        runs: list[tuple[Unit, Unit]] = []
        for unit in units:
            if runs and position[unit.id] == position[runs[-1][1].id] + 1:
                runs[-1] = (runs[-1][0], unit)
            else:
                runs.append((unit, unit))
        return [self.document.text[first.start : last.end] for first, last in runs]

    def chunk(self, group: Group, ordinal: int, text: str, tokens: int) -> Chunk:
        indices = [self.outline.position[i] for i in group.unit_ids]
        content = [i for i in indices if not self.outline.units[i].is_heading] or indices
        path = self.outline.path_of(indices)
        heading_path = tuple(self._name(i) for i in path)
        if self.outline.titled(path):
            heading_path = (plain_inline(self.document.title).strip(), *heading_path)
        breadcrumb = BREADCRUMB_SEPARATOR.join(heading_path)
        return Chunk(
            text=text,
            embed_text=self._embed_text(breadcrumb, indices, set(path)),
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

    def _embed_text(self, breadcrumb: str, indices: Sequence[int], path: set[int]) -> str:
        """The breadcrumb names the headings of the path; they are not said again."""
        said = [breadcrumb] if breadcrumb else []
        for index in indices:
            if index in path:
                continue
            unit = self.outline.units[index]
            said.append(self._name(index) if unit.is_heading else plain_text(unit.kind, self.tree.text_of(unit)))
        return "\n".join(part for part in said if part)

    def _name(self, index: int) -> str:
        if index not in self._names:
            unit = self.outline.units[index]
            self._names[index] = " ".join(plain_inline(heading_text(self.tree.text_of(unit))).split())
        return self._names[index]

    def _kind(self, content: Sequence[int]) -> str:
        units = [self.outline.units[i] for i in content if self.outline.units[i].kind is not UnitKind.BREAK]
        total = sum(unit.tokens for unit in units)
        steps = sum(unit.tokens for unit in units if unit.id in self.procedures)
        if steps and 2 * steps > total:
            return "procedure"
        return units[0].kind.value if len(units) == 1 else "section"

    def _fragment(self, offset: int) -> str:
        index = bisect_right(self.anchors, offset) - 1
        return self.document.anchors[index].fragment if index >= 0 else ""

    def _pages(self, content: Sequence[int]) -> tuple[int, ...]:
        pages = self.document.pages
        if not pages:
            return ()
        offsets = [page.offset for page in pages]
        found: set[int] = set()
        for index in content:
            unit = self.outline.units[index]
            first = max(0, bisect_right(offsets, unit.start) - 1)
            last = bisect_right(offsets, max(unit.start, unit.end - 1)) - 1
            found.update(page.page for page in pages[first : last + 1])
        return tuple(sorted(found))
