"""Characters of symbol fonts (``w:sym``), as far as documents use them in text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.office.docx.names import W

if TYPE_CHECKING:
    from lxml import etree

_PRIVATE = range(0xF000, 0xF100)
_WINGDINGS = {
    0x4A: "☺", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x76: "❖", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←",
    0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0xA3: "□"}
_SYMBOL = {
    0x61: "α", 0x62: "β", 0x67: "γ", 0x64: "δ", 0x65: "ε", 0x7A: "ζ", 0x68: "η", 0x71: "θ", 0x6B: "κ", 0x6C: "λ",
    0x6D: "μ", 0x6E: "ν", 0x70: "π", 0x72: "ρ", 0x73: "σ", 0x74: "τ", 0x66: "φ", 0x63: "χ", 0x79: "ψ", 0x77: "ω",
    0x44: "Δ", 0x47: "Γ", 0x4C: "Λ", 0x50: "Π", 0x51: "Θ", 0x53: "Σ", 0x57: "Ω", 0x46: "Φ", 0x59: "Ψ", 0xA3: "≤",
    0xA5: "∞", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xAB: "↔", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥",
    0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC5: "⊕",
    0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xD0: "∠", 0xD1: "∇", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xD5: "∏",
    0xD6: "√", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_FONTS = {"wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "symbol": _SYMBOL}


def symbol(element: etree._Element) -> str:
    """The Unicode character that the symbol looks like; the replacement character where that is not known."""
    try:
        code = int(element.get(W + "char", ""), 16)
    except ValueError:
        return ""
    table = _FONTS.get(element.get(W + "font", "").lower())
    low = code - _PRIVATE.start if code in _PRIVATE else code
    if table is not None and low in table:
        return table[low]
    if code in _PRIVATE:
        return "\ufffd"
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE else ""
