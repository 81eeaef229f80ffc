"""Excel workbooks (``xlsx``) to Markdown tables, sheet by sheet, read as a stream."""

from conversion.office.xlsx.converter import convert_xlsx

__all__ = ["convert_xlsx"]
