"""The commands by name, and how each of their ends becomes a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from service.cli import (
    check,
    chunk,
    context,
    convert,
    crawl,
    due,
    estimate,
    evaluate,
    evaluate_compare,
    evaluate_queries,
    explain,
    forget,
    ingest,
    prune,
    publish,
    reconvert,
    reembed,
    replan,
    report,
    rollback,
    runs,
    schedule,
    search,
    status,
)
from service.cli.terminal import plain

BROKEN_PIPE = 141
"""128 + SIGPIPE: what a shell reports of a command whose reader went away."""


class CommandGroup(TyperGroup):
    """Commands whose errors end in one message that names the next step, never in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; every exception but Typer's own leaves as an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # What is still buffered must not meet the closed pipe again when the interpreter ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None
        except (typer.Exit, typer.Abort, typer.TyperException, KeyboardInterrupt):
            raise
        except Exception as error:  # noqa: BLE001 - the last place where one can become a message
            raise typer.Exit(_explain(error, debug=bool(ctx.params.get("debug")))) from None
        return result


app = typer.Typer(
    name="wrac",
    cls=CommandGroup,
    help="Crawl a documentation site into a Qdrant collection, and query it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        from wrac import __version__

        typer.echo(f"wrac {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that stand before the command's name."""


app.command("crawl")(crawl.crawl)
app.command("ingest")(ingest.ingest)
app.command("search")(search.search)
app.command("context")(context.context)
app.command("explain")(explain.explain)
app.command("convert")(convert.convert)
app.command("chunk")(chunk.chunk)
app.command("status")(status.status)
app.command("check")(check.check)
app.command("report")(report.report)
app.command("schedule")(schedule.schedule)
app.command("due")(due.due)
app.command("runs")(runs.runs)
app.command("reconvert")(reconvert.reconvert)
app.command("replan")(replan.replan)
app.command("reembed")(reembed.reembed)
app.command("publish")(publish.publish)
app.command("rollback")(rollback.rollback)
app.command("prune")(prune.prune)
app.command("forget")(forget.forget)
app.command("estimate")(estimate.estimate)
evaluate.app.command("queries")(evaluate_queries.queries)
evaluate.app.command("compare")(evaluate_compare.compare)
app.add_typer(evaluate.app, name="evaluate")


def _explain(error: Exception, *, debug: bool) -> int:
    """Says on standard error what happened; returns the exit code."""
    from wrac.errors import WracError
    from wrac.exit_codes import exit_code_for

    if debug:
        traceback.print_exception(error)
    elif isinstance(error, WracError):
        typer.echo(plain(f"Error: {error}"), err=True)
    else:
        typer.echo(plain(f"Unexpected error: {type(error).__name__}: {error}"), err=True)
        typer.echo("This is a fault of the program. `wrac --debug ...` shows where; please report it.", err=True)
    return int(exit_code_for(error))
