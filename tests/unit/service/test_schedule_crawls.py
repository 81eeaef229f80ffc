"""What return codes mean, and where output goes."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

from ingest.notify import Notification
from service.schedule import crawls
from service.schedule.crawls import KEPT_LOGS, LoggedCrawls, ending, shell_code, worse
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGE = (Path(__file__).parents[3] / "docs" / "scheduling.md").read_text(encoding="utf-8")


def test_every_exit_code_has_a_place_from_good_to_bad_which_the_documentation_names() -> None:
    order = [
        int(code) for code in re.findall(r"\d+", PAGE.partition("exit codes](exit-codes.md): ")[2].split(" from")[0])
    ]
    assert sorted(order) == sorted(int(code) for code in ExitCode)
    for bad, good in pairwise(order):
        assert worse(good, bad) == worse(bad, good) == bad
    assert worse(137, ExitCode.UNEXPECTED) == worse(ExitCode.UNEXPECTED, 137) == 137
    assert worse(0, 0) == 0


@pytest.mark.parametrize(
    ("code", "shell", "words"),
    [
        (0, 0, "ended with exit code 0 (OK)"),
        (7, 7, "ended with exit code 7 (LOSS_GUARD)"),
        (99, 99, "ended with exit code 99 (unknown)"),
        (-9, 137, "was killed by SIGKILL"),
        (-11, 139, "was killed by SIGSEGV"),
        (-63, 191, "was killed by signal 63"),
    ],
)
def test_return_codes_in_words_and_as_a_shell_has_them(code: int, shell: int, words: str) -> None:
    assert (shell_code(code), ending(code)) == (shell, words)


def test_output_goes_to_a_file_for_each_crawl_and_old_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def command(name: str, _: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        program = f"import sys; print({name!r}); print('wrong', file=sys.stderr, flush=True); sys.exit(3)"
        return [sys.executable, "-c", program], dict(environment)

    monkeypatch.setattr(crawls, "scrapy_command", command)
    folder = tmp_path / "logs"
    (folder / "docs").mkdir(parents=True)
    for number in range(KEPT_LOGS + 5):
        (folder / "docs" / f"2026-{number:02}.log").write_text("old")
    done, codes = Event(), []
    start = LoggedCrawls(folder, {}, lambda: "2027")
    start("docs", lambda code: (codes.append(code), done.set())[1])
    assert done.wait(60)
    assert codes == [3]
    kept = sorted(file.name for file in (folder / "docs").iterdir())
    assert len(kept) == KEPT_LOGS
    assert kept[0] == "2026-06.log"
    assert sorted((folder / "docs" / "2027.log").read_text().split()) == ["docs", "wrong"]


def test_the_documented_notification_has_the_fields_that_are_sent() -> None:
    example = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])
    assert set(example) == {field.name for field in fields(Notification)} | {"version"}
