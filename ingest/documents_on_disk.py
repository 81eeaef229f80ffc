"""Files on disk as the pages of a site: which there are, under which URLs, and what their absence proves.

A file's URL is ``file:///`` and its path below the root, so that nothing tells where the root lies or whose it is, and
the same tree gives the same URLs on every machine. With a base URL it is that of a copy on the web.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from wrac.errors import ConfigError
from wrac.urls import normalize_url, request_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WEB_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
}
"""Pages by ending, with what a server would call them."""
DOCUMENT_SUFFIXES = frozenset(
    {
        ".pdf",
        *(".doc", ".docx", ".docm", ".dot", ".dotx", ".dotm", ".odt", ".ott", ".fodt", ".rtf"),
        *(".ppt", ".pptx", ".pptm", ".pps", ".ppsx", ".ppsm", ".pot", ".potx", ".odp", ".otp", ".fodp"),
        *(".xls", ".xlsx", ".xlsm", ".xlsb", ".xlt", ".xltx", ".ods", ".ots", ".fods"),
    }
)
"""Documents by ending: only to choose files in folders. What one is, its content tells."""
PICTURE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
"""Pictures by ending: read where they are given by name; folders are full of those that say nothing."""
LOCAL = "file:///"
_NO_FILES = (".", "~$")
"""Hidden files, and what Word and Excel leave beside a file while it is open."""
_DEFAULT_DOCUMENTS = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file to take in."""

    path: Path
    url: str

    @property
    def content_type(self) -> str:
        """What a server would call it; empty for documents, whose content tells."""
        return declared_type(self.path)


def declared_type(path: Path) -> str:
    """What a server would call a page or a picture of this name; empty for all else."""
    suffix = path.suffix.lower()
    return WEB_TYPES.get(suffix) or PICTURE_TYPES.get(suffix, "")


def is_document_name(path: Path) -> bool:
    """Whether a file of this name is a document, or a picture of one."""
    suffix = path.suffix.lower()
    return suffix in DOCUMENT_SUFFIXES or suffix in PICTURE_TYPES


def files_below(folder: Path) -> Iterator[Path]:
    """Files of a known ending in a fixed order.

    Hidden files and folders are left out; links to folders are not followed.
    """
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            suffix = Path(name).suffix.lower()
            if not name.startswith(_NO_FILES) and (suffix in WEB_TYPES or suffix in DOCUMENT_SUFFIXES):
                yield Path(parent, name)


def quoted(name: str) -> str:
    """A path as a part of a URL; names are bytes, and not always of UTF-8."""
    return quote(os.fsencode(name))


def site_name(name: str) -> str:
    """A name as sites have it: small letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.")


class DiskSource:
    """Files and folders below one root."""

    def __init__(self, paths: Sequence[Path], *, root: Path | None = None, base_url: str = "") -> None:
        """``root`` is what URLs are relative to: the folder given, or the folder that all paths lie in.

        Raises ``ConfigError``: a path outside the root, or a base URL that is none.
        """
        self._paths = [_absolute(path) for path in paths]
        self.root = _absolute(root) if root is not None else _common_root(self._paths)
        for path, given in zip(self._paths, paths, strict=True):
            if not path.is_relative_to(self.root):
                raise ConfigError(f"{given} does not lie below the root {self.root}: give another --root")
        self.base = _base(base_url)
        """What the URLs of all files begin with."""

    @property
    def default_site(self) -> str:
        """The root's name. Raises ``ConfigError`` where it tells of its owner or of nothing: give a name then."""
        name = site_name(self.root.name)
        if not name or self.root in (_absolute(Path.home()), Path(self.root.anchor)):
            raise ConfigError("the folder's name is no name for a collection of documents: give one with --site")
        return name

    def __iter__(self) -> Iterator[DiskFile]:
        seen: set[Path] = set()
        for given in self._paths:
            for path in files_below(given) if given.is_dir() else [given]:
                if path not in seen:
                    seen.add(path)
                    yield DiskFile(path, self._url(path))

    def is_gone(self, url: str) -> bool:
        """Whether the URL is that of a file below a path that was given, and that file proves not to be there.

        What cannot be looked at proves nothing.
        """
        if not url.startswith(self.base):
            return False
        name = unquote(url[len(self.base) :], errors="surrogateescape")
        names = [name + default for default in _DEFAULT_DOCUMENTS] if name.endswith("/") or not name else [name]
        places = [self.root / each for each in names]
        if not any(place.is_relative_to(path) for place in places for path in self._paths):
            return False
        return all(_proves_absent(place) for place in places)

    def _url(self, path: Path) -> str:
        url = self.base + quoted(path.relative_to(self.root).as_posix())
        return normalize_url(url) or url


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a regular file. Raises ``OSError``; returns one byte more than ``limit`` of a larger one."""
    if not stat.S_ISREG(path.stat().st_mode):  # to open another may take for ever
        raise OSError("not a regular file")
    with path.open("rb") as file:
        # Not by its size: a file may grow meanwhile, and the kernel gives its own as empty.
        return file.read(limit + 1)


def _absolute(path: Path) -> Path:
    """The path from the top. Links are kept: a file is known by the name that it is found under."""
    return Path(os.path.abspath(path))  # noqa: PTH100 (``Path.resolve`` follows links, ``Path.absolute`` keeps ``..``)


def _common_root(paths: Sequence[Path]) -> Path:
    if len(paths) == 1 and paths[0].is_dir():
        return paths[0]
    return Path(os.path.commonpath([path.parent for path in paths]))


def _base(url: str) -> str:
    if not url:
        return LOCAL
    base = request_url(url)
    if not base or "?" in base:
        raise ConfigError(
            f"--base-url {without_credentials(url)}: give a whole URL, e.g. https://intranet.example/docs/"
        )
    return base if base.endswith("/") else f"{base}/"


def _proves_absent(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
