from dataclasses import dataclass, replace

import pytest
from made_up_crawls import fetched, html

from ingest.codec import decode, encode
from ingest.page import process_page
from ingest.page_records import PageRecord
from ingest.page_settings import PageSettings
from wrac.records import Link, PageMetadata, Usage


@pytest.fixture(scope="module")
def record():
    page = html("Buoy", "A green light.", "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>")
    return process_page(fetched("buoy.html", page), PageSettings()).record


def test_a_page_record_comes_back_equal(record):
    assert decode(PageRecord, encode(record)) == record


def test_equal_records_give_equal_bytes(record):
    assert encode(replace(record)) == encode(record)


def test_lone_surrogates_and_other_planes_survive():
    metadata = PageMetadata(title="\ud800 \U0001f6a2 \x00", breadcrumb=("a", "b"), alternates=(("de", "https://x/"),))
    assert decode(PageMetadata, encode(metadata)) == metadata


def test_a_later_version_reads_what_an_earlier_one_wrote():
    assert decode(Link, b'{"url":"https://x/"}') == Link("https://x/", nofollow=False)
    assert decode(Usage, b'{"input_tokens":3,"removed_since":1}') == Usage(input_tokens=3)


@pytest.mark.parametrize("data", [b"", b"[]", b"3", b'{"nofollow":true}', b"\xff", b'{"url":'])
def test_what_is_no_record_is_a_value_error(data):
    with pytest.raises(ValueError, match="no Link in the stored data"):
        decode(Link, data)


def test_only_records_are_stored():
    @dataclass
    class Holder:
        thing: object

    with pytest.raises(TypeError, match="object cannot be stored"):
        encode(Holder(object()))
