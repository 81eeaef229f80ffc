"""Where responses lead, and what is a login."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse, Response

from crawler.redirects import leads_to_login, redirect_target

URL = "https://docs.example.org/a/b"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/c", "https://docs.example.org/c"),
        ("c?utm_source=x#d", "https://docs.example.org/a/c"),
        ("//other.example.org/", "https://other.example.org/"),
        ("/café", "https://docs.example.org/caf%C3%A9"),
        ("file:///etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("", "https://docs.example.org/a/b"),
    ],
)
def test_location(location: str, target: str) -> None:
    assert redirect_target(Response(URL, status=301, headers={"Location": location.encode()})) == target


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=../new/">', "https://docs.example.org/new/"),
        ("<META HTTP-EQUIV=Refresh CONTENT='0;URL=/new'>", "https://docs.example.org/new"),
        ('<meta http-equiv="refresh" content="300">', ""),
        ('<meta http-equiv="refresh" content="300; url=/new">', ""),
        ("<p>http-equiv refresh</p>", ""),
        ('<meta http-equiv="refresh" content="0; url=/new">' + "x" * 20_000, ""),
    ],
)
def test_meta_refresh(body: str, target: str) -> None:
    assert redirect_target(HtmlResponse(URL, body=body.encode())) == target


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (URL, "https://docs.example.org/login?next=/a/b"),
        (URL, "https://docs.example.org/users/sign_in"),
        (URL, "https://docs.example.org/signin.aspx"),
        (URL, "https://docs.example.org/oauth2/start"),
        (URL, "https://login.example.org/common"),
        (URL, "https://accounts.example.com/o"),
    ],
)
def test_logins(source: str, target: str) -> None:
    assert leads_to_login(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (URL, "https://docs.example.org/a/b/"),
        (URL, "https://docs.example.org/authentication/"),
        ("https://docs.example.org/guides/login", "https://docs.example.org/guides/login/"),
        ("https://docs.example.org/sso", "https://docs.example.org/en/sso/"),
        (URL, "https://blog.example.org/"),
        (URL, "https://docs.example.org/login-page-design"),
    ],
)
def test_no_logins(source: str, target: str) -> None:
    assert not leads_to_login(source, target)
