"""What hreflang alternates tell about URLs that were not fetched yet."""

from __future__ import annotations

from crawler.languages import LanguageScope

ROOT = "https://docs.example.org"


def test_without_languages_everything_is_kept() -> None:
    scope = LanguageScope(())
    scope.learn(f"{ROOT}/en/a", [("fr", f"{ROOT}/fr/a")])
    assert scope.foreign(f"{ROOT}/fr/a") == ""
    assert scope.keeps("fr")


def test_alternates_in_other_languages_are_foreign() -> None:
    scope = LanguageScope(["en"])
    scope.learn(f"{ROOT}/a", [("fr", f"{ROOT}/a?lang=fr"), ("en-GB", f"{ROOT}/b"), ("x-default", f"{ROOT}/c")])
    assert scope.foreign(f"{ROOT}/a?lang=fr") == "fr"
    assert scope.foreign(f"{ROOT}/b") == scope.foreign(f"{ROOT}/c") == ""
    assert scope.keeps("en_US")
    assert scope.keeps("")
    assert not scope.keeps("pt-BR")


def test_a_folder_named_after_the_language_is_foreign_as_a_whole() -> None:
    scope = LanguageScope(["en"])
    scope.learn(f"{ROOT}/docs/en/a/b", [("pt-BR", f"{ROOT}/docs/pt-br/a/b"), ("de", f"{ROOT}/docs/de/a/b")])
    assert scope.foreign(f"{ROOT}/docs/de/other") == "de"
    assert scope.foreign(f"{ROOT}/docs/pt-br/other") == "pt-BR"
    assert scope.foreign(f"{ROOT}/docs/en/other") == ""
    assert scope.foreign(f"{ROOT}/docs/denmark") == ""


def test_the_default_language_may_live_at_the_root() -> None:
    scope = LanguageScope(["en"])
    scope.learn(f"{ROOT}/guide/a", [("fr", f"{ROOT}/fr/guide/a")])
    assert scope.foreign(f"{ROOT}/fr/other") == "fr"


def test_a_segment_that_is_no_language_is_not_learnt() -> None:
    scope = LanguageScope(["en"])
    scope.learn(f"{ROOT}/en/it/a", [("it", f"{ROOT}/it/it/a")])
    assert scope.foreign(f"{ROOT}/it/it/a") == "it"
    assert scope.foreign(f"{ROOT}/it/other") == ""


def test_a_path_tells_the_language_beside_a_wanted_one() -> None:
    scope = LanguageScope(["en"])
    assert scope.foreign(f"{ROOT}/docs/fr/a") == "", "nothing says yet that languages stand here"
    assert scope.foreign(f"{ROOT}/docs/en-US/a") == ""
    assert scope.foreign(f"{ROOT}/docs/fr/a") == "fr"
    assert scope.foreign(f"{ROOT}/docs/zh-Hans/a") == "zh-Hans"
    assert scope.foreign(f"{ROOT}/docs/js/a") == "", "no language"
    assert scope.foreign(f"{ROOT}/api/fr/a") == "", "another place"
    assert scope.foreign(f"{ROOT}/docs/fr") == "", "a page, no folder"
