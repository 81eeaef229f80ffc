"""``wrac evaluate compare``: what changed between two results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Result before: what --json of queries or ragmc wrote.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Result after.")],
    *,
    common: Annotated[
        bool, typer.Option("--common", help="Compare the questions of both where they are not the same.")
    ] = False,
    search: Annotated[str, typer.Option(help="Of ragmc: what ranked, e.g. bm25; our own search unless given.")] = "",
    row: Annotated[str, typer.Option(help="Of ragmc: the row; the first unless given.")] = "",
    second_row: Annotated[str, typer.Option(help="Of ragmc: the row of B where it is another; B may be A then.")] = "",
    json_file: Annotated[
        str,
        typer.Option("--json", metavar="FILE", help="Write everything to FILE too; - prints it in place of tables."),
    ] = "",
    html_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page to open in a browser.")
    ] = None,
) -> None:
    """Compare two results, question by question: won, lost, moved, and whether that is more than chance."""
    from evaluation.questions.changes import compare as compared
    from evaluation.questions.changes_page import render_changes
    from evaluation.questions.changes_record import as_record
    from evaluation.questions.results import read_result
    from service.cli.evaluation_files import print_json, require_folders, write_json, write_text
    from service.cli.evaluation_tables import show_comparison

    require_folders(json_file, html_file)
    comparison = compared(
        read_result(first, search, row), read_result(second, search, second_row or row), common=common
    )
    if json_file not in ("", "-"):
        write_json(Path(json_file), as_record(comparison))
    if html_file is not None:
        write_text(html_file, render_changes(comparison))
    if json_file == "-":
        print_json(as_record(comparison))
    else:
        show_comparison(comparison)
