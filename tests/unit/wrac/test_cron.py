"""Cron expressions against crontab(5) by hand; durations; both as keys of the configuration."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from wrac.config import load_settings, load_site
from wrac.cron import CronSchedule, parse_cron, parse_duration, zone_of
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

ALL_DAYS = tuple(range(1, 32))
ALL_MONTHS = tuple(range(1, 13))
ALL_WEEKDAYS = tuple(range(7))


def test_every_part_of_an_expression_is_read() -> None:
    assert parse_cron("*/20 3,22-23 1-5/2 jan-mar MON") == CronSchedule(
        minutes=(0, 20, 40), hours=(3, 22, 23), days=(1, 3, 5), months=(1, 2, 3), weekdays=(1,), either_day=True
    )
    assert parse_cron(" 0  3 * * * ") == CronSchedule((0,), (3,), ALL_DAYS, ALL_MONTHS, ALL_WEEKDAYS, either_day=False)


@pytest.mark.parametrize(
    ("field", "weekdays"),
    [
        ("0", (0,)),
        ("7", (0,)),
        ("sun", (0,)),
        ("1-5", (1, 2, 3, 4, 5)),
        ("mon-fri", (1, 2, 3, 4, 5)),
        ("5-7", (0, 5, 6)),
        ("fri-sun", (0, 5, 6)),
        ("0-7", ALL_WEEKDAYS),
        ("*/2", (0, 2, 4, 6)),
        ("sat,0", (0, 6)),
    ],
)
def test_weekdays_begin_with_sunday(field: str, weekdays: tuple[int, ...]) -> None:
    assert parse_cron(f"0 3 * * {field}").weekdays == weekdays


@pytest.mark.parametrize(
    ("text", "either"),
    [("0 3 13 * 5", True), ("0 3 * * 5", False), ("0 3 13 * *", False), ("0 3 */2 * 5", False), ("0 3 1-31 * 5", True)],
)
def test_a_day_is_named_by_either_field_where_neither_starts_with_a_star(text: str, either: bool) -> None:
    assert parse_cron(text).either_day is either


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has 0 fields"),
        ("0 3 * *", "has 4 fields"),
        ("0 0 3 * * *", "has 6 fields"),
        ("@daily", '"0 0 \\* \\* \\*"'),
        ("@reboot", "no cron expression"),
        ("60 3 * * *", "minute '60' is not from 0 to 59"),
        ("0 24 * * *", "hour '24'"),
        ("0 3 0 * *", "day of month '0'"),
        ("0 3 * 13 *", "month '13' is not from 1 to 12 or jan to dec"),
        ("0 3 * * 8", "weekday '8' is not from 0 to 7 or sun to sat"),
        ("0 3 * * montag", "weekday 'montag'"),
        ("0 22-6 * * *", "runs backwards"),
        ("*/0 * * * *", "after / stands a number"),
        ("5/15 * * * *", "after \\* or a range"),
        ("1,,2 * * * *", "minute ''"),
        ("-1 * * * *", "minute ''"),
        ("0 3 30 2 *", "no day that any year has"),
        ("0 3 31 4,6 *", "no day that any year has"),
        ("٣ 3 * * *", "minute"),
    ],
)
def test_a_mistake_is_named(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_cron(text)


def test_the_leap_day_and_a_weekday_beside_an_impossible_day_are_possible() -> None:
    assert parse_cron("0 3 29 2 *").days == (29,)
    assert parse_cron("0 3 30 2 1").either_day


@pytest.mark.parametrize(
    ("text", "hours"), [("90m", 1.5), ("6h", 6), ("3d", 72), ("2w", 336), ("1d 12h", 36), ("3600s", 1), ("3D", 72)]
)
def test_durations(text: str, hours: float) -> None:
    assert parse_duration(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "3", "d", "three days", "-1d", "0d", "1.5h", "9999999d"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        parse_duration(text)


@pytest.mark.parametrize("name", ["Europe/Atlantis", "", "../etc/passwd", "/etc/localtime", "Europe"])
def test_what_is_no_time_zone(name: str) -> None:
    with pytest.raises(ValueError, match="is no time zone"):
        zone_of(name)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('schedule = "0 25 * * *"', r"s\.toml.*\n.*schedule: .*'0 25 \* \* \*'.*hour '25'"),
        ('timezone = "Europe/Atlantis"', r"s\.toml.*\n.*timezone: .*'Europe/Atlantis' is no time zone"),
        ("schedule = 3", r"schedule: "),
    ],
)
def test_a_profile_names_key_value_and_mistake(tmp_path: Path, line: str, named: str) -> None:
    (tmp_path / "s.toml").write_text(f'start_urls = ["https://docs.example.org/"]\n{line}\n')
    with pytest.raises(ConfigError, match=named):
        load_site("s", tmp_path)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('stale_after = "soon"', r"notify\.stale_after: .*'soon' is no duration"),
        ('webhook = "alerts"', r"notify\.webhook: .*no absolute"),
        ("""command = "notify 'team" """, r"notify\.command: .*quotation"),
        ("timeout = 0", r"notify\.timeout"),
        ('comand = "x"', r"notify\.comand: there is no such key"),
    ],
)
def test_notify_settings_name_their_mistakes(tmp_path: Path, line: str, named: str) -> None:
    (tmp_path / "wrac.toml").write_text(f"[notify]\n{line}\n")
    with pytest.raises(ConfigError, match=named):
        load_settings(tmp_path / "wrac.toml", environment={})


def test_a_command_is_a_list_or_split_as_by_a_shell(tmp_path: Path) -> None:
    (tmp_path / "wrac.toml").write_text("[notify]\ncommand = \"notify --to 'the team'\"\n")
    assert load_settings(tmp_path / "wrac.toml", environment={}).notify.command == ("notify", "--to", "the team")
    environment = {"WRAC_NOTIFY": '{"command": ["notify", "a b"], "stale_after": "3d"}'}
    assert load_settings(tmp_path / "none.toml", environment=environment).notify.command == ("notify", "a b")
