"""A healthy site with the embedded defaults, from one command to an answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from mock_pages import CHROME_WORDS, CODE, PAGES, START, handbook
from product import SECRET, Finished, Workspace

if TYPE_CHECKING:
    from mock_site import MockSite


@dataclass
class Crawled:
    """The site, the workspace and how the crawl ended."""

    site: MockSite
    workspace: Workspace
    run: Finished

    def search(self, question: str, *options: str) -> list[dict[str, object]]:
        found = self.workspace.wrac("search", question, "--json", *options)
        assert found.code == 0, found
        return [json.loads(line) for line in found.output.splitlines()]


@pytest.fixture(scope="module")
def crawled(site: MockSite, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    site.routes = handbook(site.url)
    workspace = Workspace(tmp_path_factory.mktemp("handbook"))
    workspace.environment.pop("OPENAI_API_KEY")  # the defaults need no key
    return Crawled(site, workspace, workspace.crawl("-a", f"url={site.url}{START}"))


def test_one_command_without_a_file_or_a_key_indexes_every_page(crawled: Crawled) -> None:
    assert crawled.run.code == 0, crawled.run
    indexed = {url for url, row in crawled.workspace.rows().items() if row.outcome == "indexed"}
    assert indexed == {crawled.site.url + page.path for page in PAGES}


def test_a_page_that_only_the_gzipped_sitemap_names_is_found(crawled: Crawled) -> None:
    assert crawled.workspace.outcome(crawled.site.url + "/docs/only-in-sitemap.html") == "indexed"


def test_variants_of_a_page_are_one_page(crawled: Crawled) -> None:
    urls = {payload["metadata"]["url"] for payload in crawled.workspace.points().values()}
    assert urls == {crawled.site.url + page.path for page in PAGES}
    for page in PAGES:
        assert crawled.site.times(page.path) <= 1, f"{page.path} was fetched twice"
    assert not [target for target in crawled.site.targets if "utm_" in target]


def test_a_redirect_inside_the_site_is_recorded_and_not_indexed(crawled: Crawled) -> None:
    assert crawled.workspace.outcome(crawled.site.url + "/docs/old-gauge.html") == "redirected"


def test_what_lies_outside_of_the_start_folder_is_not_fetched(crawled: Crawled) -> None:
    assert "/elsewhere/shop.html" not in crawled.site.targets


def test_the_summary_tells_what_a_person_asks_next(crawled: Crawled) -> None:
    said = crawled.run.everything
    points = len(crawled.workspace.points())
    assert re.search(rf"\b{len(PAGES)}\b.*indexed|indexed\W+{len(PAGES)}\b", said), said
    assert re.search(rf"\b{points}\b", said), f"{points} chunks are not told in: {said}"
    for word in ("chunks", "tokens", "qdrant", "wrac search", "embed"):
        assert word in said, f"{word!r} is not in the summary: {said}"


def test_robots_is_asked_first_and_the_user_agent_is_honest(crawled: Crawled) -> None:
    assert crawled.site.targets[0] == "/robots.txt"
    agents = {request.headers.get("user-agent", "") for request in crawled.site.log.requests}
    assert len(agents) == 1, agents
    agent = agents.pop()
    assert "wrac" in agent.casefold()
    assert "+http" in agent, f"no contact in {agent!r}"
    assert not re.search(r"Mozilla|Chrome|Safari", agent)


def test_no_text_of_the_page_frame_reaches_a_chunk(crawled: Crawled) -> None:
    texts = [payload["page_content"] for payload in crawled.workspace.points().values()]
    for words in CHROME_WORDS:
        assert not [text for text in texts if words in text], words


def test_chunks_are_verbatim_and_atoms_are_whole(crawled: Crawled) -> None:
    texts = [payload["page_content"] for payload in crawled.workspace.points().values()]
    assert len([text for text in texts if CODE in text]) == 1
    table = [text for text in texts if "North quay" in text]
    assert len(table) == 1
    assert all(cell in table[0] for cell in ("9.5 m", "Coal pier", "12 tonnes", "Fish dock", "none"))
    steps = [text for text in texts if "Drill four holes" in text]
    assert len(steps) == 1
    order = [steps[0].index(step) for step in ("Drill four", "Blow the dust", "Set the anchors", "Wait six", "Tighten")]
    assert order == sorted(order)


def test_every_sentence_of_the_site_is_in_exactly_one_chunk(crawled: Crawled) -> None:
    texts = [re.sub(r"\s+", " ", payload["page_content"]) for payload in crawled.workspace.points().values()]
    for page in PAGES:
        sentences = [page.lead]
        for section in page.sections:
            if "<pre>" in section.html or "<table>" in section.html:
                continue
            plain = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "\n", section.html).replace("\n", "\u0000"))
            sentences += [part.strip() for part in plain.split("\u0000") if part.strip()]
        for sentence in sentences:
            holders = [text for text in texts if sentence in text]
            assert len(holders) == 1, f"{len(holders)} chunks hold {sentence!r}"


QUESTIONS = {
    "how long do the epoxy anchors have to wait": "/docs/install.html",
    "which berth has a crane that lifts 40 tonnes": "/docs/berths.html",
    "what must a vessel at anchor do in fog": "/docs/pilot/fog.html",
    "how are buoys stored in winter": "/docs/only-in-sitemap.html",
    "which light is above the other when approaching at night": "/docs/pilot/approach.html",
}


def test_a_question_finds_its_page_first(crawled: Crawled) -> None:
    first = [hits[0] for hits in crawled.workspace.ask(list(QUESTIONS))]
    found = {question: hit.url.partition("#")[0] for question, hit in zip(QUESTIONS, first, strict=True)}
    assert found == {question: crawled.site.url + page for question, page in QUESTIONS.items()}
    assert all(hit.text and hit.breadcrumb and hit.score > 0 for hit in first)


def test_a_hit_links_to_its_heading(crawled: Crawled) -> None:
    first = crawled.search("a leaking float is weighed and dried on the boiler")[0]
    assert first["url"] == crawled.site.url + "/docs/install.html#calibrate"
    assert "Installing the tide gauge" in str(first["breadcrumb"])
    assert "weighed, dried over night on the boiler" in str(first["text"])
    assert isinstance(first["score"], float)


def test_search_for_people_shows_text_breadcrumb_url_and_score(crawled: Crawled) -> None:
    found = crawled.workspace.wrac("search", "bell of a vessel at anchor", "--limit", "1")
    assert found.code == 0, found
    assert "rings the bell rapidly" in found.output
    assert "Signals in fog" in found.output
    assert crawled.site.url + "/docs/pilot/fog.html" in found.output
    assert re.search(r"\d\.\d", found.output)


def test_explain_lists_what_was_cut_and_by_which_rule(crawled: Crawled) -> None:
    told = crawled.workspace.wrac("explain", crawled.site.url + "/docs/install.html")
    assert told.code == 0, told
    for words in ("We value your privacy", "Sign in to your harbour account", "Copyright of the harbour office"):
        assert words in told.output, f"{words!r} was cut and is not explained:\n{told.output}"
    assert re.search(r"\bconsent", told.output)


def test_explain_of_an_unknown_page_says_so(crawled: Crawled) -> None:
    told = crawled.workspace.wrac("explain", crawled.site.url + "/docs/never-seen.html")
    assert told.code != 0, told
    assert "never-seen" in told.everything
    assert "Traceback" not in told.everything


def test_status_tells_the_site_and_its_counts(crawled: Crawled) -> None:
    told = crawled.workspace.wrac("status")
    assert told.code == 0, told
    assert f"127.0.0.1-{crawled.site.port}" in told.output or crawled.site.host in told.output
    assert str(len(PAGES)) in told.output


def test_running_again_changes_nothing(crawled: Crawled) -> None:
    before = crawled.workspace.points()
    crawled.site.forget()
    again = crawled.workspace.crawl("-a", f"url={crawled.site.url}{START}")
    assert again.code == 0, again
    assert crawled.workspace.points() == before
    rows = crawled.workspace.rows()
    assert {rows[crawled.site.url + page.path].outcome for page in PAGES} == {"unchanged"}
    assert {url for url, row in rows.items() if row.outcome == "indexed"} == set()


def test_no_secret_is_written_anywhere(crawled: Crawled) -> None:
    files = [file for file in crawled.workspace.folder.rglob("*") if file.is_file()]
    assert not [file for file in files if SECRET.encode() in file.read_bytes()]
