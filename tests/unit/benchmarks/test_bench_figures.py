"""Goals are judged as they read."""

from __future__ import annotations

from math import nan

import pytest

from benchmarks.figures import Figure, exit_code, show


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (Figure("free", 3.0), True),
        (Figure("least", 0.95, least=0.95), True),
        (Figure("least", 0.949, least=0.95), False),
        (Figure("most", 3.01, most=3.0), False),
        (Figure("both", 150, least=120, most=200), True),
        (Figure("both", 201, least=120, most=200), False),
        (Figure("no number", nan, least=0.5), False),
    ],
)
def test_met(figure: Figure, met: bool) -> None:
    assert figure.met is met


def test_a_missed_goal_shows_and_fails_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    figures = [Figure("good", 1, least=1), Figure("bad", 0.5, least=1), Figure("unknown", nan, least=1)]
    show("Title", figures)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["Title", "-----"]
    assert lines[3].endswith("ok")
    assert lines[4].endswith("MISSED")
    assert lines[5].split()[:2] == ["unknown", "nan"]
    assert exit_code(figures, strict=False) == 0
    assert exit_code(figures, strict=True) == 1
    assert exit_code(figures[:1], strict=True) == 0
