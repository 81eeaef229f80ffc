"""A site with documents that a multimodal model transcribes, crawled by the command that a user types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mock_chat import Scripted
from mock_pages import START, simple
from mock_site import Reply
from mock_vision import MockVision, faulty_reader, pages_of, true_reader
from pdf_files import BOLD, Page, column, pdf, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_site import MockSite
    from product import Workspace

PATH = "/docs/pumps.pdf"
TABLE = [("Pump", "Flow", "Price"), ("Otter", "20", "150"), ("Heron", "35", "290")]
ROWS = ["Pump: Otter; Flow: 20; Price: 150.", "Pump: Heron; Flow: 35; Price: 290."]
NOTE = "Every pump is tested for two days before it leaves the yard."


def pumps() -> bytes:
    table = "".join(
        text(72 + 120 * x, 640 - 24 * y, cell, font=BOLD if y == 0 else "F1")
        for y, row in enumerate(TABLE)
        for x, cell in enumerate(row)
    )
    first = text(72, 720, "Pumps of the yard", size=20, font=BOLD) + table
    second = text(72, 720, "Tests", size=16, font=BOLD) + column(72, 690, [NOTE])
    return pdf([Page(first), Page(second)], title="Pumps of the yard")


TRUTH = {1: "# Pumps of the yard\n\n" + "\n\n".join(ROWS), 2: f"## Tests\n\n{NOTE}"}


@pytest.fixture
def vision() -> Iterator[MockVision]:
    with MockVision(true_reader(TRUTH)) as running:
        yield running


@pytest.fixture
def yard(site: MockSite, workspace: Workspace, vision: MockVision) -> Workspace:
    site.forget()
    site.routes = {
        START: simple("Start", f'<p>All about our pumps, in one document.</p><p><a href="{PATH}">pumps</a></p>'),
        PATH: Reply(pumps(), content_type="application/pdf"),
    }
    workspace.write_site(site.url + START, transcriber="llm")
    workspace.environment |= {
        "WRAC_TRANSCRIBER_MODEL": "eyes",
        "WRAC_TRANSCRIBER_BASE_URL": vision.base_url,
        "WRAC_TRANSCRIBER_RETRIES": "0",
        "WRAC_PRICES": json.dumps({"eyes": {"input": 2.0, "output": 8.0}}),
    }
    return workspace


def payloads(workspace: Workspace) -> list[dict[str, Any]]:
    return [point for point in workspace.points().values() if point["url"].endswith(PATH)]


@pytest.mark.timeout(300)
def test_a_crawled_document_is_transcribed_once_and_its_bill_is_shown(
    site: MockSite, yard: Workspace, vision: MockVision
) -> None:
    first = yard.crawl()

    assert first.code == 0, first
    assert [pages_of(asked) for asked in vision.requests] == [[1, 2]]
    content = "\n".join(point["page_content"] for point in payloads(yard))
    assert all(row in content for row in (*ROWS, NOTE))
    assert "Bill: transcription eyes: 1 call" in first.everything
    assert {point["source_kind"] for point in payloads(yard)} == {"pdf"}

    again = yard.crawl()

    assert again.code == 0, again
    assert len(vision.requests) == 1, "an unchanged document is not asked for again"


@pytest.mark.timeout(300)
def test_a_wrong_page_is_replaced_and_said(site: MockSite, yard: Workspace, vision: MockVision) -> None:
    vision.answer = faulty_reader(TRUTH, 1, lambda page: page.replace(ROWS[1], ""), times=2)

    done = yard.crawl()

    assert done.code == 0, done
    content = "\n".join(point["page_content"] for point in payloads(yard))
    assert "290" in content
    assert NOTE in content
    assert "replaced" in yard.wrac("explain", site.url + PATH).everything


@pytest.mark.timeout(300)
def test_a_server_that_is_away_costs_no_document_and_is_asked_again_by_the_next_crawl(
    site: MockSite, yard: Workspace, vision: MockVision
) -> None:
    vision.answer = lambda _: Scripted(status=503)
    away = yard.crawl()
    assert "290" in "\n".join(point["page_content"] for point in payloads(yard)), away

    vision.answer = true_reader(TRUTH)
    yard.crawl()

    assert ROWS[1] in "\n".join(point["page_content"] for point in payloads(yard))


@pytest.mark.timeout(300)
def test_the_estimate_of_a_crawled_site_counts_its_documents(
    site: MockSite, yard: Workspace, vision: MockVision
) -> None:
    yard.write_site(site.url + START)
    assert yard.crawl().code == 0

    expected = json.loads(yard.wrac("estimate", "docs_site", "--json").output)["transcription"]
    assert vision.requests == [], "neither the crawl nor the estimate asks for anything"
    assert (expected["documents"], expected["pages"], expected["calls"], expected["unread"]) == (1, 2, 1, 0)

    yard.write_site(site.url + START, transcriber="llm")
    assert yard.crawl().code == 0

    assert expected["input_tokens"] == pytest.approx(sum(map(vision.bill, vision.requests)), rel=0.1)
    after = json.loads(yard.wrac("estimate", "docs_site", "--json").output)["transcription"]
    assert (after["kept"], after["calls"], after["dollars"]) == (2, 0, 0.0)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("scope", ["run", "site"])
def test_a_cap_keeps_the_document_as_it_is_until_it_is_raised(yard: Workspace, vision: MockVision, scope: str) -> None:
    yard.environment[f"WRAC_MAX_{scope.upper()}_TOKENS"] = (
        "9000"  # a call sets aside 8,192 of output and 2,000 of input
    )

    done = yard.crawl()

    assert done.code == 0, done
    assert vision.requests == []
    assert "290" in "\n".join(point["page_content"] for point in payloads(yard))
    told = yard.wrac("explain", next(iter(payloads(yard)))["url"], "--json")
    assert f"the {scope} cap of 9,000 tokens is reached" in told.output

    yard.environment[f"WRAC_MAX_{scope.upper()}_TOKENS"] = "20000"
    again = yard.crawl()

    assert again.code == 0, again
    assert ROWS[1] in "\n".join(point["page_content"] for point in payloads(yard))
    assert len(vision.requests) == 1
