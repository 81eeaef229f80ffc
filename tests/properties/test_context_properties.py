"""A context keeps its promises whatever the hits are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexing.context import fill
from wrac.records import Hit
from wrac.tokens import count_tokens

WORDS = st.sampled_from(["amber", "lamp", "gate", "`code`", "**bold**", "12.5", "naïve", "漢字", "- item", "| a | b |"])
HEADINGS = st.lists(st.sampled_from(["Guide", "Install", "Linux", "FAQ"]), max_size=3, unique=True)


@st.composite
def pages(draw: st.DrawFn) -> list[Hit]:
    """Hits of a few pages, each chunk with words of its own; any order."""
    hits = []
    for page in range(draw(st.integers(1, 3))):
        for ordinal in range(draw(st.integers(1, 5))):
            path = draw(HEADINGS)
            lines = [" ".join(draw(st.lists(WORDS, min_size=1, max_size=12))) for _ in range(draw(st.integers(1, 4)))]
            mark = f"p{page}c{ordinal}"
            heads = [f"{'#' * level} {name}" for level, name in enumerate(path, 1)]
            body = "\n".join([f"{mark} says", *lines])
            hits.append(
                Hit(
                    point_id=mark,
                    score=draw(st.floats(0, 1)),
                    text="\n\n".join([*heads, body]),
                    breadcrumb=" > ".join(path),
                    url=f"https://docs.example.org/{page}#{mark}",
                    title=f"Page {page}",
                    site="docs",
                    payload={"page_id": str(page), "ordinal": ordinal, "heading_path": path, "digest": mark},
                    part=draw(st.sampled_from(["", lines[-1]])),
                )
            )
    return draw(st.permutations(hits))


@given(pages(), st.integers(1, 400))
def test_never_over_budget(hits: list[Hit], budget: int) -> None:
    found = fill(hits, budget)
    assert found.tokens == count_tokens(found.text) <= budget


@given(pages(), st.integers(1, 400))
def test_every_line_is_a_line_of_its_page(hits: list[Hit], budget: int) -> None:
    said = {hit.point_id: set(hit.text.split("\n")) for hit in hits}
    for piece in fill(hits, budget).pieces:
        lines = set().union(*(said[point] for point in piece.point_ids))
        assert set(piece.text.split("\n")) <= lines | {""}


@given(pages())
def test_each_chunk_is_there_once_and_whole_where_all_fit(hits: list[Hit]) -> None:
    found = fill(hits, 100_000)
    points = [point for piece in found.pieces for point in piece.point_ids]
    assert sorted(points) == sorted(hit.point_id for hit in hits)
    for hit in hits:
        body = hit.text[hit.text.index(f"{hit.point_id} says") :]
        assert found.text.count(body) == 1


@given(pages(), st.integers(1, 400))
def test_the_order_inside_a_page_is_the_page_s_and_pages_are_not_mixed(hits: list[Hit], budget: int) -> None:
    points = [point for piece in fill(hits, budget).pieces for point in piece.point_ids]
    order = [(point[1], int(point[3:])) for point in points]
    by_page = list(dict.fromkeys(page for page, _ in order))
    assert order == sorted(order, key=lambda place: (by_page.index(place[0]), place[1]))


@given(pages())
def test_no_heading_is_said_again_while_it_is_open(hits: list[Hit]) -> None:
    for piece in fill(hits, 100_000).pieces:
        opened: list[str] = []
        for line in piece.text.split("\n"):
            if line.startswith("#"):
                level = line.index(" ")
                assert line not in opened
                opened = [head for head in opened if head.index(" ") < level] + [line]


@given(pages())
def test_copies_are_told_once(hits: list[Hit]) -> None:
    assert fill([*hits, *hits], 100_000) == fill(hits, 100_000)
