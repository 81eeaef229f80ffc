"""``wrac evaluate queries`` as a user runs it, on a small site with a real embedded collection."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape

import pytest
from made_up_crawls import InlinePool, fetched, html, not_found
from maintained import Maintained
from typer.testing import CliRunner

from indexing.search import search
from service.cli.app import app
from wrac.exit_codes import ExitCode

LONG = "Nothing else is written about it in any of the books of this harbour. " * 25
LAMPS = (
    "<html lang=en><title>Lamps</title><main><h1 id=lamps>Lamps</h1><p>Lamps are lit at dusk.</p>"
    f"<h2 id=oil>Oil</h2><p>Oil comes in barrels of zinc. {LONG}</p>"
    f"<h2 id=wick>Wick</h2><p>A wick is cut with scissors. {LONG}</p></main>"
    "<nav><a href=/x>Secret menu of tides</a></nav>"
).encode()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The data folder of the site, crawled once; to be copied."""
    folder = tmp_path_factory.mktemp("crawled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.run.WorkerPool", InlinePool)
        Maintained(folder, patch).crawl(
            fetched("lamps.html", LAMPS),
            *(fetched(f"{word}.html", html(word.title(), f"The {word} lies in the {word} room.")) for word in MANY),
            ended=[not_found("old.html")],
        )
    return folder / "data"


@pytest.fixture
def site(crawled, tmp_path, monkeypatch):
    shutil.copytree(crawled, tmp_path / "data")
    made = Maintained(tmp_path, monkeypatch)
    monkeypatch.setenv("WRAC_DATA_DIR", str(made.settings.data_dir))
    return made


MANY = ("anchor", "barge", "chain", "ensign", "fender", "hawser", "mast", "rudder")
"""Words of different places in the vectors of the embedder."""


@pytest.fixture
def run(site, tmp_path):
    """Runs the command on lines of a table; gives the result, and what it wrote as JSON."""

    def invoked(*lines, options=(), header="query,url,quote,tags,nothing"):
        file = tmp_path / "questions.csv"
        file.write_text("\n".join([header, *lines]) + "\n")
        written = tmp_path / "out.json"
        written.unlink(missing_ok=True)
        arguments = ["evaluate", "queries", str(file), "--site", "docs", "--json", str(written), *options]
        result = CliRunner().invoke(app, arguments)
        return result, json.loads(written.read_text()) if written.exists() else None

    return invoked


def only(record):
    """The single answer of a record."""
    [answer] = record["answers"]
    return answer


def test_what_is_found_is_measured_by_tag(run):
    result, record = run("where is the anchor?,/anchor.html,,deck", 'where is the barge?,/chain.html,,"deck, hull"')
    assert result.exit_code == 0, result.output
    assert record["measures"] == ["hit@1", "hit@3", "hit@5", "MRR", "R@5", "nDCG@5", "R@1000t"]
    assert (record["version"], record["kind"], record["primary"], record["k"]) == (1, "queries", "hit@5", 5)
    row = record["searches"]["hybrid"]["rows"]["docs"]
    assert row["per_question"]["hit@1"] == [1.0, 0.0]
    assert (row["overall"]["hit@1"], row["by_tag"]["deck"]["hit@1"], row["by_tag"]["hull"]["hit@1"]) == (0.5, 0.5, 0.0)
    assert re.search(r"^all +2 +0\.500 ", result.output, re.MULTILINE)
    assert re.search(r"^hull +1 +0\.000 ", result.output, re.MULTILINE)


def test_hits_are_those_of_a_search_and_equal_runs_give_equal_bytes(run, site, tmp_path):
    from indexing import make_embedder, make_sparse_encoder, open_store

    line = "where is the anchor room?,/lamps.html"
    _, record = run(line, header="query,url")
    first = (tmp_path / "out.json").read_bytes()
    run(line, header="query,url")
    assert (tmp_path / "out.json").read_bytes() == first
    with open_store(site.settings, "docs") as store:
        encoders = {"embedder": make_embedder(site.settings), "sparse": make_sparse_encoder(site.settings)}
        hits = search("where is the anchor room?", store=store, limit=5, site="docs", **encoders)
    assert [hit["url"] for hit in only(record)["hits"]] == [hit.url for hit in hits]


