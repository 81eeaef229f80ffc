"""Number formats: what Excel displays for a value (worked out by hand after ECMA-376-1, 18.8.30)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversion.office.xlsx.formats import displayed


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234, "General", "1234"),
        (1234.5678, "General", "1234.5678"),
        (1e20, "General", "1E+20"),
        (7, "000", "007"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234567.891, "#,##0.###", "1,234,567.891"),
        (0.5, "#.##", ".5"),
        (2.5, "0", "3"),
        (-3.14159, "0.00", "-3.14"),
        (-0.001, "0.00", "0.00"),
        (0.256, "0%", "26%"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (0, '#,##0;-#,##0;"none"', "none"),
        (12345678, '0.0,,"M"', "12.3M"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1, '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "$1.00"),
        (-9, "[Red]0", "-9"),
        (5, '[>=10]"big";"small"', "small"),
        (12, '[>=10]"big";"small"', "big"),
        (123456789, "000-00-0000", "123-45-6789"),
        (0.00012, "0.00E+00", "1.20E-04"),
        (2.75, "# ?/?", "2 3/4"),
        (0.5, "# ?/?", "1/2"),
        (45292, "yyyy-mm-dd", "2024-01-01"),
        (45292, "mm/dd/yy", "01/01/24"),
        (45292, "dddd d. mmmm yyyy", "Monday 1. January 2024"),
        (45292.75, "d mmm yyyy h:mm AM/PM", "1 Jan 2024 6:00 PM"),
        (45292.999999999, "yyyy-mm-dd hh:mm:ss", "2024-01-02 00:00:00"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (0.5 / 24, "mm:ss", "30:00"),
        (45292, "[$-F800]dddd, mmmm dd, yyyy", "2024-01-01"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (3, "@", "3"),
        (3, '"No. "0', "No. 3"),
    ],
)
def test_number_is_written_as_displayed(value: float, code: str, text: str) -> None:
    assert displayed(value, code) == text


def test_days_are_counted_from_1904_where_the_book_says_so() -> None:
    assert displayed(43830, "yyyy-mm-dd", from_1904=True) == "2024-01-01"


@given(st.floats(), st.text(alphabet='0#?.,%E+-/ymdhsAPM"\\;[]$@_* xé<=>', max_size=20))
def test_no_format_breaks_a_sheet(value: float, code: str) -> None:
    assert isinstance(displayed(value, code), str)
