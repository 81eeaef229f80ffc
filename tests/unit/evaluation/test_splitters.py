"""Ways to make chunks that need no model."""

from __future__ import annotations

from evaluation.baselines.fixed import fixed_chunks
from evaluation.baselines.headers import header_chunks
from evaluation.baselines.recursive import recursive_chunks

PAGE = """\
Opening.

# Handbook

## Gates

Turn the key.

### Lamps

```
# no heading
```

## Empty

---

## Fees ##

Twelve crowns.
"""


def test_headers_give_a_breadcrumb_and_no_empty_chunk():
    assert header_chunks(PAGE) == [
        "Opening.",
        "Handbook > Gates\nTurn the key.",
        "Handbook > Gates > Lamps\n```\n# no heading\n```",
        "Handbook > Fees\nTwelve crowns.",
    ]


def test_fixed_chunks_overlap_and_end_with_the_text():
    words = "lamp gate quay tide rope barge anchor"  # one wordpiece each
    assert fixed_chunks(words, size=4, overlap=1) == ["lamp gate quay tide", "tide rope barge anchor"]
    assert fixed_chunks(words, size=4, overlap=2) == [
        "lamp gate quay tide",
        "quay tide rope barge",
        "rope barge anchor",
    ]
    assert fixed_chunks("lamp gate", size=4, overlap=1) == ["lamp gate"]
    assert fixed_chunks(" \n") == []


def test_recursive_chunks_prefer_blank_lines():
    text = "lamp gate\n\nquay tide\nrope\n\nbarge"
    assert recursive_chunks(text, size=5, overlap=0) == ["lamp gate\n\nquay tide\nrope", "barge"]
    assert recursive_chunks(text, size=3, overlap=0) == ["lamp gate", "quay tide\nrope", "barge"]
    assert recursive_chunks(text, size=2, overlap=0) == ["lamp gate", "quay tide", "rope\n\nbarge"]


def test_recursive_chunks_say_whole_pieces_again():
    text = "lamp\n\ngate\n\nquay\n\ntide"
    assert recursive_chunks(text, size=2, overlap=1) == ["lamp\n\ngate", "gate\n\nquay", "quay\n\ntide"]


def test_recursive_chunks_lose_no_word():
    text = "\n\n".join(f"{'lamp ' * n}gate. quay" for n in range(1, 30))
    said = " ".join(recursive_chunks(text, size=10, overlap=0)).split()
    assert [word.strip(".") for word in said] == [word.strip(".") for word in text.split()]
