"""The command line ``wrac``: one module per command, each importing its stages only when it runs."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Runs the command of ``sys.argv`` and leaves the process with its exit code (``docs/exit-codes.md``)."""
    from service.cli.app import app

    app(prog_name="wrac")
