"""A guarded model: what it may cost, how many ask at once, and when nothing is asked any more."""

from __future__ import annotations

import threading

import pytest

from llm.budget import Budget, Cap
from llm.chat import ContentRefused, Ending, Reply
from llm.guarded import FAILURES_IN_A_ROW, GuardedChat, NoReply
from wrac.errors import ConfigError, TransientError
from wrac.records import Usage

QUESTION = [{"role": "user", "content": "Which buoy is green?"}]
ANSWER = Reply("The outer one.", Ending.COMPLETE, Usage(9, 0, 4, calls=1))


class Server:
    """Answers or raises as told, in turn; the last thing told holds on."""

    model = "mine"

    def __init__(self, *script: Reply | Exception) -> None:
        self.script = list(script)
        self.calls = 0

    def ask(self, messages, **options) -> Reply:
        self.calls += 1
        told = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(told, Exception):
            raise told
        return told


def ask(chat: GuardedChat, budget: Budget | None = None) -> Reply | NoReply:
    return chat.ask(QUESTION, budget, max_output_tokens=10)


@pytest.mark.parametrize(
    ("failure", "is_passing"),
    [(TransientError("away"), True), (ConfigError("no such model"), True), (ContentRefused("too long"), False)],
)
def test_what_a_server_does_is_a_reason_and_not_an_exception(failure: Exception, is_passing: bool) -> None:
    refusal = ask(GuardedChat(Server(failure), concurrency=1))
    assert isinstance(refusal, NoReply)
    assert refusal.is_passing is is_passing


def test_a_server_that_keeps_failing_is_not_asked_again() -> None:
    server = Server(TransientError("away"))
    chat = GuardedChat(server, concurrency=1)
    for _ in range(FAILURES_IN_A_ROW + 2):
        assert isinstance(ask(chat), NoReply)
    assert server.calls == FAILURES_IN_A_ROW
    assert chat.stopped == "away; not asked again"


def test_a_reply_between_failures_begins_the_count_anew() -> None:
    away = TransientError("away")
    server = Server(away, away, ANSWER, away, away, ANSWER)
    chat = GuardedChat(server, concurrency=1)
    replies = [ask(chat) for _ in range(6)]
    assert [isinstance(reply, Reply) for reply in replies] == [False, False, True, False, False, True]
    assert chat.stopped == ""


def test_a_refused_request_says_nothing_about_the_server() -> None:
    chat = GuardedChat(Server(ContentRefused("too long")), concurrency=1)
    for _ in range(FAILURES_IN_A_ROW + 1):
        assert ask(chat) == NoReply("the server refused the request")
    assert chat.stopped == ""


def test_a_wrong_key_ends_the_asking_at_once() -> None:
    server = Server(ConfigError("the key is refused"), ANSWER)
    chat = GuardedChat(server, concurrency=1)
    assert [ask(chat), ask(chat)] == [NoReply("the key is refused", is_passing=True)] * 2
    assert server.calls == 1


def test_the_budget_pays_for_replies_and_refuses_what_could_pass_its_cap() -> None:
    server = Server(ANSWER)
    chat = GuardedChat(server, concurrency=1)
    # A call of 10 output tokens reserves those, the question's handful and 64 for the server's own: fewer than 90.
    budget = Budget(Cap("run", tokens=90), price=None)
    assert ask(chat, budget) == ANSWER
    assert budget.spent == ANSWER.usage
    refusal = ask(chat, budget)
    assert refusal == NoReply("the run cap of 90 tokens is reached", is_passing=True)
    assert server.calls == 1
    assert chat.stopped == "", "another page may have a budget of its own"


def test_a_halt_is_asked_for_before_every_call_and_the_first_reason_stays() -> None:
    server, reasons = Server(ANSWER), [""]
    chat = GuardedChat(server, concurrency=1, halted=lambda: reasons[0])
    assert ask(chat) == ANSWER
    reasons[0] = "the crawl was interrupted"
    assert ask(chat) == NoReply("the crawl was interrupted", is_passing=True)
    chat.stop("first")
    chat.stop("second")
    assert ask(chat) == NoReply("first", is_passing=True)
    assert server.calls == 1


def test_no_more_than_so_many_calls_are_under_way() -> None:
    entered, release = threading.Semaphore(0), threading.Event()
    under_way, most, lock = 0, 0, threading.Lock()

    class Slow:
        model = "mine"

        def ask(self, messages, **options) -> Reply:
            nonlocal under_way, most
            with lock:
                under_way += 1
                most = max(most, under_way)
            entered.release()
            release.wait(30)
            with lock:
                under_way -= 1
            return ANSWER

    chat = GuardedChat(Slow(), concurrency=2)
    threads = [threading.Thread(target=ask, args=(chat,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert entered.acquire(timeout=30)
    assert entered.acquire(timeout=30)
    release.set()
    for thread in threads:
        thread.join(30)
    assert most == 2
