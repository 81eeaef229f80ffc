"""The planner that asks a model: what it asks, what it believes, when it goes by the rules instead."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from chunking import RulePlanner, WindowLimits, build_tree, validate
from chunking.planners.llm import LLMPlanner, PlanningOptions
from chunking.planners.prompt import rules
from chunking.planners.wire import Preview
from conversion import markdown_document
from llm.budget import Budget, Cap
from llm.chat import ContentRefused, Ending, Reply
from wrac.errors import ConfigError, TransientError
from wrac.records import Usage
from wrac.tokens import count_tokens

LIMITS = WindowLimits(target=40, minimum=15, maximum=70)
WORDS = ["tide", "harbour", "lane", "gate", "lamp", "berth", "quay", "depot", "barge", "lodge", "anchor", "rope"]


def paragraph(count: int, start: int = 0) -> str:
    return " ".join(WORDS[(start + i) % len(WORDS)] for i in range(count)) + "."


PAGE = f"""\
# Handbook

{paragraph(20)}

## Gates

{paragraph(25, 1)}

{paragraph(25, 2)}

## Fees

{paragraph(20, 3)}
"""


class Model:
    """Answers from a list of replies or errors, in order; the last one again and again."""

    model = "m"

    def __init__(self, *answers: str | Reply | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[list[dict[str, str]]] = []
        self.limits: list[int] = []

    def ask(self, messages, *, max_output_tokens, **_: object) -> Reply:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(list(messages))
        self.limits.append(max_output_tokens)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(answer, Ending.COMPLETE, Usage(1_000, 900, 20, 1))

    @property
    def lines(self) -> list[str]:
        return self.asked[0][1]["content"].split("\n")[1:]


def tree(text: str = PAGE):
    return build_tree(markdown_document(text), LIMITS)


def plan(model: Model, text: str = PAGE, **options: object):
    planner = LLMPlanner(model, limits=LIMITS, **options)
    made = planner.plan(tree(text))
    assert validate(tree(text), made.groups) == ()
    return planner, made


def owned(text: str, made) -> list[list[int]]:
    """Unit numbers of each group, from 1, as the question's aliases count them."""
    number = {unit.id: n for n, unit in enumerate(tree(text).units, 1)}
    return [[number[i] for i in group.unit_ids] for group in made.groups]


def test_the_rules_alone_are_long_enough_to_be_cached_by_servers():
    assert count_tokens(rules(WindowLimits())) >= 1_024


def test_a_question_is_terse_lines_with_ties_and_levels():
    model = Model('{"c": ["u1-u7"], "p": []}')
    plan(model, options=PlanningOptions(preview_words=3))
    heads = [line.split(" ")[:2] for line in model.lines]
    assert heads == [
        ["u1", "#"],
        ["=u2", "paragraph"],
        ["u3", "##"],
        ["=u4", "paragraph"],
        ["u5", "paragraph"],
        ["u6", "##"],
        ["=u7", "paragraph"],
    ]
    assert model.lines[1].split(" ")[3:] == ["tide", "harbour", "lane"]
    assert model.lines[2].endswith("Gates")


@pytest.mark.parametrize(
    ("preview", "heading", "content"),
    [
        (Preview.NONE, False, 0),
        (Preview.HEADINGS, True, 0),
        (Preview.WORDS, True, 15),
        (Preview.FULL, True, 20),
    ],
)
def test_the_preview_is_a_setting(preview, heading, content):
    model = Model('{"c": ["u1-u7"], "p": []}')
    plan(model, options=PlanningOptions(preview=preview))
    assert model.lines[0].endswith("Handbook") is heading
    assert len(model.lines[1].split(" ")[3:]) == content


def test_the_models_cuts_are_taken():
    _, made = plan(Model('{"c": ["u1-u2", "u3-u5", "u6-u7"], "p": []}'))
    assert owned(PAGE, made) == [[1, 2], [3, 4, 5], [6, 7]]
    assert made.planner.startswith("llm/1 plan/2 m ")
    assert made.usage == Usage(1_000, 900, 20, 1)


