"""Identities are functions of content and place alone."""

import subprocess
import sys
import uuid

from hypothesis import given
from hypothesis import strategies as st

from wrac.ids import digest, digest_of, page_id, point_id


def test_digest_is_blake2b_of_sixteen_bytes():
    # `printf abc | b2sum -l 128`, an independent implementation of RFC 7693.
    assert digest("abc") == "cf4ab791c62b8d2b2109c90275287816"
    assert digest(b"abc") == digest("abc")


def test_digest_takes_any_text_that_html_can_hold():
    assert digest("\ud800") != digest("\udfff")


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_parts_never_run_into_one_another(one, other):
    assert (digest_of(*one) == digest_of(*other)) == (one == other)


def test_point_id_is_a_uuid5_that_depends_on_every_part():
    parts = ("site", "page", "text", 0)
    first = point_id(*parts)
    assert uuid.UUID(first).version == 5
    assert point_id(*parts) == first
    for changed in (("x", *parts[1:]), ("site", "x", "text", 0), ("site", "page", "x", 0), ("site", "page", "text", 1)):
        assert point_id(*changed) != first


def test_ids_are_equal_in_another_process():
    code = "from wrac.ids import *; print(page_id('https://e.org/'), point_id('s', 'p', 't', 1))"
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert printed == [f"{page_id('https://e.org/')} {point_id('s', 'p', 't', 1)}"] * 2
