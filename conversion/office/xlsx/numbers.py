"""Numbers by placeholders, percent, thousands, exponents and fractions (ECMA-376-1, 18.8.31)."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversion.office.xlsx.tokens import Section, Token


def general(value: float) -> str:
    """The number as a cell without a format shows it: at most eleven digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def numbered(value: float, section: Section) -> str:
    """The number as the section shows it. Raises ``ValueError`` and its kin for what no section can show."""
    tokens = section.tokens
    text = "".join(token.text for token in tokens if token.kind != "literal")
    if "@" in text and not any(token.kind == "digits" for token in tokens):
        return "".join(general(value) if t.kind == "other" and t.text == "@" else t.text for t in tokens)
    if any(token.kind == "other" and token.text == "/" for token in tokens):
        return _fraction(value, tokens)
    amount = Decimal(repr(value)) * (100 ** sum(t.kind == "other" and t.text == "%" for t in tokens))
    if any(token.kind == "exponent" for token in tokens):
        return _scientific(amount, tokens)
    return _fixed(amount, tokens)


def _fixed(amount: Decimal, tokens: tuple[Token, ...]) -> str:
    whole, decimals, thousands = _layout(tokens)
    amount = amount / (1000**thousands)
    rounded = abs(amount).quantize(Decimal(1).scaleb(-len(decimals)), rounding=ROUND_HALF_UP)
    digits, _, part = f"{rounded:f}".partition(".")
    least = sum(character == "0" for character in whole)
    digits = digits.lstrip("0").rjust(least, "0")
    if "," in whole:
        digits = f"{int(digits):,}" if digits else ""
    kept = len(decimals) - len(re.search(r"[#?]*$", decimals).group())  # type: ignore[union-attr]
    part = part[:kept] + part[kept:].rstrip("0")
    number = digits + (f".{part}" if part else "")
    sign = "-" if amount < 0 and rounded else ""
    return sign + _placed(number, tokens)


def _layout(tokens: tuple[Token, ...]) -> tuple[str, str, int]:
    """Placeholders before and behind the point, and how many times the number is divided by a thousand."""
    whole = decimals = ""
    thousands, behind = 0, False
    for token in tokens:
        if token.kind == "digits" and not behind:
            whole += token.text
        elif token.kind == "digits":
            decimals += token.text.replace(",", "")
        elif token.kind == "subsecond":
            decimals += token.text[1:]
            behind = True
        elif token.kind == "other" and token.text == ".":
            behind = True
        elif token.kind == "other" and token.text == "," and (whole or decimals):
            thousands += 1
    return whole, decimals, thousands


def _placed(number: str, tokens: tuple[Token, ...]) -> str:
    """The number where its placeholders stand; literals among them (telephone numbers) part its digits."""
    groups = [i for i, token in enumerate(tokens) if token.kind == "digits"]
    point = next((i for i, t in enumerate(tokens) if t.kind == "subsecond" or (t.kind, t.text) == ("other", ".")), None)
    if point is None and len(groups) > 1:
        return _parted_by_literals(number, tokens, groups)
    out: list[str] = []
    is_written = False
    for token in tokens:
        if token.kind in ("digits", "subsecond") or (token.kind == "other" and token.text in ".,"):
            if not is_written:
                out.append(number)
                is_written = True
        else:
            out.append(token.text)
    return "".join(out)


def _parted_by_literals(number: str, tokens: tuple[Token, ...], groups: list[int]) -> str:
    out = [token.text for token in tokens]
    for place in reversed(groups[1:]):
        width = len(tokens[place].text)
        out[place], number = number[-width:], number[:-width]
    out[groups[0]] = number
    return "".join(out)


def _scientific(amount: Decimal, tokens: tuple[Token, ...]) -> str:
    place = next(i for i, token in enumerate(tokens) if token.kind == "exponent")
    _, decimals, _ = _layout(tokens[:place])
    mantissa, _, exponent = f"{amount:.{len(decimals)}E}".partition("E")
    width = sum(len(token.text) for token in tokens[place + 1 :] if token.kind == "digits")
    sign = "-" if exponent.startswith("-") else "+" if tokens[place].text.endswith("+") else ""
    return f"{mantissa}E{sign}{abs(int(exponent)):0{max(width, 1)}d}"


def _fraction(value: float, tokens: tuple[Token, ...]) -> str:
    place = next(i for i, token in enumerate(tokens) if token.kind == "other" and token.text == "/")
    below = next((token.text for token in tokens[place + 1 :] if token.kind == "digits"), "?")
    whole = int(abs(value))
    part = Fraction(abs(value) - whole).limit_denominator(10 ** min(len(below), 4) - 1)
    sign = "-" if value < 0 else ""
    if part == 1:
        return f"{sign}{whole + 1}"
    if not part:
        return f"{sign}{whole}"
    return f"{sign}{f'{whole} ' if whole else ''}{part.numerator}/{part.denominator}"
