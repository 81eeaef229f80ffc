"""URLs as they are stored: no credential, a link that leads to the place."""

from __future__ import annotations

import pytest

from indexing.citation import cite, path_prefixes, public_url


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://docs.example.org/en/a.html", "https://docs.example.org/en/a.html"),
        ("https://user:secret@docs.example.org:8443/a", "https://docs.example.org:8443/a"),
        ("https://d.example/a?page=2&access_token=abc&lang=de#x", "https://d.example/a?page=2&lang=de"),
        ("https://d.example/a?X-Amz-Signature=ab&X-Amz-Credential=cd", "https://d.example/a"),
        ("https://d.example/a?api_key=1&apikey=2&sig=3&token=4&sessionid=5&jwt=6&auth=7", "https://d.example/a"),
        ("https://d.example/a?PHPSESSID=1&q=key", "https://d.example/a?q=key"),
        # A citation must not lead to another page: these name one.
        ("https://d.example/a?app=core&key=intro", "https://d.example/a?app=core&key=intro"),
        ("https://d.example/a?api=v2&client=x&code=404", "https://d.example/a?api=v2&client=x&code=404"),
        # Names that merely contain such a word tell of no credential.
        (
            "https://d.example/a?keyword=1&tokens=2&monkey=3&author=4",
            "https://d.example/a?keyword=1&tokens=2&monkey=3&author=4",
        ),
    ],
)
def test_credentials_are_left_out(url: str, stored: str) -> None:
    assert public_url(url) == stored


def test_a_citation_leads_to_the_place() -> None:
    assert cite("https://d.example/a", "install-it") == "https://d.example/a#install-it"
    assert cite("https://d.example/a", "öl wechsel") == "https://d.example/a#%C3%B6l%20wechsel"
    assert cite("https://d.example/a", "%C3%B6l") == "https://d.example/a#%C3%B6l"
    assert cite("https://d.example/a.pdf", page=3) == "https://d.example/a.pdf#page=3"
    assert cite("https://d.example/a") == "https://d.example/a"


@pytest.mark.parametrize(
    ("kind", "cited"),
    [("pdf", "a#page=3"), ("odp", "a#slide=3"), ("xlsx", "a#sheet=3"), ("docx", "a"), ("image", "a")],
)
def test_a_citation_names_the_page_by_what_the_document_calls_it(kind: str, cited: str) -> None:
    assert cite("https://d.example/a", page=3, kind=kind) == f"https://d.example/{cited}"


def test_every_folder_of_a_path_can_be_filtered_by() -> None:
    assert path_prefixes("https://d.example/en/guide/a.html") == ["/", "/en/", "/en/guide/", "/en/guide/a.html"]
    assert path_prefixes("https://d.example/en/") == ["/", "/en/"]
    assert path_prefixes("https://d.example") == ["/"]
