"""A report as JSON: field names are those of ``ingest.report.records``, and are kept."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.report.records import Report


def render_json(report: Report) -> str:
    """One JSON object in ASCII, ended by a newline; equal reports give equal text."""
    values = asdict(report)
    values["cleaning"]["alarms"] = [asdict(cut) for cut in report.cleaning.alarms]
    return json.dumps(values, indent=1, ensure_ascii=True) + "\n"