def test_a_document_that_the_window_holds_as_one_topic_needs_no_call():
    model = Model("never")
    text = f"# Handbook\n\n{paragraph(20)}\n\n{paragraph(20)}\n"
    planner, made = plan(model, text)
    assert model.asked == []
    assert (planner.figures.calls, planner.figures.calls_saved) == (0, 1)
    assert made == RulePlanner(LIMITS).plan(tree(text))


def test_cuts_that_are_certain_are_not_asked_about():
    short = [f"{paragraph(15)}\n\n## {name}\n\n" for name in "BCDE"]
    text = f"# A\n\n{short[0]}{short[1]}```\n{paragraph(80)}\n```\n\n## D\n\n{short[3]}{paragraph(15)}\n"
    model = Model('{"c": ["u1-u8"], "p": []}')
    _, made = plan(model, text)
    assert "--" in model.lines
    assert not any("C" in line.split(" ")[3:] for line in model.lines)
    # certain: C alone, whatever the model says of what stands around it
    assert [group for group in owned(text, made) if 6 in group] == [[5, 6]]


def test_certain_cuts_are_no_disorder_of_the_model():
    """Units 1-4 and 7-10 are asked about in one call; 5-6 are certain and stand between them."""
    short = [f"{paragraph(15)}\n\n## {name}\n\n" for name in "BCDE"]
    text = f"# A\n\n{short[0]}{short[1]}```\n{paragraph(80)}\n```\n\n## D\n\n{short[3]}{paragraph(15)}\n"
    _, made = plan(Model('{"c": [1, 3, 5, 7], "p": []}'), text)
    assert made.repairs == ()
    assert owned(text, made) == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]
    _, reversed_ = plan(Model('{"c": ["u7-u8", "u5-u6", "u3-u4", "u1-u2"], "p": []}'), text)
    assert [violation.rule for violation in reversed_.repairs] == ["out-of-order"]


def test_an_unreadable_reply_gets_one_repair_call():
    model = Model("I would say", '{"c": ["u1-u2", "u3-u5", "u6-u7"], "p": []}')
    planner, made = plan(model)
    assert owned(PAGE, made) == [[1, 2], [3, 4, 5], [6, 7]]
    assert [message["role"] for message in model.asked[1]] == ["system", "user", "assistant", "user"]
    assert "not JSON" in model.asked[1][3]["content"]
    assert made.usage.calls == 2
    assert planner.figures.repaired == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("prose for ever", "unreadable twice"),
        (Reply("", Ending.CONTENT_FILTER, Usage(5, 0, 0, 1)), "content-filter"),
        (Reply("no", Ending.REFUSAL, Usage(5, 0, 0, 1)), "refusal"),
        (TransientError("the server is away"), "away"),
        (ContentRefused("too long"), "refused"),
        (ConfigError("refused the key"), "refused the key"),
    ],
)
def test_whatever_goes_wrong_the_rules_plan_it_and_the_plan_says_so(answer, reason):
    planner, made = plan(Model(answer))
    by_rule = RulePlanner(LIMITS).plan(tree())
    assert made.planner == by_rule.planner
    assert made.groups == by_rule.groups
    assert any(reason in violation.rule for violation in made.repairs)
    assert any(reason in why for why in planner.figures.by_rule)


def test_a_reply_that_is_cut_off_splits_the_question_and_is_never_asked_again():
    cut_off = Reply('{"c": ["u1-u2", "u3', Ending.LENGTH, Usage(1_000, 0, 50, 1))
    model = Model(cut_off, '{"c": ["u1-u2"], "p": []}', '{"c": ["u1-u3", "u4-u5"], "p": []}')
    _, made = plan(model)
    assert owned(PAGE, made) == [[1, 2], [3, 4, 5], [6, 7]]
    first, *rest = ("\n".join(asked[1]["content"].split("\n")[1:]) for asked in model.asked)
    assert len(rest) == 2
    assert all(text != first for text in rest)
    assert rest[1].startswith("ctx: Handbook\n")
    assert made.usage == Usage(3_000, 1_800, 90, 3)


