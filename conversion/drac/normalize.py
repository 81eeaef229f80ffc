"""Formats that are not read as they are, written anew by LibreOffice; pictures as one-page PDFs.

For the deterministic conversion: Word, PowerPoint or Excel files of today. For transcription: PDF. PDF stays as it is.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conversion.drac.confinement import ProcessLimits
from conversion.drac.detect import NORMALISED, OFFICE_OPEN_XML, DocumentKind, flat_kind
from conversion.drac.programs import Finished, run_program
from wrac.errors import ConversionFailed
from wrac.ids import page_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FILTERS = {
    "docx": "docx:MS Word 2007 XML",
    "pptx": "pptx:Impress MS PowerPoint 2007 XML",
    "xlsx": "xlsx:Calc MS Excel 2007 XML",
    "pdf": "pdf",
}
_FLAT_FILTERS = {
    DocumentKind.XLS: "MS Excel 2003 XML",
    DocumentKind.DOC: "MS Word 2003 XML",
    DocumentKind.ODT: "OpenDocument Text Flat XML",
    DocumentKind.ODS: "OpenDocument Spreadsheet Flat XML",
    DocumentKind.ODP: "OpenDocument Presentation Flat XML",
}
"""LibreOffice's names of what reads documents in one XML file. Left alone it takes some of them for web pages."""
_PACKAGES = {
    "docx": "libreoffice-writer-nogui",
    "pptx": "libreoffice-impress-nogui",
    "xlsx": "libreoffice-calc-nogui",
}
"""Debian packages that bring the program for each kind."""
_SWITCHES = "--headless --invisible --norestore --nologo --nodefault --nolockcheck --nofirststartwizard".split()

