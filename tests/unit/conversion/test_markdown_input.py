"""Markdown input: line ends, front matter, title."""

from __future__ import annotations

import pytest

from conversion import markdown_document
from wrac.errors import ConversionFailed
from wrac.ids import digest


def test_text_stays_as_it_is_but_for_its_line_ends() -> None:
    document = markdown_document("\ufeff# One\r\n\r\n  * a\r- b\n\n\n\ttab \\*\n")
    assert document.text == "# One\n\n  * a\n- b\n\n\n\ttab \\*\n"
    assert document.title == "One"
    assert document.source_kind == "markdown"
    assert document.digest == digest(document.text)


@pytest.mark.parametrize(
    ("front", "fenced", "title"),
    [
        ("---\ntitle: The lock\nweight: 3\n---\n", "```yaml\ntitle: The lock\nweight: 3\n```\n\n", "The lock"),
        ('---\ntitle: "A: b" # c\n---\n\n', '```yaml\ntitle: "A: b" # c\n```\n\n', "A: b"),
        ("+++\ntitle = 'T'\n[x]\ny = 1\n+++\n", "```toml\ntitle = 'T'\n[x]\ny = 1\n```\n\n", "T"),
        ("---\nslug: x\n...\n", "```yaml\nslug: x\n```\n\n", "Heading"),
        ("---\nnote: |\n  ```\n---\n", "````yaml\nnote: |\n  ```\n````\n\n", "Heading"),
        ("---\n\nno front matter\n\n---\n", "---\n\nno front matter\n\n---\n", "Heading"),
        ("---\n---\n", "", "Heading"),
    ],
)
def test_front_matter_is_fenced_and_names_the_title(front: str, fenced: str, title: str) -> None:
    document = markdown_document(front + "# Heading\n\ntext\n")
    assert document.text == fenced + "# Heading\n\ntext\n"
    assert document.title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## Two\n\n# One `x` [l](u) #\n", "One x l"),
        ("```\n# code\n```\n\n## Two\n", "Two"),
        ("~~~ a`b\n# code\n~~~~\nSetext\n======\n", "Setext"),
        ("Sub\n---\n", "Sub"),
        ("- item\n---\n\n# H {#id}\n", "H"),
        ("no heading\n", ""),
    ],
)
def test_the_title_is_the_first_level_one_heading_else_the_first(text: str, title: str) -> None:
    assert markdown_document(text).title == title


def test_a_given_title_wins() -> None:
    assert markdown_document("---\ntitle: a\n---\n# b\n", title="c").title == "c"


def test_blank_markdown_fails() -> None:
    with pytest.raises(ConversionFailed):
        markdown_document(" \n\r\n")
