from __future__ import annotations

from chunking import assemble, build_tree
from wrac.ids import digest
from wrac.records import Anchor, Chunk, ChunkPlan, Group, MarkdownDocument, PageSpan

TEXT = """# **Big** Guide

Intro words.

## Setup ##

Do it:

- *first*
- second

| Key | Value |
|---|---|
| a | 1 |

Usage
-----

```sh
run it
```
"""


def chunks(
    groups: list[tuple[int, int, int, list[int]]], anchors: tuple[Anchor, ...] = (), pages: tuple[PageSpan, ...] = ()
) -> tuple[Chunk, ...]:
    """Groups by places of units: level 1, level 2, parent, owned."""
    tree = build_tree(MarkdownDocument(TEXT, "Site title", "markdown", "markdown/1", "", anchors, pages))
    ids = [unit.id for unit in tree.units]
    plan = tuple(Group(ids[a], ids[b], ids[c], tuple(ids[i] for i in own)) for a, b, c, own in groups)
    return assemble(tree, ChunkPlan(plan, "test"))


def test_text_is_the_heading_lines_and_the_source_as_written() -> None:
    (chunk,) = chunks([(0, 2, 2, [4, 5])])
    assert chunk.text == (
        "# **Big** Guide\n\n## Setup ##\n\n- *first*\n- second\n\n| Key | Value |\n|---|---|\n| a | 1 |"
    )
    assert chunk.digest == digest(chunk.text)


def test_headings_that_the_group_owns_stand_in_their_place() -> None:
    (chunk,) = chunks([(0, 0, 0, [0, 1, 2, 3])])
    assert chunk.text == "# **Big** Guide\n\nIntro words.\n\n## Setup ##\n\nDo it:"


def test_embed_text_is_breadcrumb_and_plain_content() -> None:
    (chunk,) = chunks([(0, 2, 2, [4, 5])])
    assert chunk.heading_path == ("Big Guide", "Setup")
    assert chunk.breadcrumb == "Big Guide > Setup"
    assert chunk.embed_text == "Big Guide > Setup\nfirst\nsecond\nKey: a; Value: 1"


def test_inner_headings_are_said_in_place_and_those_of_the_breadcrumb_once() -> None:
    (chunk,) = chunks([(0, 0, 0, [0, 1, 2, 3])])
    assert chunk.embed_text == "Big Guide\nIntro words.\nSetup\nDo it:"


def test_kind_is_that_of_the_only_content_unit() -> None:
    kinds = [chunk.kind for chunk in chunks([(0, 0, 0, [0, 1]), (0, 2, 2, [2, 3, 4, 5]), (0, 6, 6, [6, 7])])]
    assert kinds == ["paragraph", "section", "code"]


def test_setext_heading_text_is_its_words() -> None:
    (chunk,) = chunks([(0, 6, 6, [6, 7])])
    assert chunk.breadcrumb == "Big Guide > Usage"
    assert chunk.embed_text == "Big Guide > Usage\nrun it"


def test_the_fragment_is_the_anchor_last_passed_before_the_content() -> None:
    anchors = (Anchor(TEXT.index("## Setup"), "setup"), Anchor(TEXT.index("Usage"), "usage"))
    fragments = [c.fragment for c in chunks([(0, 0, 0, [0, 1]), (0, 2, 2, [2, 3]), (0, 6, 6, [6, 7])], anchors)]
    assert fragments == ["", "setup", "usage"]


def test_pages_are_those_on_which_the_content_stands() -> None:
    pages = (PageSpan(0, 1), PageSpan(TEXT.index("- second"), 2), PageSpan(TEXT.index("Usage"), 3))
    found = [c.pages for c in chunks([(0, 0, 0, [0, 1]), (0, 2, 2, [2, 3, 4, 5]), (0, 6, 6, [6, 7])], (), pages)]
    assert found == [(1,), (1, 2), (3,)]


def test_ordinals_count_from_0() -> None:
    assert [c.ordinal for c in chunks([(0, 0, 0, [0, 1]), (0, 2, 2, [2, 3])])] == [0, 1]
