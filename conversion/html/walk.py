"""The walk over the tree: one pass, in reading order, from elements to blocks.

Plain containers are walked with a stack of their own, so any depth of ``div``s is fine. Lists, quotations and tables
call back into the walk; beyond ``MAX_DEPTH`` of them they count as plain containers.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Paragraph
from conversion.html.escapes import finished
from conversion.html.inline import piece
from conversion.html.marks import visible
from conversion.html.state import MAX_DEPTH
from conversion.html.tags import BLOCKS, LEAVES, SKIPPED, holds, opens_panel

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from lxml.html import HtmlElement

    from conversion.html.state import State

    BlockHandler = Callable[[State, HtmlElement, list[Block]], None]
    ContainerHandler = Callable[[State, HtmlElement, list[Block]], bool]

BLOCK_HANDLERS: dict[object, BlockHandler] = {}
"""Tags that become blocks of their own; filled by ``conversion.html.dispatch``."""
CONTAINER_HANDLERS: dict[object, ContainerHandler] = {}
"""Tags that may mean more than a container; a handler answers False where they do not."""


def blocks_of(state: State, element: HtmlElement) -> list[Block]:
    """The element's content as blocks."""
    return _Walk(state).run(element)


def flow(state: State, element: HtmlElement) -> list[Block]:
    """The element itself as blocks, wherever it stands."""
    return blocks_of_parts(state, (element,))


def blocks_of_parts(state: State, parts: Iterable[str | HtmlElement]) -> list[Block]:
    """A run of text and elements, tails not read, as blocks."""
    walk = _Walk(state)
    for part in parts:
        walk.add(part)
    return walk.finish()


def parted(element: HtmlElement, tags: Container[str]) -> Iterator[HtmlElement | list[str | HtmlElement]]:
    """The children with these tags, and between them what else there is (blank runs left out)."""
    between: list[str | HtmlElement] = [element.text] if element.text and element.text.strip() else []
    for child in element:
        if child.tag in tags:
            if between:
                yield between
                between = []
            yield child
        elif isinstance(child.tag, str):
            between.append(child)
        if child.tail and (between or child.tail.strip()):
            between.append(child.tail)
    if between:
        yield between


class _Walk:
    __slots__ = ("_out", "_run", "_stack", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._out: list[Block] = []
        self._run: list[str] = []
        self._stack: list[tuple[HtmlElement, Iterator[HtmlElement], bool]] = []

    def run(self, element: HtmlElement) -> list[Block]:
        if element.text:
            self._run.append(visible(element.text))
        self._stack.append((element, iter(element), False))
        return self.finish()

    def add(self, part: str | HtmlElement) -> None:
        """Reads one part to its end."""
        if isinstance(part, str):
            self._run.append(visible(part))
        else:
            self.enter(part)
            self._exhaust()

    def finish(self) -> list[Block]:
        self._exhaust()
        self._flush()
        return self._out

    def _exhaust(self) -> None:
        """Walks until all open containers are read."""
        stack, run = self._stack, self._run
        while stack:
            parent, children, is_block = stack[-1]
            for child in children:
                depth = len(stack)
                self.enter(child)
                if len(stack) > depth:
                    break
                if child.tail:
                    run.append(visible(child.tail))
            else:
                stack.pop()
                if is_block:
                    self._flush()
                if stack and parent.tail:
                    run.append(visible(parent.tail))

    def enter(self, element: HtmlElement) -> None:
        """Reads the element, or opens it for the loop where it is a plain container."""
        state = self._state
        tag = element.tag
        if tag not in BLOCKS:
            if not isinstance(tag, str):
                return
            if tag in SKIPPED and tag != "script" and not (tag == "template" and element.get("shadowrootmode")):
                return
            if len(element) and self._holds_block(element):
                self._open(element, is_block=False)
            else:
                self._inline(element)
            return
        self._flush()
        if state.depth >= MAX_DEPTH and tag not in LEAVES:
            self._open(element, is_block=True)
            return
        state.depth += 1
        handler = BLOCK_HANDLERS.get(tag)
        if handler is not None:
            handler(state, element, self._out)
        else:
            special = CONTAINER_HANDLERS.get(tag)
            if special is None or not special(state, element, self._out):
                self._open(element, is_block=True)
        state.depth -= 1

    def _holds_block(self, element: HtmlElement) -> bool:
        """Whether a block stands somewhere inside an inline element (``<a><h3>``, ``<b><p>``)."""
        known = self._state.around_blocks
        if element in known:
            return True
        for inner in element.iter():
            if inner.tag in BLOCKS:
                # All elements on the way are answered at once: a deep chain is looked through but once.
                known.update(takewhile(lambda above: above is not element, inner.iterancestors()))
                return True
        return False

    def _inline(self, element: HtmlElement) -> None:
        tag = element.tag
        alone = tag in ("code", "button") and not "".join(self._run).strip()
        if alone and tag == "code" and holds(element, "br"):
            BLOCK_HANDLERS["pre"](self._state, element, self._out)
        elif alone and tag == "button" and opens_panel(element):
            BLOCK_HANDLERS["summary"](self._state, element, self._out)
        else:
            piece(self._state, element, self._run)

    def _open(self, element: HtmlElement, is_block: bool) -> None:
        if name := element.get("id"):
            self._state.pending = name
        if element.text:
            self._run.append(visible(element.text))
        if len(element):
            self._stack.append((element, iter(element), is_block))
        elif is_block:
            self._flush()

    def _flush(self) -> None:
        run = self._run
        if not run:
            return
        if len(run) > 1 or not run[0].isspace():
            for text in finished(run, self._state.opaque):
                self._out.append(Paragraph(text))
                self._state.pending = ""
        run.clear()
