"""A page whose bytes are not what it declares keeps its letters."""

from __future__ import annotations

import pytest

from filters.parse import decode

PAGE = '<html><head><meta charset="utf-8"></head><body><p>An English page about cafés. {}</p></body></html>'
FRENCH = "Le café à côté du musée où la fille élève naïve mange une crêpe."
POLISH = "Zażółć gęślą jaźń, potem wróć do źródła i sprawdź, czy coś się nie zmieniło w ciągu nocy."
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю, пока гости не пришли."
GREEK = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία και τη γράφω με ελληνικά γράμματα."
JAPANESE = "本日は晴天なり。港の入口では赤い灯火と緑の灯火が見えます。"
KOREAN = "항구 입구에서는 빨간 불빛과 초록 불빛이 보입니다. 천천히 들어오십시오."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Zürich", "cp1252"),
        ("naïve façade", "cp1252"),
        (FRENCH, "cp1252"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (GREEK, "cp1253"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
    ],
)
def test_bytes_that_are_no_utf8_under_a_declaration_of_utf8(text: str, encoding: str) -> None:
    page = PAGE.replace("cafés", "boats").format(text)
    assert decode(page.encode(encoding), "text/html; charset=utf-8") == page


@pytest.mark.parametrize(
    "label",
    "zlib_codec bz2 hex base64 rot13 uu quopri idna punycode undefined unicode_escape raw_unicode_escape "
    "x-user-defined no-such-charset".split(),
)
def test_a_declared_charset_that_is_no_charset_is_passed_over(label: str) -> None:
    page = f'<meta charset="{label}"><p>Za\\x1bżółć a\\u202eb {POLISH}'
    for body in (page.encode(), page.encode("cp1250")):
        assert decode(body, f"text/html; charset={label}") == page
