"""Results of ``wrac evaluate`` as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.cli.terminal import write_bytes
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


def require_folders(*files: Path | str | None) -> None:
    """Raises ``ConfigError``, before any work is done, for a file whose folder is not there; ``-`` is none."""
    for file in files:
        if file and file != "-" and not Path(file).absolute().parent.is_dir():
            raise ConfigError(f"{file} cannot be written: there is no folder {Path(file).parent}")


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """The record is in the file. Raises ``ConfigError`` where it cannot be written."""
    write_text(path, _json(record))


def print_json(record: Mapping[str, Any]) -> None:
    """The record is on standard output, in UTF-8 whatever the locale is."""
    write_bytes(_json(record).encode("utf-8", "backslashreplace"))


def write_text(path: Path, text: str) -> None:
    """The text is in the file, in UTF-8. Raises ``ConfigError`` where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"