@pytest.mark.parametrize(
    ("expected", "cause", "says"),
    [
        ("/lamps.html#wick,", "ranked too low", r"it is there, ranked [2-9]: Lamps > Wick \(https://docs.test/lamps"),
        ("/lamps.html#wig,", "no such anchor", r"the page has no anchor #wig; another place on the page is ranked"),
        ("/old.html,", "not taken in", r"ended it as gone: HTTP 404 Not Found"),
        ("/barges.html,", "not crawled", r"no crawl met this URL"),
        ("https://help.test/barge.html,", "not crawled", r"this URL; all pages of docs are on docs.test"),
        ("https://docs.test/manual/*,", "not crawled", r"no page below it was met"),
        (",cut with scissors", "ranked too low", r"it is there, ranked [2-9]"),
        ("/anchor.html,cut with scissors", "ranked too low", r"it stands in another place, ranked [2-9]"),
        ("/lamps.html,Secret menu of tides", "cut by cleaning", r"the page as fetched says it, .* took it out \("),
        (
            "/lamps.html,books of this harbour. Wick A wick is",
            "divided",
            r"it stands on https://docs.test/lamps.html, divided",
        ),
        (",no such words", "not said", r"none of 9 pages says it"),
        ("/nowhere.html,no such words", "not crawled", r"no crawl met this URL"),
    ],
)
def test_a_question_that_failed_says_why(run, expected, cause, says):
    result, record = run(f"which anchor lies in the anchor room?,{expected},,", options=["-k", "1"])
    assert result.exit_code == 0, result.output
    answer = only(record)
    assert (answer["verdict"], answer["rank"]) == ("missed", None)
    [finding] = answer["findings"]
    assert finding["cause"] == cause
    assert re.search(says, finding["says"]), finding
    assert finding["says"][:40] in result.output
    assert "1. Anchor (https://docs.test/anchor.html)" in result.output


def test_a_url_that_is_nearly_right_is_corrected(run):
    _, record = run("where is the hawser?,/hawsers.html", header="query,url")
    assert only(record)["findings"][0]["step"] == "did you mean https://docs.test/hawser.html?"
    _, record = run("where is the hawser?,/deck/gear/hawser.html", header="query,url")
    assert only(record)["findings"][0]["step"] == "did you mean https://docs.test/hawser.html?"
    _, record = run("where is the hawser?,/bowser.txt", header="query,url")
    assert "did you mean" not in only(record)["findings"][0]["step"]


def test_a_page_beside_the_folder_of_the_site_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    monkeypatch.setenv("WRAC_DATA_DIR", str(made.settings.data_dir))
    made.crawl(*(fetched(f"guide/{word}/index.html", html(word, f"The {word} lies here.")) for word in MANY[:2]))
    (tmp_path / "q.csv").write_text(
        "query,url\nwhat?,/about/terms.html\nwho?,https://docs.test/guide\nwho?,/guide/x/\n"
    )
    shown = CliRunner().invoke(app, ["evaluate", "queries", "q.csv", "--json", "-"]).stdout
    says = [answer["findings"][0]["says"] for answer in json.loads(shown)["answers"]]
    assert says == [
        "no crawl met this URL; all pages of docs are below /guide/",
        "no crawl met this URL",
        "no crawl met this URL",
    ]


def test_what_the_profile_keeps_out_is_said(run, site):
    site.write_profile('deny = ["/private/"]\n')
    _, record = run("hawser?,https://docs.test/private/a.html", "hawser?,/private/b.html", header="query,url")
    for answer in record["answers"]:
        [finding] = answer["findings"]
        assert finding["cause"] == "out of scope"
        assert "the site is docs.test/ without /private/" in finding["says"]