# Settings of a profile that exists for one call only: no macros, no links, no network, no recovery, no questions.
_SETTINGS = (
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("/org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("/org.openoffice.Office.Common/Load", "UpdateDocMode", "0"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "0"),
    ("/org.openoffice.Office.Calc/Content/Update", "Link", "2"),
    ("/org.openoffice.Office.Recovery/RecoveryInfo", "Enabled", "false"),
    ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "false"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Inet/Settings", "ooInetProxyType", "2"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyPort", "9"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyPort", "9"),
)


@dataclass(frozen=True, slots=True)
class OfficeSuite:
    """How LibreOffice is called."""

    program: str = "soffice"
    """Name or path."""
    limits: ProcessLimits = field(
        default_factory=lambda: ProcessLimits(memory=6 << 30, cpu_seconds=300, file_bytes=512 << 20, wall_seconds=90.0)
    )
    """For one call; the wall clock allows this much for the first document and a quarter of it for each further one."""
    batch: int = 20
    """Documents of one call: starting the program costs more than a document."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document to be written anew."""

    url: str
    """What messages call it."""
    data: bytes
    kind: DocumentKind


_DEFAULT_SUITE = OfficeSuite()


def target_kind(kind: DocumentKind) -> DocumentKind:
    """As what a document of this kind is read once it is normalised."""
    return NORMALISED.get(kind, kind)


def normalized(sources: Sequence[Source], suite: OfficeSuite = _DEFAULT_SUITE) -> list[bytes | ConversionFailed]:
    """Each document in a format that is read as it is; in the order given.

    A document that fails costs no other one: where a call ends early, its remaining documents are tried one by one.
    A failure is a value, with the Debian package to install where LibreOffice is missing.
    """
    return _written(sources, [str(target_kind(source.kind)) for source in sources], suite)


def as_pdf(sources: Sequence[Source], suite: OfficeSuite = _DEFAULT_SUITE) -> list[bytes | ConversionFailed]:
    """Each document as PDF, in the order given; failures are values."""
    return _written(sources, ["pdf"] * len(sources), suite)


def _written(sources: Sequence[Source], targets: list[str], suite: OfficeSuite) -> list[bytes | ConversionFailed]:
    done: dict[int, bytes | ConversionFailed] = {}
    waiting: dict[tuple[str, str], list[int]] = {}
    for index, (source, target) in enumerate(zip(sources, targets, strict=True)):
        if str(source.kind) == target:
            done[index] = source.data
        elif source.kind is DocumentKind.IMAGE and target == "pdf":
            done[index] = _image_as_pdf(source)
        elif source.kind in NORMALISED or source.kind in OFFICE_OPEN_XML:
            waiting.setdefault((target, _read_by(source)), []).append(index)
        else:
            done[index] = _failed(source, f"cannot be written as {target}")
    for (target, _), indexes in waiting.items():
        for start in range(0, len(indexes), suite.batch):
            batch = indexes[start : start + suite.batch]
            results = _convert([sources[index] for index in batch], target, suite)
            done.update(zip(batch, results, strict=True))
    return [done[index] for index in range(len(sources))]


def _read_by(source: Source) -> str:
    """The filter that must read it; empty where LibreOffice finds out by itself, which it does not for flat XML."""
    return _FLAT_FILTERS[source.kind] if flat_kind(source.data) is source.kind else ""


def _convert(sources: Sequence[Source], target: str, suite: OfficeSuite) -> list[bytes | ConversionFailed]:
    program = shutil.which(suite.program)
    if program is None:
        return [_failed(source, _missing(source)) for source in sources]
    results, finished = _call(program, sources, target, suite)
    ends = [finished] * len(sources)
    if len(sources) > 1 and (finished.timed_out or not all(results)):
        # One of them stopped the others: alone, each can only stop itself.
        alone = (
            _call(program, [s], target, suite) if not r else ([r], finished)
            for s, r in zip(sources, results, strict=True)
        )
        return [_outcome(source, found[0], end) for source, (found, end) in zip(sources, alone, strict=True)]
    return [_outcome(source, result, end) for source, result, end in zip(sources, results, ends, strict=True)]


def _call(program: str, sources: Sequence[Source], target: str, suite: OfficeSuite) -> tuple[list[bytes], Finished]:
    """One call for all sources, which are read by the same filter; empty bytes for what it did not write."""
    with tempfile.TemporaryDirectory(prefix="wrac-office-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _write_profile(folder / "profile")
        (folder / "out").mkdir()
        inputs = list(_write_inputs(folder / "in", sources))
        limits = suite.limits
        wall = limits.wall_seconds * (1 + (len(sources) - 1) / 4)
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = [program, profile, *_SWITCHES, "--convert-to", _FILTERS[target], "--outdir", str(folder / "out")]
        if read_by := _read_by(sources[0]):
            command.append(f"--infilter={read_by}")
        finished = run_program(
            [*command, *map(str, inputs)],
            folder=folder,
            environment=_environment(folder),
            limits=ProcessLimits(limits.memory, limits.cpu_seconds, limits.file_bytes, wall),
        )
        outputs = [folder / "out" / f"{path.stem}.{target}" for path in inputs]
        # What is written when the time is over may be half a file: the newest output is not to be trusted.
        written = sorted((path.stat().st_mtime_ns, path) for path in outputs if path.is_file())
        unsafe = {written[-1][1]} if finished.timed_out and written else set()
        return [_read(path, limits) if path.is_file() and path not in unsafe else b"" for path in outputs], finished


def _read(path: Path, limits: ProcessLimits) -> bytes:
    return path.read_bytes() if path.stat().st_size < limits.file_bytes else b""


def _write_inputs(folder: Path, sources: Sequence[Source]) -> Iterator[Path]:
    folder.mkdir()
    for number, source in enumerate(sources):
        path = folder / f"{number:04d}.{source.kind}"
        path.write_bytes(source.data)
        path.chmod(0o400)
        yield path
    folder.chmod(0o500)


def _write_profile(folder: Path) -> None:
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    user = folder / "user"
    user.mkdir(parents=True)
    (user / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>',
        encoding="utf-8",
    )


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of our own environment but where programs are."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "SAL_USE_VCLPLUGIN": "svp",
        "SAL_DISABLE_OPENCL": "1",
    }


def _outcome(source: Source, result: bytes, finished: Finished) -> bytes | ConversionFailed:
    if result:
        return result
    if finished.timed_out:
        return _failed(source, "was not converted by LibreOffice in time, which was ended; save it anew or as PDF")
    if "no export filter" in finished.report or "no filter" in finished.report.lower():
        return _failed(source, _missing(source))
    return _failed(
        source,
        f"could not be converted by LibreOffice (code {finished.code}; is it damaged or under a password?); "
        f"it said: {finished.report[-200:] or 'nothing'}",
    )


def _missing(source: Source) -> str:
    package = _PACKAGES.get(str(target_kind(source.kind)), "libreoffice")
    return f"is of kind {source.kind}, which LibreOffice reads for us, and that is missing: apt-get install {package}"


def _failed(source: Source, fault: str) -> ConversionFailed:
    return ConversionFailed(f"{source.url}: the document {fault}", stage="convert", page_id=page_id(source.url))


def _image_as_pdf(source: Source) -> bytes | ConversionFailed:
    # Loaded where pictures come at all.
    from conversion.drac.images import image_as_pdf  # noqa: PLC0415

    try:
        return image_as_pdf(source.data, source.url)
    except ConversionFailed as failure:
        return failure
