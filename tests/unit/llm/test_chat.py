"""The chat door over loopback: what it sends, what it learns from refusals, what failures mean."""

from __future__ import annotations

import itertools
import logging

import pytest
from mock_chat import MockChat, Scripted

from llm.chat import ChatClient, ContentRefused, Ending
from wrac.errors import ConfigError, TransientError
from wrac.records import Usage

KEY = "sk-very-secret-key-123456"
SCHEMA = {"type": "object", "properties": {"c": {"type": "array"}}, "required": ["c"], "additionalProperties": False}
ASKED = [{"role": "system", "content": "rules"}, {"role": "user", "content": "the page says PAGETEXT"}]


def client(server: MockChat, **options: object) -> ChatClient:
    return ChatClient(
        "m1", server.base_url, "TEST_KEY", {"TEST_KEY": KEY}, **{"max_retries": 2, "timeout": 5.0, **options}
    )


def ask(chat: ChatClient, **options: object):
    return chat.ask(ASKED, max_output_tokens=50, schema=SCHEMA, schema_name="plan", cache_key="v1", **options)


def test_a_strict_schema_the_papers_temperature_and_a_limit_are_sent():
    with MockChat(lambda _: Scripted('{"c": []}', cached=1)) as server:
        reply = ask(client(server))
    sent = server.requests[0]
    assert (reply.text, reply.ending) == ('{"c": []}', Ending.COMPLETE)
    assert sent["temperature"] == 0.1
    assert sent["max_completion_tokens"] == 50
    assert sent["response_format"]["json_schema"] == {"name": "plan", "strict": True, "schema": SCHEMA}
    # What counts is that the bill is read, its cached part and all.
    assert reply.usage == Usage(reply.usage.input_tokens, 1, reply.usage.output_tokens, 1)
    assert reply.usage.input_tokens > 4
    assert reply.usage.output_tokens > 2


@pytest.mark.parametrize(
    ("refuses", "message", "then"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.1", {"temperature": None}),
        ("max_completion_tokens", "Unrecognized argument: max_completion_tokens", {"max_tokens": 50}),
        ("prompt_cache_key", "Extra inputs are not permitted: prompt_cache_key", {"prompt_cache_key": None}),
    ],
)
def test_what_a_server_refuses_is_left_out_from_then_on(refuses, message, then):
    with MockChat(lambda asked: Scripted(status=400, error=message) if refuses in asked else Scripted("{}")) as server:
        chat = client(server)
        ask(chat)
        ask(chat)
    assert len(server.requests) == 3
    for sent in server.requests[1:]:
        assert refuses not in sent
        assert {key: sent.get(key) for key in then} == then


def test_a_server_without_schemas_falls_to_json_mode_and_one_without_that_to_the_prompt():
    def answer(asked):
        kind = asked.get("response_format", {}).get("type")
        return Scripted(status=400, error=f"response_format {kind} is not supported") if kind else Scripted("{}")

    with MockChat(answer) as server:
        assert ask(client(server)).text == "{}"
    assert [sent.get("response_format", {}).get("type") for sent in server.requests] == [
        "json_schema",
        "json_object",
        None,
    ]


def test_a_refusal_of_the_content_is_no_reason_to_try_without_a_schema():
    refusing = MockChat(lambda _: Scripted(status=400, error="context length exceeded"))
    with refusing as server, pytest.raises(ContentRefused, match="context length"):
        ask(client(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("scripted", "ending"),
    [
        (Scripted("x", finish="length"), Ending.LENGTH),
        (Scripted("", finish="content_filter"), Ending.CONTENT_FILTER),
        (Scripted("", refusal="I cannot"), Ending.REFUSAL),
    ],
)
def test_how_a_reply_ended_is_said(scripted, ending):
    with MockChat(lambda _: scripted) as server:
        assert ask(client(server)).ending is ending


@pytest.mark.parametrize(
    "failure",
    [
        Scripted(status=429, headers=(("Retry-After", "0.1"),)),
        Scripted(status=500, headers=(("Retry-After", "0.1"),)),
        Scripted(reset=True),
        Scripted("{}", cut=True),
    ],
    ids=["429", "500", "reset", "cut"],
)
def test_a_passing_failure_passes(failure):
    answers = itertools.chain([failure], itertools.repeat(Scripted("{}")))
    with MockChat(lambda _: next(answers)) as server:
        assert ask(client(server)).text == "{}"
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_lasting_failure_is_transient_and_bounded(status):
    failing = MockChat(lambda _: Scripted(status=status, headers=(("Retry-After", "0.05"),)))
    with failing as server, pytest.raises(TransientError, match=str(status)):
        ask(client(server))
    assert len(server.requests) == 3


def test_a_stalled_server_is_given_up():
    with MockChat(lambda _: Scripted("{}", delay=1.0)) as server, pytest.raises(TransientError):
        ask(client(server, timeout=0.2, max_retries=0))


def test_a_refused_key_names_the_variable_and_never_the_key():
    refusing = MockChat(lambda _: Scripted(status=401, error=f"bad key {KEY}"))
    with refusing as server, pytest.raises(ConfigError, match="TEST_KEY") as caught:
        ask(client(server))
    assert KEY not in str(caught.value)


def test_neither_key_nor_page_reach_a_log(caplog):
    caplog.set_level(logging.INFO)
    with MockChat(lambda _: Scripted("{}")) as server:
        chat = client(server)
        ask(chat)
    assert KEY not in caplog.text + repr(chat)
    assert "PAGETEXT" not in caplog.text


def test_a_server_that_sends_no_bill_is_counted_by_us():
    with MockChat(lambda asked: Scripted('{"c": []}', billed=asked["max_completion_tokens"] != 50)) as server:
        chat = client(server)
        counted = ask(chat).usage
        billed = chat.ask(ASKED, max_output_tokens=51).usage
    assert counted == billed
    assert counted.input_tokens > 0
