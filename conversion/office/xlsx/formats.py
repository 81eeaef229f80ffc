"""Numbers as a sheet displays them: number formats (ECMA-376-1, 18.8.30 and 18.8.31)."""

from __future__ import annotations

from decimal import InvalidOperation
from math import isfinite

from conversion.office.xlsx.dates import dated
from conversion.office.xlsx.numbers import general, numbered
from conversion.office.xlsx.tokens import section_for, sections_of

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that files name by number only. 14 and 22 look different in each country: they are written in ISO 8601."""

_LONGEST = 255


def displayed(value: float, code: str, *, from_1904: bool = False) -> str:
    """The number as the format shows it; as plain digits where the format cannot be followed."""
    if not isfinite(value):
        return str(value)
    sections = sections_of(code[:_LONGEST])
    section, is_signed = section_for(value, sections)
    if section.is_general:
        return general(value)
    try:
        if section.is_date:
            return dated(value, section, from_1904=from_1904).strip() or general(value)
        number = value if is_signed else abs(value)
        return numbered(number, section).strip() or ("" if len(sections) > 1 else general(value))
    except (ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        return general(value)
