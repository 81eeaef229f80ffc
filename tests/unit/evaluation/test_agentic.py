"""Agentic chunking over loopback: what is asked, what is taken, what it costs."""

from __future__ import annotations

import json

import pytest
from mock_chat import MockChat, Scripted

from conversion import markdown_document
from evaluation.baselines.agentic import agentic_chunks
from evaluation.documents import NamedDocument
from evaluation.methods import by_writing
from llm.budget import Budget, Cap
from llm.chat import ChatClient
from wrac.errors import TransientError
from wrac.tokens import count_tokens

TEXT = "# Gate\n\nThe amber lamp burns.\n\n## Fees\n\nTwelve crowns."
CHUNKS = ["Gate > The amber lamp burns.", "Gate > Fees > Twelve golden crowns."]


@pytest.fixture
def ask():
    """Asks a server that answers as scripted; gives the outcome and the requests."""

    def asked(*answers: Scripted, **options: object):
        left = list(answers)
        with MockChat(lambda _: left.pop(0) if len(left) > 1 else left[0]) as server:
            client = ChatClient("stub", server.base_url, "KEY", {"KEY": "k"}, max_retries=0)
            try:
                return agentic_chunks(client, "Gate", TEXT, **options), server.requests
            finally:
                client.close()

    return asked


def test_the_document_is_data_in_the_last_message_and_the_shape_is_asked_for(ask):
    reply = json.dumps({"chunks": CHUNKS})
    written, [request] = ask(Scripted(reply))
    assert written.chunks == tuple(CHUNKS)
    assert written.usage.output_tokens == count_tokens(reply)
    assert written.usage.input_tokens == sum(count_tokens(m["content"]) for m in request["messages"])
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert TEXT in request["messages"][1]["content"]
    assert TEXT not in request["messages"][0]["content"]
    assert request["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    "reply", [json.dumps(CHUNKS), f"Here you are:\n```json\n{json.dumps({'chunks': CHUNKS})}\n```"]
)
def test_bare_and_fenced_lists_are_read(ask, reply):
    written, _ = ask(Scripted(reply))
    assert written.chunks == tuple(CHUNKS)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Scripted("Gate > The amber lamp"), "no JSON list"),
        (Scripted('{"chunks": [1, 2]}'), "no JSON list"),
        (Scripted('["Gate > The'), "no JSON list"),
        (Scripted("[" * 50_000), "no JSON list"),
        (Scripted(json.dumps(CHUNKS), finish="length"), "length"),
        (Scripted("", finish="content_filter"), "content-filter"),
        (Scripted("", refusal="I cannot"), "refusal"),
        (Scripted(status=400, error="the prompt is too long"), "too long"),
    ],
)
def test_what_is_no_whole_reply_leaves_no_chunks_and_says_why(ask, answer, fault):
    written, _ = ask(answer)
    assert written.chunks == ()
    assert fault in written.fault


def test_a_cap_is_kept(ask):
    written, requests = ask(Scripted(json.dumps(CHUNKS)), budget=Budget(Cap("run", tokens=1_000), None))
    assert requests == []
    assert "run cap of 1,000 tokens" in written.fault


def test_a_server_that_is_away_ends_the_comparison(ask):
    with pytest.raises(TransientError):
        ask(Scripted(status=503))


def test_fidelity_and_bill_of_all_documents():
    ticks = iter([10.0, 14.5])
    documents = [NamedDocument(name, markdown_document(TEXT)) for name in ("Gate.md", "Other.md")]
    answers = [Scripted(json.dumps(CHUNKS)), Scripted("no")]
    with MockChat(lambda _: answers.pop(0)) as server:
        client = ChatClient("stub", server.base_url, "KEY", {"KEY": "k"}, max_retries=0)
        made = by_writing(documents, client, ticks.__next__)
        client.close()
    assert [chunk.text for chunk in made.chunks] == CHUNKS
    assert made.bill is not None
    assert (made.bill.documents, made.bill.usage.calls, made.bill.seconds) == (2, 2, 4.5)
    assert made.faults == {"Other.md": "the reply is no JSON list of strings"}
    # 8 words twice (gate, the, amber, lamp, burns, fees, twelve, crowns); the second document lost all of its 8
    assert (made.fidelity.source, made.fidelity.kept, made.fidelity.invented) == (16, 8, 1)
