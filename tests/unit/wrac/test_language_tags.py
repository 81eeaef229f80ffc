from wrac.language_tags import primary_subtag


def test_the_primary_subtag_is_the_language_in_lower_case():
    assert [primary_subtag(tag) for tag in ("pt-BR", "zh_Hant_TW", "EN", " de", "")] == ["pt", "zh", "en", "de", ""]