def test_a_server_that_keeps_failing_is_not_asked_for_every_page():
    model = Model(TransientError("away"))
    planner = LLMPlanner(model, limits=LIMITS)
    for _ in range(6):
        planner.plan(tree())
    assert len(model.asked) == 3


def test_a_large_document_is_asked_about_in_excerpts_with_their_ancestors():
    section = "\n\n".join(f"### Part {n}\n\n{paragraph(15, n)}" for n in range(12))
    text = f"# Handbook\n\n## One\n\n{section}\n\n## Two\n\n{section}\n"
    model = Model("[]")
    options = PlanningOptions(input_budget=200, concurrency=1)
    planner, _ = plan(model, text, options=options)
    asked = [messages[1]["content"].split("\n")[1:] for messages in model.asked]
    assert len(asked) > 2
    assert all(count_tokens("\n".join(lines)) <= 1.1 * options.input_budget for lines in asked)
    assert {lines[0] for lines in asked[1:]} <= {"ctx: Handbook > One", "ctx: Handbook > Two", "ctx: Handbook"}
    assert planner.questions(tree(text)) == model.asked


def test_paid_replies_are_taken_from_the_cache():
    class Cache(dict):
        def put(self, key: str, reply: str) -> None:
            self[key] = reply

    cache = Cache()
    reply = '{"c": ["u1-u2", "u3-u5", "u6-u7"], "p": []}'
    model = Model(reply)
    _, first = plan(model, cache=cache)
    planner, second = plan(model, cache=cache)
    assert second.groups == first.groups
    assert second.usage == Usage()
    assert (len(model.asked), planner.figures.cached) == (1, 1)
    plan(model, PAGE.replace("Fees", "Tariffs"), cache=cache)
    assert len(model.asked) == 2


def test_at_a_cap_the_rules_take_over_and_the_plan_names_the_cap():
    model = Model('{"c": ["u1-u7"], "p": []}')
    budget = Budget(Cap("run", tokens=100), None)
    planner, made = plan(model, budget=budget)
    assert model.asked == []
    assert made.planner == RulePlanner.name
    assert any("run cap of 100 tokens" in why for why in planner.figures.by_rule)


@pytest.mark.parametrize(
    "reply",
    [
        '{"c": [1, 3, 6], "p": []}',
        '{"c":[1,3,6],"p":[]}',
        '{"c": [6, 3, 3], "p": []}',
        '{"c": ["u1", "u3", " 6 "], "p": []}',
        '{"c": ["u1-u2", "3-5", "u6:u7"], "p": []}',
        '{"c": [[1, 2], ["u3-u5"], [6, 7]], "p": []}',
        '{"c": ["u1,u2", "u3..u5", "u6-u7"], "p": []}',
        "[1, 3, 6]",
    ],
)
def test_beginnings_are_read_and_so_are_ranges(reply):
    _, made = plan(Model(reply))
    assert owned(PAGE, made) == [[1, 2], [3, 4, 5], [6, 7]]
    assert made.repairs == ()


def test_a_beginning_that_no_unit_has_is_an_unknown_id():
    _, made = plan(Model('{"c": [1, 3, 6, 40, 0], "p": []}'))
    assert owned(PAGE, made) == [[1, 2], [3, 4, 5], [6, 7]]
    assert [(violation.rule, violation.unit_ids) for violation in made.repairs] == [("unknown-id", ("40", "0"))]


def test_a_procedure_that_the_model_names_may_exceed_the_window():
    # Three paragraphs of 28 tokens: any two fit the maximum of 70, the three do not.
    text = PAGE.replace("## Fees", f"{paragraph(25, 4)}\n\n## Fees")
    reply = {"c": [1, 3, 7], "p": []}
    _, cut = plan(Model(json.dumps(reply)), text)
    _, whole = plan(Model(json.dumps({**reply, "p": [3]})), text)
    assert owned(text, whole) == [[1, 2], [3, 4, 5, 6], [7, 8]]
    assert len(cut.groups) > 3


