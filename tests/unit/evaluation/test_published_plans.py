"""The published plans: read, put on our units, repaired, replayed as planning calls over loopback."""

from __future__ import annotations

import pytest
from mock_chat import MockChat, Scripted
from small_ragmc import write_corpus

from chunking import validate
from chunking.planners.llm import LLMPlanner
from evaluation.baselines.published import PublishedElement, PublishedPlan, published_agentic, published_plans
from evaluation.corpora.ragmc import RagMultiCorpus
from evaluation.repaired import DIVIDED, FaultCount, fault_counts, repaired
from evaluation.replay import ReplayChat, add_answers
from llm.chat import ChatClient
from wrac.errors import ConfigError
from wrac.records import Usage

STEPS = """\
# Gate

Read the log.

## Opening

1. Turn the key.

2. Press the button.

## Fees

Twelve crowns.
"""


def plan(*arrays: tuple[str, ...], markdown: str = STEPS) -> PublishedPlan:
    """A published plan whose elements are the lines after blank ones."""
    lines = markdown.split("\n")
    starts = [n for n, line in enumerate(lines) if line and (not n or not lines[n - 1])]
    elements = [PublishedElement(f"{'heading' if lines[n][0] == '#' else 'text'}_{n}", n) for n in starts]
    return PublishedPlan("Gate.md", (), Usage(), 0.0, markdown, tuple(elements), arrays)


WHOLE = (
    ("heading_0", "text_2"),
    ("heading_0", "heading_4", "text_6", "text_8"),
    ("heading_0", "heading_10", "text_12"),
)


def owned(found) -> list[list[str]]:
    texts = {unit.id: found.tree.text_of(unit).split("\n")[0] for unit in found.tree.units}
    return [[texts[unit_id] for unit_id in group.unit_ids] for group in found.groups]


def test_a_plan_without_fault_is_taken_as_it_is():
    found = repaired(plan(*WHOLE))
    assert owned(found) == [
        ["# Gate", "Read the log."],
        ["## Opening", "1. Turn the key."],
        ["## Fees", "Twelve crowns."],
    ]
    assert found.violations == ()
    assert (found.divided, found.lost) == (0, 0)


def test_what_a_plan_leaves_out_is_put_back_and_counted():
    found = repaired(plan(WHOLE[1], ("text_12", "text_77")))
    assert validate(found.tree, found.groups) == ()
    assert found.lost == 0
    assert {rule: count.units for rule, count in fault_counts([found]).items()} == {"missing": 1, "unknown-id": 1}
    assert fault_counts([found, found])["missing"] == FaultCount(units=2, documents=2)


def test_a_unit_that_two_chunks_divide_is_counted_and_kept_by_the_first():
    """A list with blank lines between its items is one unit; the published elements are its items."""
    found = repaired(plan(WHOLE[0], ("heading_4", "text_6"), ("heading_4", "text_8"), WHOLE[2]))
    assert fault_counts([found]) == {DIVIDED: FaultCount(1, 1)}
    assert len(owned(found)) == 3


def test_an_element_named_twice_is_a_duplicate():
    found = repaired(plan(*WHOLE, ("text_12", "text_2")))
    assert fault_counts([found])["duplicate"].units == 2


def test_published_files_are_read_whatever_became_of_a_reply(tmp_path):
    corpus = RagMultiCorpus(write_corpus(tmp_path))
    loans, cards = published_plans(corpus, "ZX Bank")
    assert loans.usage == Usage(600, 100, 40, 1)
    assert (loans.filename, loans.seconds, len(loans.arrays)) == ("Loans.md", 2.0, 2)
    assert (cards.chunks, cards.arrays) == ((), ())
    lost = repaired(cards)
    assert lost.lost == 0
    assert len(lost.groups) == 2  # each section by itself
    assert [one.filename for one in published_agentic(corpus, "CloudWay-24")] == ["Ferry.md"]
    assert published_plans(corpus, "Nobody") == []


LONG = "\n\n".join(
    f"## Part {n}\n\n" + " ".join(["amber", "gate", "quay", "rope"][i % 4] for i in range(60)) for n in range(6)
)


def long_plan() -> PublishedPlan:
    """Two parts a chunk."""
    whole = plan(markdown=f"# Handbook\n\n{LONG}\n")
    texts = [element.id for element in whole.elements if not element.is_heading]
    arrays = tuple(zip(texts[::2], texts[1::2], strict=True))
    return PublishedPlan("H.md", (), Usage(), 0.0, whole.markdown, whole.elements, arrays)


def test_replayed_calls_over_loopback_give_the_published_cuts_and_the_same_bill():
    published = repaired(long_plan())
    answers: dict[str, str] = {}
    in_process = LLMPlanner(ReplayChat(answers))
    add_answers(answers, in_process, published)
    assert list(answers.values()) == ['{"c": [1, 6, 10], "p": []}']

    with MockChat(lambda asked: Scripted(answers[asked["messages"][-1]["content"]])) as server:
        client = ChatClient("stub", server.base_url, "KEY", {"KEY": "k"}, max_retries=0)
        billed = LLMPlanner(client).plan(published.tree)
        client.close()
    replayed = in_process.plan(published.tree)
    assert replayed.groups == billed.groups == published.groups
    assert replayed.usage == billed.usage
    assert billed.usage.calls == len(server.requests) == 1
    assert replayed.repairs == ()


def test_a_question_that_no_plan_answers_is_refused():
    with pytest.raises(ConfigError, match="no published plan"):
        ReplayChat({}).ask([{"role": "user", "content": "?"}], max_output_tokens=1)
