from itertools import permutations

from ingest.canonicals import HeldPage, settle


def held(page, canonical):
    return HeldPage(page, f"https://x/{page}", canonical, f"https://x/{canonical}")


def verdicts(pages, indexed=(), shared=1.0):
    """Page -> what it is a variant of, the same for every order in which the pages may have been met."""
    results = [
        {v.page.page_id: v.variant_of for v in settle(order, set(indexed).__contains__, lambda a, b: shared)}
        for order in permutations(pages)
    ]
    assert all(result == results[0] for result in results)
    return results[0]


def test_a_variant_of_an_indexed_page():
    assert verdicts([held("a", "b")], indexed="b") == {"a": "b"}


def test_a_canonical_that_is_not_indexed_is_not_honoured():
    assert verdicts([held("a", "b")]) == {"a": ""}


def test_a_canonical_with_other_content_is_not_honoured():
    assert verdicts([held("a", "b")], indexed="b", shared=0.5) == {"a": ""}


def test_a_chain_leads_to_its_end():
    assert verdicts([held("a", "b"), held("b", "c")], indexed="c") == {"a": "c", "b": "c"}


def test_the_end_of_a_chain_that_is_not_indexed_leaves_its_last_page():
    assert verdicts([held("a", "b"), held("b", "c")]) == {"a": "b", "b": ""}


def test_of_a_ring_the_shortest_url_stays():
    assert verdicts([held("aa", "b"), held("b", "aa")]) == {"aa": "b", "b": ""}
    ring = [held("a", "b"), held("b", "c"), held("c", "a")]
    assert verdicts(ring) == {"a": "", "b": "a", "c": "a"}


def test_a_tail_that_leads_into_a_ring():
    pages = [held("x", "b"), held("a", "b"), held("b", "a")]
    assert verdicts(pages) == {"x": "a", "a": "", "b": "a"}
