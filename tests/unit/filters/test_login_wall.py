"""A page that asks for credentials instead of showing content, and one that merely has a login box in its frame."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from filters import clean_page
from wrac.errors import LoginWall
from wrac.ids import digest
from wrac.records import CleanedPage, FetchedPage

BOX = '<form action="/session"><label>Sign in</label><input name="user"><input type="password" name="secret"></form>'
TEXT = "<h1>Signals</h1><p>A vessel at anchor rings the bell.</p>"


def clean(html: str) -> CleanedPage:
    body = html.encode()
    url = "https://docs.example/page.html"
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return clean_page(FetchedPage(url, url, 200, "text/html; charset=utf-8", body, moment, digest(body)))


@pytest.mark.parametrize(
    "html",
    [
        f"<body><header>{BOX}</header><main>{TEXT}</main></body>",
        f"<body><header>{BOX}</header><div>{TEXT}</div></body>",
        f"<body><aside>{BOX}</aside><article>{TEXT}</article></body>",
        f"<body><main>{TEXT}</main><div id=login-box>{BOX}</div></body>",
    ],
    ids=["header and main", "header without main", "aside", "box after main"],
)
def test_a_short_page_with_a_login_box_in_its_frame_is_a_page(html: str) -> None:
    cleaned = clean(html)
    assert "rings the bell" in cleaned.root.text_content()
    assert "Sign in" not in cleaned.root.text_content()


@pytest.mark.parametrize(
    "html",
    [
        f"<body><main><h1>Log in</h1>{BOX}</main></body>",
        f"<body><h1>Log in</h1>{BOX}</body>",
        f"<body><div class=page><p>Members only.</p>{BOX}</div></body>",
    ],
    ids=["in main", "bare", "with a sentence"],
)
def test_a_login_page_is_a_wall(html: str) -> None:
    with pytest.raises(LoginWall, match=r"page\.html"):
        clean(html)