def test_how_often_the_model_changed_the_rule_plan_is_counted():
    planner, made = plan(Model('{"c": ["u1-u2", "u3-u4", "u5-u7"], "p": []}'))
    assert planner.figures.documents == 1
    assert planner.figures.changed == int(made.groups != RulePlanner(LIMITS).plan(tree()).groups)


class Cache(dict):
    def put(self, key: str, reply: str) -> None:
        self[key] = reply


def test_a_question_that_was_cut_off_is_not_paid_for_again():
    cut_off = Reply('{"c": ["u1-u2", "u3', Ending.LENGTH, Usage(1_000, 0, 50, 1))
    cache = Cache()
    first_model = Model(cut_off, '{"c": ["u1-u2"], "p": []}', '{"c": ["u1-u3", "u4-u5"], "p": []}')
    _, first = plan(first_model, cache=cache)
    second_model = Model("never")
    _, second = plan(second_model, cache=cache)
    assert second_model.asked == []
    assert second.groups == first.groups


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ("prose for ever", "planned-by-rule"),
        (Reply("no", Ending.REFUSAL, Usage(5, 0, 0, 1)), "planned-by-rule"),
        (TransientError("the server is away"), "not-asked"),
        (ConfigError("refused the key"), "not-asked"),
    ],
)
def test_the_plan_tells_what_the_model_cannot_do_from_what_it_was_not_asked(answer, rule):
    _, made = plan(Model(answer))
    assert [violation.rule.partition(":")[0] for violation in made.repairs] == [rule]


def test_a_planner_that_was_stopped_asks_nothing_more():
    model = Model('{"c": ["u1-u7"], "p": []}')
    planner = LLMPlanner(model, limits=LIMITS)
    planner.stop("the crawl was interrupted")
    made = planner.plan(tree())
    assert model.asked == []
    assert [violation.rule for violation in made.repairs] == ["not-asked: the crawl was interrupted"]


def test_every_bill_is_told_whatever_the_reply_is_worth():
    told = []
    planner = LLMPlanner(Model("prose", '{"c": ["u1-u7"], "p": []}'), limits=LIMITS)
    planner.plan(tree(), told.append)
    assert told == [Usage(1_000, 900, 20, 1)] * 2


def test_a_forecast_names_the_calls_and_what_the_rules_would_answer():
    planner = LLMPlanner(Model("never"), limits=LIMITS)
    [forecast] = planner.forecast(tree())
    assert forecast.reply == '{"c": [1, 3, 6], "p": []}', "the section of two paragraphs fits as a whole"
    by_rule = RulePlanner(LIMITS).plan(tree())
    _, made = plan(Model(forecast.reply))
    assert made.groups == by_rule.groups
    assert not forecast.cached


def test_a_forecast_knows_what_is_paid_for():
    cache = Cache()
    plan(Model('{"c": ["u1-u7"], "p": []}'), cache=cache)
    [forecast] = LLMPlanner(Model("never"), limits=LIMITS, cache=cache).forecast(tree())
    assert forecast.cached


def test_no_more_calls_are_under_way_than_the_options_say():
    section = "\n\n".join(f"### Part {n}\n\n{paragraph(15, n)}" for n in range(12))
    text = f"# Handbook\n\n## One\n\n{section}\n\n## Two\n\n{section}\n"
    lock, under_way, most = threading.Lock(), 0, 0

    class Slow(Model):
        def ask(self, messages, **options):
            nonlocal under_way, most
            with lock:
                under_way += 1
                most = max(most, under_way)
            time.sleep(0.02)
            with lock:
                under_way -= 1
            return super().ask(messages, **options)

    planner = LLMPlanner(Slow("[]"), limits=LIMITS, options=PlanningOptions(input_budget=200, concurrency=2))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(planner.plan, [tree(text)] * 4))
    assert most == 2
