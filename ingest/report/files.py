"""Where reports lie, and how they get there: ``<data_dir>/reports/<site>/<run>/report.{html,json}``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from ingest.report.gather import build_report
from ingest.report.page import render_html
from ingest.report.text import render_json

if TYPE_CHECKING:
    from pathlib import Path

    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow

PAGE = "report.html"
DATA = "report.json"


@dataclass(frozen=True, slots=True)
class Written:
    """A report that was written, or why it was not."""

    path: Path | None
    """Of the page for people."""
    problem: str = ""


def report_folder(data_dir: Path, run: RunRow) -> Path:
    """The folder of a run's report; a site's name cannot lead out of ``data_dir``."""
    name = quote(run.site, safe="")
    if name.startswith("."):  # quoting leaves dots as they are
        name = name.replace(".", "%2E", 1)
    return data_dir / "reports" / name / str(run.run_id)


def write_report(data_dir: Path, ledger: Ledger, archive: Archive, run: RunRow) -> Path:
    """Both files of the run's report are written, in place of older ones; returns the path of the page.

    A reader sees the old file or the new one, never half of one. Raises ``OSError``, ``WracError``.
    """
    report = build_report(ledger, archive, run)
    folder = report_folder(data_dir, run)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / DATA, render_json(report))
    _write(folder / PAGE, render_html(report))
    return folder / PAGE


def leave_report(data_dir: Path, ledger: Ledger, archive: Archive, run: RunRow) -> Written:
    """``write_report`` at the end of a run. Never raises: a run is not worth less for want of its report."""
    try:
        return Written(write_report(data_dir, ledger, archive, run))
    except Exception as error:  # noqa: BLE001 (whatever breaks here, the run itself is done)
        again = f"`wrac report {run.site} --run {run.run_id}` tries again"
        return Written(
            None, f"the report of run {run.run_id} was not written: {error or type(error).__name__}; {again}"
        )


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
