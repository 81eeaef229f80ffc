"""Files one after the other, each ending in a document or in one line that says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from conversion import make_converter
from service.cli.terminal import plain
from service.documents import find_documents, read_document
from wrac.config import load_settings
from wrac.errors import ConfigError, PageError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from service.documents import SourceFile
    from wrac.records import MarkdownDocument


class Walk:
    """Iterates over (source, document); files without one are named on standard error and counted."""

    def __init__(self, paths: Sequence[Path], url: str, converter: str = "html") -> None:
        self.settings = load_settings()
        self._converter = make_converter(converter)
        self._paths = paths
        self._url = url
        self._met = 0
        self._failed = 0
        if len(paths) > 1 and url:
            raise ConfigError("--url names one page or one folder: give one PATH with it")

    @property
    def many(self) -> bool:
        """Whether more than one file may come."""
        return len(self._paths) > 1 or any(path.is_dir() for path in self._paths)

    def __iter__(self) -> Iterator[tuple[SourceFile, MarkdownDocument]]:
        for source in find_documents(self._paths, self._url):
            self._met += 1
            try:
                document = read_document(source, self._converter)
            except PageError as error:
                self.fail(source, str(error))
            else:
                yield source, document

    def fail(self, source: SourceFile, why: str) -> None:
        """Counts a file that ended without its content, and says why."""
        self._failed += 1
        typer.echo(plain(f"{source.path}: {why}"), err=True)

    def finish(self) -> None:
        """Leaves with ``INCOMPLETE`` where a file failed; a walk that met no file is a ``ConfigError``."""
        if not self._met:
            folders = ", ".join(str(path) for path in self._paths)
            raise ConfigError(f"no HTML or Markdown file below {folders}")
        if self._failed:
            if self._met > 1:
                typer.echo(f"{self._failed} of {self._met} files gave nothing", err=True)
            raise typer.Exit(ExitCode.INCOMPLETE)
