"""``wrac convert``: files to Markdown, without a store."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import one_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.page_records import PageRecord
    from service.cli.walk import Walk
    from service.documents import SourceFile
    from wrac.records import MarkdownDocument


class Converter(StrEnum):
    """Names that ``conversion.make_converter`` takes."""

    HTML = "html"
    MARKDOWNIFY = "markdownify"


def convert(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", exists=True, help="PDF, Office, HTML or Markdown files, or folders of them."),
    ],
    *,
    url: Annotated[str, typer.Option(help="URL of the page, or of the folder: links become absolute by it.")] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write one .md file each below DIR, instead of to the screen.")
    ] = None,
    converter: Annotated[Converter, typer.Option(help="How HTML becomes Markdown.")] = Converter.HTML,
    pages: Annotated[
        bool, typer.Option("--pages", help="Say on standard error how each page of a document was read.")
    ] = False,
    transcribe: Annotated[
        bool,
        typer.Option(
            "--transcribe",
            help="Documents by the multimodal model of wrac.toml (transcriber_*), every page checked.",
        ),
    ] = False,
) -> None:
    """Turn files into Markdown as a crawl would. No store is touched, but for pages that were paid for."""
    from service.cli.walk import Walk

    with ExitStack() as opened:
        if transcribe:
            from service.transcripts import Transcripts
            from wrac.config import load_settings

            transcripts = opened.enter_context(Transcripts(load_settings(), os.environ))
            opened.callback(lambda: typer.echo("\n".join(map(plain, transcripts.summary())), err=True))
            walk = Walk(paths, url, converter.value, transcripts.convert, out=out)
        else:
            walk = Walk(paths, url, converter.value, out=out)
        _convert(walk, out, pages=pages)


def _convert(walk: Walk, out: Path | None, *, pages: bool) -> None:
    targets = _Targets(out, walk.sources()) if out else None
    shown = 0
    for source, record in walk:
        if pages:
            _show_pages(source, record)
        if targets is None:
            _show(source, record.document, first=shown == 0, titled=walk.many)
            shown += 1
        elif problem := targets.write(source, record.document):
            walk.fail(source, problem)
    walk.finish()


class _Targets:
    """The files below one folder; none is written twice in a run, and none over a source."""

    def __init__(self, folder: Path, sources: Iterable[SourceFile]) -> None:
        self._folder = folder
        self._sources = {_real(source.path) for source in sources}
        self._written: dict[Path, Path] = {}

    def write(self, source: SourceFile, document: MarkdownDocument) -> str:
        """Writes the Markdown whole or not at all; returns what stood against it, else nothing."""
        target = (self._folder / source.name).with_suffix(".md")
        taken = self._written.get(target)
        if taken is not None and taken.name != source.path.name:  # a.doc and a.xls
            target = self._folder / f"{source.name}.md"
        if (other := self._written.get(target)) is not None:
            return f"{target} is already written from {other}; convert them into folders of their own"
        if _real(target) in self._sources:
            return f"would overwrite {target}; give another folder than {self._folder}"
        part = target.with_name(f"{target.name}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(document.text.encode("utf-8", "backslashreplace"))
            part.replace(target)
        except OSError as error:
            return f"{target} cannot be written: {error.strerror or error}"
        self._written[target] = source.path
        typer.echo(plain(f"{source.path} -> {target}"), err=True)
        return ""


def _show_pages(source: SourceFile, record: PageRecord) -> None:
    for page in record.pages:
        detail = f": {page.detail}" if page.detail else ""
        typer.echo(one_line(f"{source.path}: page {page.page}: {page.status}{detail}"), err=True)


def _real(path: Path) -> Path:
    """Where the path leads, as far as it does: it may be a link that leads back to itself."""
    return Path(os.path.realpath(path))


def _show(source: SourceFile, document: MarkdownDocument, *, first: bool, titled: bool) -> None:
    text = document.text if document.text.endswith("\n") else document.text + "\n"
    if titled:
        text = f"{'' if first else chr(10)}<!-- {source.path} -->\n\n{text}"
    # A terminal would obey the control characters of a page; a file or a program gets the text as it is.
    shown = plain(text) if sys.stdout.isatty() else text
    write_bytes(shown.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
