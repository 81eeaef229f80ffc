"""Nothing of a hostile page reaches a terminal or breaks a line of JSON."""

from __future__ import annotations

import json

import pytest

from service.cli.terminal import json_line, one_line, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("red \x1b[31mtext\x1b[0m", "red text"),
        ("title \x1b]0;owned\x07set", "title set"),
        ("link \x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\", "link here"),
        ("reset\x1bc now", "reset now"),
        ("over\rwritten", "overwritten"),
        ("back\x08\x08space", "backspace"),
        ("c1 \x9b31m", "c1 31m"),
        ("txt.\u202eexe", "txt.exe"),
        ("iso\u2066lated\u2069", "isolated"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("dos\r\nlines", "dos\nlines"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("[bold]markup[/bold] :smile: naïve 漢字", "[bold]markup[/bold] :smile: naïve 漢字"),
    ],
)
def test_plain_keeps_what_is_read_and_drops_what_is_obeyed(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_one_line_folds_white_space() -> None:
    assert one_line("a\n\n  b\tc ") == "a b c"


@pytest.mark.parametrize("text", ["a\u2028b", "a\u2029b", "a\x85b", "a\nb", "a\x0cb", "lone \ud800", 'quote " \\ 漢字'])
def test_json_line_is_one_line_to_every_reader_and_loses_nothing(text: str) -> None:
    line = json_line({"text": text})
    assert line.endswith(b"\n")
    assert len(line.decode("utf-8").splitlines()) == 1
    assert json.loads(line) == {"text": text}


def test_json_line_writes_letters_as_they_are() -> None:
    assert json_line({"text": "漢字"}) == '{"text": "漢字"}\n'.encode()
