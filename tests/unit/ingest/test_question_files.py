"""Files of questions: every form that a person may write them in, and every mistake with its line."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.questions import Question, read_questions
from wrac.errors import ConfigError

URL = "https://docs.test/keys.html#rotate"
EXPECTED = [
    Question("how do I rotate a key?", urls=(URL,), tags=("keys", "how"), k=3, line=2),
    Question('what does "E1" mean?', quotes=("no ink, see below", "E1"), line=3),
    Question("who won the cup?", nothing=True, tags=("none",), line=5),
]


def written(tmp_path, name, text):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def without_lines(questions):
    return [(q.query, q.urls, q.quotes, q.tags, q.k, q.nothing) for q in questions]


CSV = f"""\
query,url,quote,quote,tags,k,nothing
how do I rotate a key?,{URL},,,"keys, how",3,
"what does ""E1"" mean?",,"no ink,
 see  below",E1,,,no
who won the cup?,,,,none,,yes

"""
JSONL = f"""\
{{"question": "how do I rotate a key?", "url": "{URL}", "tags": ["keys", "how"], "k": 3}}
{{"query": "what does \\"E1\\" mean?", "quotes": ["no ink, see below", "E1"], "url": null}}

{{"query": "who won the cup?", "nothing": true, "type": "none"}}
"""
TOML = f"""\
[[question]]
query = "how do I rotate a key?"
url = "{URL}"
type = "keys; how"
k = 3
[[canary]]
query = 'what does "E1" mean?'
quote = ["no ink, see below", "E1"]
[[question]]
query = "who won the cup?"
tags = ["none"]
nothing = true
"""


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("q.csv", CSV, [2, 3, 5]),
        ("q.csv", b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode(), [2, 3, 5]),
        ("q.csv", CSV.replace(",", ";").encode("utf-16"), [2, 3, 5]),
        ("q.tsv", CSV.replace(",", "\t").replace("keys\t how", "keys, how").replace("ink\t", "ink,"), [2, 3, 5]),
        ("q.jsonl", JSONL, [1, 2, 4]),
        ("q.json", "[\n" + ",\n".join(line for line in JSONL.split("\n") if line) + "\n]\n", [2, 3, 4]),
        ("q.toml", TOML, [1, 6, 9]),
    ],
)
def test_every_form_says_the_same(tmp_path, name, text, lines):
    questions = read_questions(written(tmp_path, name, text))
    wanted = without_lines(EXPECTED)
    if isinstance(text, bytes) and b"\x00" in text:  # the text with a comma has a semicolon there, too
        wanted[1] = (*wanted[1][:2], ("no ink; see below", "E1"), *wanted[1][3:])
    assert without_lines(questions) == wanted
    assert [question.line for question in questions] == lines


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("docs.test/a.html", "https://docs.test/a.html"),
        ("localhost:8000/a", "https://localhost:8000/a"),
        ("/guide/a.html#b", "/guide/a.html#b"),
        ("https://docs.test/guide/*", "https://docs.test/guide/*"),
        ("file:///care/mesh.pdf#page=3", "file:///care/mesh.pdf#page=3"),
    ],
)
def test_urls_may_be_written_in_short(tmp_path, url, read):
    [question] = read_questions(written(tmp_path, "q.csv", f"query,url\nwhat?,{url}\n"))
    assert question.urls == (read,)


def test_a_cell_may_hold_several_urls(tmp_path):
    cell = "/a /b\n/a docs.test/c https://docs.test/d file:///my mesh.md"
    [question] = read_questions(written(tmp_path, "q.csv", f'query,urls\nwhat?,"{cell}"\n'))
    assert question.urls == ("/a", "/b", "https://docs.test/c", "https://docs.test/d", "file:///my mesh.md")


def test_one_text_may_be_asked_of_two_pages_but_not_twice_of_one(tmp_path):
    both = "query,url\nwhat?,/a\nwhat?,/b\n"
    assert len(read_questions(written(tmp_path, "q.csv", both))) == 2
    with pytest.raises(ConfigError, match=r"line 4: asks and expects what line 2 does"):
        read_questions(written(tmp_path, "q.csv", both + "What?,/a\n"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.csv", "", r"q.csv holds no entry: write a first line `query,url`"),
        ("q.csv", "query,url\n", r"holds no entry"),
        ("q.csv", "how do I start?,/a\n", r"line 1: must name the columns, and 'how do i start\?' is none"),
        ("q.csv", "query,ulr\nx,/a\n", r"line 1: .*'ulr' is none; did you mean url\?"),
        ("q.csv", "query,url\n\nx\n", r"line 3: it does not say what should be found: add url or quote"),
        ("q.csv", "query,url\n,/a\n", r"line 2: query must be one text that is not empty"),
        ("q.csv", "query,url\none, two\n", r"line 2: 'two' is no URL"),
        ("q.csv", "query,url\na,b,c\n", r"line 2: has 3 cells where the header has 2: put a text that holds ','"),
        ("q.csv", 'query,url\n"a" b,/a\n', r"line 2: is no row of a table"),
        ("q.csv", "query,url,k\na,/a,0\n", r"line 2: k must be a whole number from 1"),
        ("q.csv", "query,url,k\na,/a,many\n", r"line 2: k must be a whole number from 1"),
        ("q.csv", "query,url\na,install.html\n", r"line 2: 'install.html' is no URL: .*as in /guide/install.html"),
        ("q.csv", "query,url\na,https://\n", r"line 2: 'https://' is no URL"),
        ("q.csv", "query,quote\na,?!\n", r"line 2: the quote '\?!' has no word"),
        ("q.csv", "query,url,nothing\na,/a,yes\n", r"line 2: it says that nothing should be found, and what"),
        ("q.csv", "query,nothing\na,perhaps\n", r"line 2: nothing must be yes or no, not 'perhaps'"),
        ("q.csv", "query,url\na,/a\nä,/b\n".encode("latin-1"), r"line 3: is not written in UTF-8"),
        ("q.jsonl", "{", r"q.jsonl, line 1: is no JSON"),
        ("q.jsonl", '{"query": "x", "url": "/y"}\n"x"\n', r"line 2: must be an object"),
        ("q.jsonl", '{"query": "x", "url": "/y", "rank": 1}', r"line 1: there is no key 'rank'"),
        ("q.jsonl", '{"query": "x", "url": 3}', r"line 1: urls must be text, not 3"),
        ("q.jsonl", '{"query": "x", "url": "/y", "k": true}', r"line 1: k must be a whole number"),
        ("q.jsonl", '{"query": "x", "url": "/y", "k": 1e9}', r"line 1: k must be a whole number"),
        ("q.csv", f"query,url,k\nx,/y,{'9' * 5000}\n", r"line 2: k must be a whole number from 1 to 100"),
        ("q.jsonl", '{"query": "x", "url": "/y", "k": ' + "9" * 5000 + "}", r"line 1: is no JSON"),
        ("q.jsonl", '\n{"query": "x", "url": ' + "[" * 100_000, r"line 2: is no JSON"),
        ("q.jsonl", '{"query": "\\ud800", "url": "/y"}', r"line 1: query holds half of a character"),
        (
            "q.csv",
            "query,url\nx,https://me:secret@docs.test/y\n",
            r"user name and password out of https://docs.test/y$",
        ),
        ("q.json", '[{"query": "x", "url": "/y"}\n{"query": "z"}]', r"line 2: is no JSON: expected a comma"),
        ("q.json", '"x"', r"must be a list of questions"),
        ("q.json", "[", r"is no JSON"),
        ("q.toml", "[[question]]\nquery = \n", r"line 2: is no TOML"),
        ("q.toml", "[[questions]]\nquery = 'x'\n", r"there is no 'questions': begin each question with"),
        ("q.toml", "[[canary]]\nquery = 'x'\nurl = '/a'\n\n[[canary]]\nquery = 'y'\n", r"line 5: it does not say"),
        ("q.yaml", "- query: x\n", r"the ending says how questions are written: .csv, .json"),
    ],
)
def test_a_mistake_names_file_line_and_next_step(tmp_path, name, text, message):
    with pytest.raises(ConfigError, match=message):
        read_questions(written(tmp_path, name, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere.csv cannot be read: No such file"):
        read_questions(tmp_path / "nowhere.csv")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["q.csv", "q.tsv", "q.jsonl", "q.json", "q.toml"]),
    parts=st.lists(
        st.sampled_from(
            [
                "query",
                "url",
                "quote",
                ",",
                "\t",
                ";",
                "\n",
                '"',
                "{",
                "}",
                "[",
                "]",
                ":",
                "[[question]]",
                " = ",
                "/a",
                "*",
                "#",
            ]
        )
        | st.text(max_size=5),
        max_size=30,
    ),
)
def test_any_file_is_questions_or_a_mistake_that_names_it(tmp_path, name, parts):
    file = tmp_path / name
    file.write_bytes("".join(parts).encode("utf-8", "surrogatepass"))
    mistake, questions = "", []
    try:
        questions = read_questions(file)
    except ConfigError as error:
        mistake = str(error)
    assert all(question.nothing or (question.query and question.expected) for question in questions)
    assert bool(questions) != (str(file) in mistake)
