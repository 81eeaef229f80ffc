"""What planning costs on the development organisations, on real requests to a server that replays published plans."""

from __future__ import annotations

import pytest
from mock_chat import MockChat, Scripted

from chunking import validate
from chunking.planners.llm import LLMPlanner
from evaluation.baselines.published import published_agentic, published_plans
from evaluation.corpora.ragmc import RagMultiCorpus
from evaluation.repaired import fault_counts, repaired
from evaluation.replay import ReplayChat, add_answers
from llm.chat import ChatClient
from wrac.records import Usage

OUTPUT_GOAL = 0.03
"""Share of the published agentic output tokens that planning may cost."""


@pytest.fixture(scope="module")
def corpus(yardsticks):
    return RagMultiCorpus(yardsticks / "ragmc" / "RAG-Multi-Corpus")


@pytest.fixture(scope="module")
def plans(corpus):
    organisations = corpus.split("dev")
    return [repaired(plan) for name in organisations for plan in published_plans(corpus, name)]


@pytest.mark.yardsticks
def test_every_published_plan_becomes_lossless(plans):
    assert len(plans) == 127
    assert sum(plan.lost for plan in plans) == 0
    assert all(validate(plan.tree, plan.groups) == () for plan in plans)
    faults = {rule: (count.units, count.documents) for rule, count in fault_counts(plans).items()}
    assert faults == {"missing": (240, 92), "out-of-order": (25, 1), "unknown-id": (1, 1)}


@pytest.mark.yardsticks
def test_output_is_97_percent_below_agentic_chunking_and_input_is_below_too(corpus, plans):
    answers: dict[str, str] = {}
    replay = LLMPlanner(ReplayChat(answers))
    for plan in plans:
        add_answers(answers, replay, plan)
    with MockChat(lambda asked: Scripted(answers[asked["messages"][-1]["content"]])) as server:
        client = ChatClient("stub", server.base_url, "KEY", {"KEY": "k"}, max_retries=0)
        planner = LLMPlanner(client)
        made = [planner.plan(plan.tree) for plan in plans]
        client.close()
    ours = sum((plan.usage for plan in made), Usage())
    agentic = sum((d.usage for name in corpus.split("dev") for d in published_agentic(corpus, name)), Usage())
    assert ours.calls == len(server.requests) == planner.figures.calls
    assert ours.calls + planner.figures.calls_saved == len(plans)
    assert ours.output_tokens <= OUTPUT_GOAL * agentic.output_tokens
    assert ours.input_tokens < agentic.input_tokens
    assert [plan.repairs for plan in made] == [()] * len(plans)
    assert [replay.plan(plan.tree).groups for plan in plans] == [plan.groups for plan in made]
