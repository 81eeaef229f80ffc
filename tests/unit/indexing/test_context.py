"""Contexts, worked out by hand."""

from __future__ import annotations

import pytest

from indexing.context import context, fill
from wrac.errors import ConfigError
from wrac.records import Hit
from wrac.tokens import count_tokens

URL = "https://docs.example.org/guide"


def hit(ordinal: int, text: str, *path: str, url: str = URL, fragment: str = "", part: str = "") -> Hit:
    return Hit(
        point_id=f"{url}{ordinal}",
        score=1 - ordinal / 10,
        text=text,
        breadcrumb=" > ".join(path),
        url=f"{url}#{fragment}" if fragment else url,
        title="Guide",
        site="docs",
        payload={"page_id": url, "ordinal": ordinal, "heading_path": list(path)},
        part=part,
    )


def test_neighbours_of_one_section_are_one_piece_with_its_headings_once() -> None:
    second = hit(2, "# Guide\n\n## Install\n\nThen run it.", "Guide", "Install", fragment="then")
    first = hit(1, "# Guide\n\n## Install\n\nFetch it.", "Guide", "Install", fragment="install")
    found = fill([second, first], 1000)
    assert found.text == f"[1] {URL}#install\n\n# Guide\n\n## Install\n\nFetch it.\n\nThen run it."
    (piece,) = found.pieces
    assert (piece.score, piece.breadcrumb, piece.point_ids) == (0.9, "Guide > Install", (f"{URL}1", f"{URL}2"))


def test_a_section_below_is_joined_and_another_one_has_its_own_source() -> None:
    hits = [
        hit(1, "# Guide\n\n## Install\n\nFetch it.", "Guide", "Install", fragment="install"),
        hit(2, "# Guide\n\n## Install\n\n### Linux\n\nUnpack it.", "Guide", "Install", "Linux", fragment="linux"),
        hit(3, "# Guide\n\n## Use\n\nStart it.", "Guide", "Use", fragment="use"),
    ]
    assert fill(hits, 1000).text == (
        f"[1] {URL}#install\n\n# Guide\n\n## Install\n\nFetch it.\n\n### Linux\n\nUnpack it."
        f"\n\n[2] {URL}#use\n\n## Use\n\nStart it."
    )


def test_a_gap_makes_two_pieces() -> None:
    hits = [hit(1, "# Guide\n\nOne.", "Guide", fragment="a"), hit(3, "# Guide\n\nThree.", "Guide", fragment="c")]
    assert [piece.text for piece in fill(hits, 1000).pieces] == ["# Guide\n\nOne.", "Three."]


def test_a_comment_in_code_is_no_heading() -> None:
    hits = [
        hit(1, "# Guide\n\n```sh\n## Install\n```", "Guide"),
        hit(2, "# Guide\n\n## Install\n\nFetch it.", "Guide", "Install"),
    ]
    assert fill(hits, 1000).text.count("## Install") == 2


def test_pages_come_in_the_order_of_their_best_hit() -> None:
    other = "https://docs.example.org/faq"
    hits = [hit(4, "Four.", url=other), hit(1, "One."), hit(0, "Zero.", url=other)]
    assert [piece.url for piece in fill(hits, 1000).pieces] == [other, other, URL]


def test_what_does_not_fit_gives_way_to_what_does_or_to_its_part() -> None:
    long = "# Guide\n\n" + "\n".join(f"Step {n}: turn the amber knob." for n in range(50))
    short = hit(1, "Short.", url="https://docs.example.org/short")
    assert [piece.text for piece in fill([hit(0, long, "Guide"), short], 40).pieces] == ["Short."]
    parted = hit(0, long, "Guide", part="Step 7: turn the amber knob.")
    assert fill([parted, short], 60).pieces[0].text == "# Guide\n\nStep 7: turn the amber knob."


def test_of_the_best_hit_at_least_the_beginning_is_told() -> None:
    found = fill([hit(0, "# Guide\n\n" + "\n".join(f"Step {n}." for n in range(500)), "Guide")], 60)
    assert found.pieces[0].text.startswith("# Guide\n\nStep 0.\nStep 1.")
    assert 50 <= found.tokens == count_tokens(found.text) <= 60


def test_a_budget_that_holds_nothing_gives_nothing() -> None:
    assert fill([hit(0, "# Guide\n\nFetch it.")], 3).text == ""
    assert fill([], 100).pieces == ()


def test_no_budget_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="budget of 0 tokens"):
        context("q", 0, store=None, embedder=None, sparse=None)  # type: ignore[arg-type]
