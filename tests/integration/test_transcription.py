"""Documents by a multimodal model, as their user converts them: real processes against a stub that reads and errs."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from mock_vision import MockVision, faulty_reader, pages_of, true_reader
from pdf_files import BOLD, Page, column, pdf, text
from product import SECRET, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_chat import Scripted

PRICES = {"eyes": {"input": 2.0, "output": 8.0}}
FISH = (
    "cod",
    "hake",
    "ling",
    "sole",
    "plaice",
    "turbot",
    "halibut",
    "haddock",
    "herring",
    "mackerel",
    "sardine",
    "perch",
)


def lines(page: int) -> list[str]:
    fish = FISH[(page - 1) % len(FISH)]
    return [
        f"The auction of {fish} opens at {page % 12 + 5} o'clock in hall {page} of the harbour.",
        f"Buyers of {fish} pay {page + 200} crowns for a crate and collect it before noon.",
        f"Crates of {fish} that nobody collects are sold again on the next morning.",
    ]


def title(page: int) -> str:
    return f"Selling {FISH[(page - 1) % len(FISH)]} in {page + 1900}"


def book(pages: int) -> bytes:
    drawn = [
        text(72, 720, title(n), size=18, font=BOLD) + column(72, 680, lines(n), leading=30) for n in range(1, pages + 1)
    ]
    return pdf([Page(content) for content in drawn])


def truth(pages: int) -> dict[int, str]:
    return {n: f"# {title(n)}\n\n" + "\n\n".join(lines(n)) for n in range(1, pages + 1)}


@pytest.fixture
def vision() -> Iterator[MockVision]:
    with MockVision(true_reader({})) as running:
        yield running


@pytest.fixture
def desk(workspace: Workspace, vision: MockVision) -> Workspace:
    """A folder whose documents are transcribed by the stub."""
    workspace.environment |= {
        "WRAC_TRANSCRIBER_MODEL": "eyes",
        "WRAC_TRANSCRIBER_BASE_URL": vision.base_url,
        "WRAC_TRANSCRIBER_RETRIES": "0",
        "WRAC_PRICES": json.dumps(PRICES),
    }
    return workspace


def test_a_pdf_is_transcribed_checked_mended_and_billed(desk: Workspace, vision: MockVision) -> None:
    (desk.folder / "book.pdf").write_bytes(book(6))
    vision.answer = faulty_reader(truth(6), 2, lambda page: page.replace("202 crowns", "20 crowns"), times=2)

    done = desk.wrac("convert", "book.pdf", "--transcribe", "--pages")

    assert done.code == 0, done
    assert "202 crowns" in done.output
    assert "20 crowns" not in done.output.replace("202 crowns", "")
    assert "book.pdf: page 1: transcribed" in done.errors
    assert "book.pdf: page 2: replaced: twice wrong: 2 numbers differ (-202 +20" in done.errors
    assert "6 pages, 7 checked: 5 transcribed, 0 repaired, 1 replaced" in done.errors
    assert "bill: 3 calls, " in done.errors
    assert SECRET not in done.everything


def test_the_estimate_is_within_a_tenth_of_the_bill(desk: Workspace, vision: MockVision) -> None:
    (desk.folder / "book.pdf").write_bytes(book(12))
    vision.answer = true_reader(truth(12))

    expected = json.loads(desk.wrac("estimate", "book.pdf", "--json").output)["transcription"]
    assert vision.requests == [], "an estimate asks nothing"
    assert not desk.data.exists(), "an estimate leaves nothing"
    desk.wrac("convert", "book.pdf", "--transcribe")
    after = json.loads(desk.wrac("estimate", "book.pdf", "--json").output)["transcription"]

    billed = sum(vision.bill(asked) for asked in vision.requests)
    assert (expected["pages"], expected["calls"]) == (12, 3)
    assert expected["input_tokens"] == pytest.approx(billed, rel=0.1)
    assert expected["dollars"] > 0
    assert (after["calls"], after["kept"], after["dollars"]) == (0, 12, 0.0)


@pytest.mark.timeout(240)
def test_a_killed_conversion_pays_for_no_page_twice(desk: Workspace, vision: MockVision) -> None:
    pages = 60
    (desk.folder / "book.pdf").write_bytes(book(pages))
    halfway, go_on = threading.Event(), threading.Event()

    def slow_after_half(asked: dict[str, Any]) -> Scripted:
        if len(vision.requests) > 6:
            halfway.set()
            go_on.wait(30)
        return true_reader(truth(pages))(asked)

    vision.answer = slow_after_half
    running = desk.start_wrac("convert", "book.pdf", "--transcribe", "--out", "out")
    running.wait_until(lambda: halfway.is_set() and len(desk.query("select key from transcripts")) >= 10)
    running.kill()
    running.end()
    go_on.set()
    kept = len(desk.query("select key from transcripts"))
    vision.requests.clear()

    vision.answer = true_reader(truth(pages))
    done = desk.wrac("convert", "book.pdf", "--transcribe", "--out", "out")

    assert done.code == 0, done
    asked = [number for request in vision.requests for number in pages_of(request)]
    assert len(asked) == len(set(asked)) == pages - kept < pages
    assert f"{pages} pages ({kept} of them paid for before)" in done.errors
    assert (desk.folder / "out" / "book.md").read_text("utf-8") == "\n\n".join(truth(pages).values()) + "\n"


def test_a_model_without_a_price_is_refused_before_any_work(desk: Workspace, vision: MockVision) -> None:
    (desk.folder / "book.pdf").write_bytes(book(1))
    desk.environment["WRAC_TRANSCRIBER_MODEL"] = "nobody-knows"

    done = desk.wrac("convert", "book.pdf", "--transcribe")

    assert done.code == 2, done
    assert "the price of the model nobody-knows is not known" in done.errors
    assert vision.requests == []