def test_what_is_gathered_or_lost_is_said(run, site):
    from indexing import open_store

    with site.ledger() as ledger:
        rows = {row.url.rpartition("/")[2]: row for row in ledger.pages.of_site("docs")}
    with open_store(site.settings, "docs") as store:
        store.delete(rows["chain.html"].point_ids)
    _, record = run("where is the chain?,/chain.html", header="query,url")
    [finding] = only(record)["findings"]
    assert (finding["cause"], finding["step"]) == ("lost", "`wrac check docs --repair` puts it back")


def test_partly_found_counts_as_a_hit_and_is_listed(run):
    line = "the anchor lies in the anchor room,/anchor.html /old.html,,,"
    result, record = run(line)
    assert only(record)["verdict"] == "partly found"
    row = record["searches"]["hybrid"]["rows"]["docs"]["overall"]
    assert (row["hit@5"], row["R@5"]) == (1.0, 0.5)
    assert "partly found: the anchor lies" in result.output


def test_a_question_may_have_its_own_k(run):
    _, record = run("anchor room,/lamps.html#wick,1", "barge room,/barge.html,1", header="query,url,k")
    assert [answer["verdict"] for answer in record["answers"]] == ["missed", "found"]


def test_questions_without_an_answer_are_told_from_those_with_one(run):
    lines = [f"the {word} lies in the {word} room,/{word}.html,,," for word in MANY]
    result, record = run(*lines, "zebra quartz xylophone,,,,yes", "in the barge room the barge lies,,,,yes")
    assert [answer["verdict"] for answer in record["answers"][-2:]] == ["turned away", "not turned away"]
    overall = record["searches"]["hybrid"]["rows"]["docs"]["overall"]
    assert (overall["turned away"], overall["hit@1"]) == (0.5, 1.0)
    assert record["searches"]["hybrid"]["rows"]["docs"]["per_question"]["hit@1"][-1] is None
    assert "1 of 2 without an answer can be told" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("floor", "code", "said"),
    [
        (["hit@5=0.5", "--fail-under", "MRR=0.1"], ExitCode.OK, ""),
        (["hit@5=0.9"], ExitCode.INCOMPLETE, "hit@5 is 0.500, below the 0.9 of --fail-under"),
        (["hit@10=0.9"], ExitCode.USAGE, "'hit@10' is not measured with --k 5"),
        (["hit@5=90"], ExitCode.USAGE, "write a number from 0 to 1, as in hit@5=0.9"),
        (["hit@5"], ExitCode.USAGE, "write a number from 0 to 1"),
        (["turned away=1"], ExitCode.USAGE, "'turned away' is not measured"),
    ],
)
def test_a_floor_decides_the_exit_code(run, floor, code, said):
    lines = ("where is the anchor?,/anchor.html", "where is the barge?,/old.html")
    result, _ = run(*lines, header="query,url", options=["--fail-under", *floor])
    assert result.exit_code == code, result.output
    assert said in result.output


def test_a_floor_of_what_could_not_be_measured_is_not_met(run):
    result, _ = run("zebra,yes", header="query,nothing", options=["--fail-under", "turned away=0.1"])
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "turned away could not be measured" in result.output


def test_files_are_written_though_nobody_reads_the_table(run, tmp_path, monkeypatch):
    """As with ``| head``: what was measured is not measured again for a pipe that was closed."""

    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("service.cli.evaluation_tables.show_evaluation", closed)
    result, record = run("where is the mast?,/mast.html,,,", options=("--html", str(tmp_path / "page.html")))
    assert result.exit_code != ExitCode.OK
    assert len(record["answers"]) == 1
    assert (tmp_path / "page.html").exists()


def test_json_alone_on_standard_output(run):
    result, _ = run("where is the anchor?,/anchor.html", header="query,url", options=["--json", "-"])
    assert json.loads(result.stdout)["kind"] == "queries"


