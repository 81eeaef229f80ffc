"""``wrac due``: which sites are due now; for cron, systemd and Kubernetes, which have a timetable already."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.schedule.due import Due
    from wrac.config import Settings, SiteProfile


def due(
    *,
    run: Annotated[bool, typer.Option("--run", help="Crawl them, one after the other.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")] = False,
) -> None:
    """List the sites of sites/*.toml that are due now and why; --run crawls them and ends with the worst exit code."""
    from service.schedule.crawls import worse
    from service.schedule.profiles import read_profiles
    from service.schedule.telling import tell_stale
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings, profiles = load_settings(), read_profiles()
    for name, problem in profiles.problems.items():
        _say(f"{name}: its profile cannot be used, the other sites go on. {problem}")
    code: int = ExitCode.USAGE if profiles.problems else ExitCode.OK
    found = _find_due(settings, profiles.by_name)
    for name, why in found.items():
        _show(name, why, as_json=as_json)
    if not found:
        _say("nothing is due")
    if run:
        code = worse(code, _crawl(settings, {name: profiles.by_name[name] for name in found}))
    for line in tell_stale(settings, [p.name for p in profiles.by_name.values()], datetime.now(UTC), os.environ):
        _say(line)
    raise typer.Exit(code)


def _find_due(settings: Settings, profiles: Mapping[str, SiteProfile]) -> dict[str, Due]:
    """Name of the profile -> why its site is due, the longest overdue first."""
    from service.schedule.due import read_histories, why_due

    now = datetime.now(UTC)
    histories = read_histories(settings, [profile.name for profile in profiles.values()], now)
    causes = {name: why_due(profile, histories[profile.name], now) for name, profile in profiles.items()}
    found = [(why.since or now, name, why) for name, why in causes.items() if why is not None]
    return {name: why for _, name, why in sorted(found, key=lambda each: each[:2])}


def _show(name: str, why: Due, *, as_json: bool) -> None:
    if as_json:
        since = why.since.isoformat(timespec="seconds") if why.since else None
        write_bytes(json_line({"site": name, "cause": why.cause.value, "reason": why.reason, "since": since}))
    else:
        typer.echo(plain(f"{name}: {why.reason}"))


def _crawl(settings: Settings, profiles: Mapping[str, SiteProfile]) -> int:
    """Crawls each site that is still due when its turn comes; returns the worst exit code."""
    from service.schedule.crawls import ending, shell_code, worse
    from service.schedule.in_turn import CrawlsInTurn
    from service.schedule.telling import tell_of_the_dead
    from wrac.exit_codes import ExitCode

    def still_due() -> Iterator[str]:
        for name, profile in profiles.items():
            if _find_due(settings, {name: profile}):
                _say(f"{name}: started")
                yield name
            else:
                _say(f"{name}: no longer due, somebody else crawls or crawled it")

    code: int = ExitCode.OK
    crawls = CrawlsInTurn(os.environ)
    for name, returned in crawls.crawl(still_due()):
        _say(f"{name}: {ending(returned)}")
        code = worse(code, shell_code(returned))
        site = profiles[name].name
        for problem in tell_of_the_dead(settings, site, returned, datetime.now(UTC), os.environ):
            _say(problem)
    return worse(code, ExitCode.RESUMABLE) if crawls.is_stopped else code


def _say(line: str) -> None:
    """To the person or the log, not to whoever reads the list."""
    typer.echo(plain(line), err=True)
