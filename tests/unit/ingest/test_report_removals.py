"""What filters removed, summed per template, with an alarm where content was among it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_up_runs import MadeUpSite, page_of

from ingest.archive import Kind
from ingest.codec import encode
from ingest.report.gather import build_report
from ingest.report.page import render_html
from ingest.report.records import Bounds
from ingest.report.removals import ELSEWHERE, MOST_PLACES, sum_removals
from wrac.records import PageMetadata, Removal


@pytest.fixture
def site(tmp_path):
    made = MadeUpSite(tmp_path)
    yield made
    made.ledger.close()


def cleaning(site, *pages, most=60, cleaned=100):
    """Each page: generator, and its removals as (rule, locator, characters, preview, holds)."""
    plain = site.record("x", page_of("X", "Some text."))
    records = []
    for number, (generator, removals) in enumerate(pages):
        record = replace(
            plain,
            url=f"https://docs.test/{number}",
            metadata=PageMetadata(generator=generator),
            removals=tuple(Removal(*removal) for removal in removals),
        )
        records.append(site.archive.put(Kind.PAGE, encode(record)))
    return sum_removals(site.archive, records, Bounds(cuts=most, cleaned=cleaned))


def test_pages_of_one_template_are_summed(site):
    menu = ("outside.navigation", "body > nav#menu-12", 30, "Home", ())
    found = cleaning(
        site,
        ("sphinx", [menu, ("consent.cmp-id", "div#cmp", 9, "Cookies", ())]),
        ("sphinx", [("outside.navigation", "body > nav#menu-7", 40, "Home", ())]),
        ("mkdocs", [menu]),
    )
    assert found.pages == 3
    assert [(t.generator, t.pages, t.characters) for t in found.templates] == [("sphinx", 2, 79), ("mkdocs", 1, 30)]
    assert [(c.rule, c.locator, c.pages, c.characters) for c in found.templates[0].cuts] == [
        ("outside.navigation", "body > nav#menu-#", 2, 70),
        ("consent.cmp-id", "div#cmp", 1, 9),
    ]
    assert found.alarms == ()


@pytest.mark.parametrize("kind", ["table", "code"])
@pytest.mark.parametrize("rule", ["outside.content", "furniture.related", "hidden.class"])
def test_a_table_or_code_is_an_alarm_whichever_rule_took_it(site, kind, rule):
    quiet = (rule, "div.note", 10, "a note", ())
    found = cleaning(site, ("", [quiet]), ("", [(rule, "div.note", 50, "the fees", (kind,))]))
    (alarm,) = found.alarms
    assert (alarm.holds, alarm.preview, alarm.example) == ((kind,), "the fees", "https://docs.test/1")
    assert not alarm.is_repeated


def test_a_list_is_an_alarm_unless_it_is_a_menu(site):
    steps = ("furniture.form", "div.steps", 50, "First", ("list",))
    menu = ("outside.navigation", "nav", 50, "Home", ("list",))
    assert [cut.rule for cut in cleaning(site, ("", [steps, menu])).alarms] == ["furniture.form"]


def test_the_same_text_on_page_after_page_is_called_furniture(site):
    keys = ("outside.content", "div#keys", 50, "Keys", ("table",))
    repeated = cleaning(
        site, *[("mkdocs", [keys])] * 1, *[("mkdocs", [keys, ("x", "y", 1, str(n), ())]) for n in range(5)]
    )
    (alarm,) = repeated.alarms
    assert alarm.is_repeated
    fresh = cleaning(site, *[("", [("outside.content", "div#fees", 50, f"fee {n}", ("table",))]) for n in range(6)])
    assert not fresh.alarms[0].is_repeated


def test_one_page_with_a_table_is_not_lost_among_many_with_the_same_menu(site):
    menu = ("outside.navigation", "nav", 50, "Home Guide", ("list",))
    found = cleaning(site, *[("", [menu])] * 6, ("", [(*menu[:4], ("list", "table"))]))
    (alarm,) = found.alarms
    assert (alarm.pages, alarm.content_pages, alarm.is_repeated) == (7, 1, False)
    assert alarm.example == "https://docs.test/6"


def test_alarms_are_listed_before_all_else_and_never_left_out(site):
    many = [("furniture.x", f"div.{'abcdefghij'[n % 10] * (n // 10 + 1)}", 1000, "text", ()) for n in range(90)]
    found = cleaning(site, ("", [*many, ("furniture.y", "div.fees", 5, "fees", ("table",))]), most=10)
    (template,) = found.templates
    assert template.cuts[0].rule == "furniture.y"
    assert (len(template.cuts), template.left_out) == (10, 81)


def test_endless_places_end_in_one(site):
    def name(number):
        return "".join("abcdefghij"[int(digit)] for digit in str(number))

    many = [("hidden.class", f"div.{name(n)}", 1, "x", ()) for n in range(MOST_PLACES + 50)]
    found = cleaning(site, ("", many), most=MOST_PLACES * 2)
    assert found.templates[0].characters == MOST_PLACES + 50
    (rest,) = [cut for cut in found.templates[0].cuts if cut.locator == ELSEWHERE]
    assert rest.characters == 50


def test_pages_beyond_the_bound_are_counted(site):
    found = cleaning(site, *[("sphinx", [("x", f"div.{n}", 1, "text", ())]) for n in "abcde"], cleaned=3)
    assert (found.pages, found.left_out) == (3, 2)


def test_the_alarm_stands_at_the_top_of_the_page(site):
    table = "<table><tr><th>berth</th><th>fee</th></tr><tr><td>north</td><td>twelve</td></tr></table>"
    html = page_of("Fees", "What a berth costs is said here in full.", before=f"<aside>{table}</aside>")
    page = render_html(build_report(site.ledger, site.archive, site.run({"fees": html})))
    assert "ALARM: a filter removed content (table) at 1 place." in page
    assert page.index("ALARM") < page.index("<main")
    calm = render_html(build_report(site.ledger, site.archive, site.run({"fees": page_of("Fees", "Nothing is cut.")})))
    assert "ALARM" not in calm
