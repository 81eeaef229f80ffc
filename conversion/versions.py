"""Name and version of each document converter, so that a recipe can name them without importing any.

Raised by whoever changes what a converter makes of the same bytes; a test compares them with the converters' own.
"""

from __future__ import annotations

DOCUMENT_CONVERTERS = {"pdf": "pdf/2", "docx": "docx/1 html/2", "pptx": "pptx/1", "xlsx": "xlsx/2"}
"""By the format that is read: what LibreOffice writes anew, and pictures, are read in one of these. Word files take the
walk of web pages."""
TRANSCRIPTION = "drac/1 transcribe/1"
"""Of program, thresholds and prompt (``conversion.drac``)."""
