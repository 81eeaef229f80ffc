"""Files one after the other, each ending in a record or in one line that says why not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ingest.documents import converted
from service.cli.terminal import plain
from service.documents import find_documents, page_settings, process_file
from wrac.config import load_settings
from wrac.errors import ConfigError
from wrac.exit_codes import ExitCode
from wrac.urls import request_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ingest.page import ConvertDocument
    from ingest.page_records import PageRecord
    from service.documents import SourceFile


def _is_below(path: Path, folder: Path) -> bool:
    # ``Path.resolve`` raises for links in circles.
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


class Walk:
    """Iterates over (source, record); files without content are named on standard error and counted."""

    def __init__(
        self,
        paths: Sequence[Path],
        url: str,
        converter: str = "html",
        convert_document: ConvertDocument = converted,
        *,
        out: Path | None = None,
    ) -> None:
        """What lies below ``out``, where results are written, is passed over unless a path below it was given."""
        self._settings = page_settings(load_settings(), converter)
        self._convert_document = convert_document
        self._paths = paths
        self._url = url
        self._out = out if out and not any(_is_below(path, out) for path in paths) else None
        self._met = 0
        self._failed = 0
        if len(paths) > 1 and url:
            raise ConfigError("--url names one page or one folder: give one PATH with it")
        if url and not request_url(url):
            raise ConfigError(
                f"--url {without_credentials(url)}: give the whole URL, e.g. https://docs.example.org/guide/"
            )

    @property
    def many(self) -> bool:
        """Whether more than one file may come."""
        return len(self._paths) > 1 or any(path.is_dir() for path in self._paths)

    def sources(self) -> Iterator[SourceFile]:
        """The files that the walk will meet."""
        for source in find_documents(self._paths, self._url):
            if self._out is None or not _is_below(source.path, self._out):
                yield source

    def __iter__(self) -> Iterator[tuple[SourceFile, PageRecord]]:
        for source in self.sources():
            self._met += 1
            processed = process_file(source, self._settings, self._convert_document)
            if processed.record is None:
                self.fail(source, f"{processed.outcome.outcome.value}: {processed.outcome.reason}")
            else:
                yield source, processed.record

    def fail(self, source: SourceFile, why: str) -> None:
        """Counts a file that ended without its content, and says why."""
        self._failed += 1
        typer.echo(plain(f"{source.path}: {why}"), err=True)

    def finish(self) -> None:
        """Leaves with ``INCOMPLETE`` where a file failed; a walk that met no file is a ``ConfigError``."""
        if not self._met:
            folders = ", ".join(str(path) for path in self._paths)
            raise ConfigError(f"no PDF, Office, HTML or Markdown file below {folders}")
        if self._failed:
            if self._met > 1:
                typer.echo(f"{self._failed} of {self._met} files gave nothing", err=True)
            raise typer.Exit(ExitCode.INCOMPLETE)
