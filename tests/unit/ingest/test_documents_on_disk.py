"""Files on disk as pages of a site: their URLs, and what happens to them between two calls."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from ingest.blocks import Blocks, UrlPattern
from ingest.documents_on_disk import DiskSource
from ingest.documents_run import DiskIngest, files_profile, known_files
from ingest.ledger import Ledger
from ingest.maintenance.profile import profile_of
from wrac.config import Settings, SiteProfile
from wrac.errors import ConfigError
from wrac.exit_codes import ExitCode
from wrac.records import Outcome

PUMP = "# Pump\n\nPrime the pump before the first start of the season, with the drain closed.\n"
MESH = "# Mesh\n\nClean the mesh every week with water that is warm, never with solvents.\n"
TANK = "# Tank\n\nEmpty the tank before the first frost and leave its lid open for a day.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "someone" / "handbook"
    for name, text in {"pump.md": PUMP, "care/mesh.md": MESH, "care/tank.md": TANK}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def urls(*paths: Path, **options) -> list[str]:
    return [file.url for file in DiskSource(paths, **options)]


# ---------------------------------------------------------------- names


def test_urls_are_relative_to_the_folder_and_tell_nothing_of_where_it_lies(folder: Path) -> None:
    assert urls(folder) == ["file:///pump.md", "file:///care/mesh.md", "file:///care/tank.md"]
    assert urls(folder / "pump.md") == ["file:///pump.md"]
    assert urls(folder / "pump.md", folder / "care") == urls(folder)
    assert urls(folder / "care", root=folder) == ["file:///care/mesh.md", "file:///care/tank.md"]


def test_a_base_url_makes_them_those_of_the_copy_on_the_web(folder: Path) -> None:
    (folder / "care" / "index.html").write_text("<p>Care</p>", encoding="utf-8")
    (folder / "care" / "öl & wasser.md").write_text(TANK, encoding="utf-8")
    assert urls(folder / "care", root=folder, base_url="https://intranet.example/docs") == [
        "https://intranet.example/docs/care/",
        "https://intranet.example/docs/care/mesh.md",
        "https://intranet.example/docs/care/tank.md",
        "https://intranet.example/docs/care/%C3%B6l%20%26%20wasser.md",
    ]


def test_hidden_files_and_other_kinds_are_left_out_and_each_file_comes_once(folder: Path) -> None:
    for name in (".secret.md", ".git/readme.md", "~$letter.docx", "picture.png", "data.csv"):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("text", encoding="utf-8")
    (folder / "again").symlink_to(folder)
    assert urls(folder, folder / "pump.md", root=folder) == urls(folder)
    assert len(urls(folder)) == 3


@pytest.mark.parametrize("base", ["docs", "ftp://x/", "https://x.example/?a=b"])
def test_a_base_url_that_cannot_be_meant(folder: Path, base: str) -> None:
    with pytest.raises(ConfigError, match="base-url"):
        DiskSource([folder], base_url=base)


def test_a_path_outside_the_root(folder: Path) -> None:
    with pytest.raises(ConfigError, match="--root"):
        DiskSource([folder], root=folder / "care")


def test_the_site_is_named_after_the_folder_but_never_after_its_owner(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DiskSource([folder]).default_site == "handbook"
    monkeypatch.setenv("HOME", str(folder))
    with pytest.raises(ConfigError, match="--site"):
        _ = DiskSource([folder]).default_site


def test_only_what_was_given_and_proves_to_be_absent_is_gone(folder: Path) -> None:
    source = DiskSource([folder / "care"], root=folder)
    (folder / "care" / "mesh.md").unlink()
    assert source.is_gone("file:///care/mesh.md")
    assert source.is_gone("file:///care/old/deep.md")
    assert not source.is_gone("file:///care/tank.md")
    assert not source.is_gone("file:///other.md"), "lies in no folder that was given"
    assert not source.is_gone("https://docs.example.org/care/mesh.md")
    assert not source.is_gone(f"file:///care/{'x' * 300}.md"), "a name that cannot be looked up proves nothing"


def test_an_index_document_is_gone_with_the_last_name_that_it_may_have(folder: Path) -> None:
    source = DiskSource([folder], base_url="https://intranet.example/")
    index = folder / "care" / "index.htm"
    index.write_text("<p>Care</p>", encoding="utf-8")
    assert not source.is_gone("https://intranet.example/care/")
    index.unlink()
    assert source.is_gone("https://intranet.example/care/")


# ---------------------------------------------------------------- runs


@pytest.fixture
def ingest(crawls, folder: Path):
    """One call over paths: (its exit code, the summary, the session)."""
    crawls.profile |= {"missing_runs": 1, "loss_guard": 1.0}

    def call(*paths: Path, **options):
        accept_loss = options.pop("accept_loss", False)
        known = known_files(Settings(**crawls.settings), "docs")
        source = DiskSource(paths or [folder], **options)
        work = DiskIngest(crawls.run(), source, SiteProfile(**crawls.profile), known, accept_loss=accept_loss)

        async def session():
            await work._run.start()
            return await work.finish()

        summary = asyncio.run(session())
        return work.exit_code(summary), summary, work

    return call


def test_a_second_call_costs_nothing(ingest, crawls) -> None:
    code, summary, work = ingest()
    assert (code, summary.outcomes, work.met) == (ExitCode.OK, {Outcome.INDEXED: 3}, 3)
    crawls.collection.forget()
    code, summary, _ = ingest()
    assert (code, summary.outcomes) == (ExitCode.OK, {Outcome.UNCHANGED: 3})
    assert (crawls.collection.embedded, crawls.collection.written) == ([], 0)


def test_a_deleted_file_is_withdrawn_at_once(ingest, crawls, folder: Path) -> None:
    ingest()
    (folder / "care" / "mesh.md").unlink()
    code, summary, _ = ingest()
    assert (code, summary.withdrawn) == (ExitCode.OK, 1)
    assert crawls.collection.urls() == {"file:///pump.md", "file:///care/tank.md"}


def test_a_moved_file_keeps_its_vectors(ingest, crawls, folder: Path) -> None:
    ingest()
    crawls.collection.forget()
    (folder / "care" / "mesh.md").rename(folder / "mesh.md")
    ingest()
    assert crawls.collection.embedded == []
    assert crawls.collection.urls() == {"file:///pump.md", "file:///care/tank.md", "file:///mesh.md"}


def test_what_lies_outside_the_given_folder_is_left_alone(ingest, crawls, folder: Path) -> None:
    ingest()
    (folder / "pump.md").unlink()
    ingest(folder / "care", root=folder)
    assert "file:///pump.md" in crawls.collection.urls()


def test_another_folder_under_the_same_name_withdraws_nothing(ingest, crawls, folder: Path) -> None:
    ingest()
    other = folder.parent / "other"
    other.mkdir()
    (other / "new.md").write_text("# New\n\nSomething else that nobody has read before.\n", encoding="utf-8")
    _, summary, work = ingest(other)
    assert "--root" in work.doubt
    assert (summary.withdrawn, len(crawls.collection.urls())) == (0, 4)
    ingest(other, accept_loss=True)
    assert crawls.collection.urls() == {"file:///new.md"}


def test_a_file_that_cannot_be_read_is_an_outcome_and_keeps_what_is_published(ingest, crawls, folder: Path) -> None:
    ingest()
    (folder / "pump.md").unlink()
    os.mkfifo(folder / "pump.md")
    code, summary, _ = ingest()
    assert (code, summary.kept) == (ExitCode.INCOMPLETE, {Outcome.FAILED: 1})
    (folder / "pump.md").unlink()
    (folder / "pump.md").write_text(PUMP * 10_000, encoding="utf-8")
    crawls.profile["max_body_mib"] = 1
    code, summary, _ = ingest()
    assert (code, summary.kept) == (ExitCode.OK, {}), "864 kB are within the limit"
    (folder / "pump.md").write_text(PUMP * 20_000, encoding="utf-8")
    code, summary, _ = ingest()
    assert (code, summary.kept) == (ExitCode.INCOMPLETE, {Outcome.TOO_LARGE: 1})


def test_a_session_that_is_stopped_is_gone_on_with(ingest, crawls, folder: Path, monkeypatch) -> None:
    take_one = DiskIngest._take_one

    async def take_and_stop(self, file):
        await take_one(self, file)
        self.stop()

    monkeypatch.setattr(DiskIngest, "_take_one", take_and_stop)
    monkeypatch.setattr("ingest.documents_run._IN_FLIGHT", 1)
    code, summary, _ = ingest()
    assert (code, sum(summary.outcomes.values())) == (ExitCode.RESUMABLE, 1)
    monkeypatch.setattr(DiskIngest, "_take_one", take_one)
    code, summary, _ = ingest()
    assert (code, summary.outcomes) == (ExitCode.OK, {Outcome.INDEXED: 3})


def test_a_crawl_does_not_look_for_files(ingest, crawls) -> None:
    ingest()
    assert crawls.asked(lambda run: list(run.unseen())) == []


def test_files_and_a_crawl_do_not_share_a_site(crawls) -> None:
    from made_up_crawls import fetched, html

    crawls.crawl(fetched("a.html", html("A", "A page from the web.")))
    with pytest.raises(ConfigError, match="a site of their own"):
        known_files(Settings(**crawls.settings), "docs")


def test_a_site_of_files_has_a_profile_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    profile = files_profile("handbook", "manuals")
    assert (profile.name, profile.collection, profile.obey_robots, profile.missing_runs) == (
        "handbook",
        "manuals",
        False,
        1,
    )
    Path("sites").mkdir()
    Path("sites/handbook.toml").write_text('start_urls = ["https://x.example/"]\ncollection = "team"\n', "utf-8")
    assert files_profile("handbook").collection == "team"


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("file:///care/mesh.md", {"file:///care/mesh.md"}),
        ("file:///care/", {"file:///care/mesh.md", "file:///care/%C3%B6l.md"}),
        ("file:///care/öl.md", {"file:///care/%C3%B6l.md"}),
        ("file:///ca*", {"file:///care/mesh.md", "file:///care/%C3%B6l.md", "file:///cargo.md"}),
        ("https://docs.example.org/", {"https://docs.example.org/a"}),
    ],
)
def test_files_can_be_forgotten_by_their_urls(pattern: str, meant: set[str]) -> None:
    known = ["care/mesh.md", "care/%C3%B6l.md", "cargo.md"]
    urls_known = [*(f"file:///{name}" for name in known), "https://docs.example.org/a"]
    found = UrlPattern.of(pattern)
    assert {url for url in urls_known if found.matches(url)} == meant
    assert {url for url in urls_known if url in Blocks([found])} == meant


def test_what_is_made_anew_from_the_archive_goes_by_the_profile_of_files(ingest, crawls, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    crawls.profile["name"] = "docs"
    ingest()
    with Ledger(Settings(**crawls.settings).ledger_url) as ledger:
        assert profile_of(ledger, "docs") == files_profile("docs", "docs")