def test_the_page_loads_nothing_and_runs_nothing(run, tmp_path):
    hostile = "what is <script>alert(1)</script>?,/old.html,,<b>tag</b>,"
    result, _ = run(hostile, options=["--html", str(tmp_path / "out.html"), "-k", "1", "--fail-under", "hit@1=1"])
    page = (tmp_path / "out.html").read_text()
    assert result.exit_code == ExitCode.INCOMPLETE
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r'(?:src|href)="(?!#|https://docs\.test/)', page)
    assert page.count("<svg") == 2
    for said in ("What failed, and why", "Found instead", "hit@1 is 0.000, below the 1 of --fail-under"):
        assert said in page


def test_a_site_or_collection_that_is_not_there_is_named(run, site, tmp_path):
    result, _ = run("anchor,/anchor.html", header="query,url", options=["--site", "doks"])
    assert result.exit_code == ExitCode.USAGE
    assert "--site doks: no such site was crawled; did you mean docs? (sites: docs)" in result.output
    result, _ = run("anchor,/anchor.html", header="query,url", options=["--collection", "other"])
    assert result.exit_code == ExitCode.STORE
    assert "no collection 'other'" in result.output


def test_without_a_ledger_the_collection_alone_is_asked(run, site):
    (site.settings.data_dir / "ledger.sqlite").unlink()
    _, record = run("where is the anchor?,/anchor.html", "anchor,/nowhere.html", header="query,url")
    assert [answer["verdict"] for answer in record["answers"]] == ["found", "missed"]
    assert record["answers"][1]["findings"][0]["cause"] == "not in the collection"
    result, _ = run("anchor,/anchor.html", header="query,url", options=["--site", "other"])
    assert result.exit_code == ExitCode.USAGE
    assert "holds nothing of site 'other'" in result.output


def test_a_file_that_cannot_be_written_is_named_before_anything_is_asked(run):
    result, _ = run("anchor,/anchor.html", header="query,url", options=["--html", "nowhere/out.html"])
    assert result.exit_code == ExitCode.USAGE
    assert "nowhere/out.html cannot be written: there is no folder nowhere" in result.output
    assert "questions are answered" not in result.output


def test_before_any_crawl_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("query,url\nx,/x\n")
    result = CliRunner().invoke(app, ["evaluate", "queries", "q.csv"])
    assert result.exit_code == ExitCode.USAGE
    assert "wrac crawl URL" in result.output
    assert not (tmp_path / ".wrac").exists()


def test_without_a_file_the_canaries_of_the_site_are_asked(site, tmp_path):
    def ask(*options):
        return CliRunner().invoke(app, ["evaluate", "queries", *options])

    result = ask("--site", "docs")
    assert result.exit_code == ExitCode.USAGE
    assert "name a file of questions" in result.output
    site.write_profile("")
    assert "`canaries` of sites/docs.toml names none" in ask("--site", "docs").output
    assert "name a file of questions" in ask().output
    site.write_profile('canaries = "canaries.jsonl"\n')
    (tmp_path / "canaries.jsonl").write_text('{"query": "where is the anchor?", "url": "/anchor.html"}\n')
    result = ask("--site", "docs")
    assert result.exit_code == 0, result.output
    assert "1 of 1 questions are answered" in result.output


def test_a_place_in_a_longer_search_is_never_one_among_the_first():
    """Scores are scaled among candidates, so a search for more hits may have two of them the other way round."""
    from evaluation.questions.diagnosis import Diagnosis, World
    from ingest.questions import Question, Targets
    from wrac.records import Hit

    targets = Targets(None, None, [])
    question = Question("?", urls=("/b",))
    hit = Hit("b", 1.0, "", "B", "https://docs.test/b", "", "docs", {})
    diagnosis = Diagnosis(World(targets), None, "")
    [finding] = diagnosis.of(question, targets.of(question), [hit], [0], 5)
    assert finding.rank == 6
