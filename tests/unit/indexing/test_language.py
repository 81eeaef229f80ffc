"""What a question's script and function words tell."""

from __future__ import annotations

import pytest

from indexing.language import DICTIONARIES, STOPWORDS_FOLDER, guess_language
from indexing.sparse import prepare


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How do I reset my password?", "en"),
        ("Wie setze ich das Passwort zurück?", "de"),
        ("Comment est-ce que je change le mot de passe ?", "fr"),
        ("¿Cómo puedo cambiar la contraseña de mi cuenta?", "es"),
        ("Как сбросить пароль?", "ru"),
        ("Πώς αλλάζω τον κωδικό;", "el"),
        ("パスワードをリセットする方法", "ja"),
        ("如何重置密码", "zh"),
        ("비밀번호 재설정", "ko"),
        ("كيف أغير كلمة المرور", "ar"),
        ("docker compose 設定方法", "zh"),
        ("reset password", ""),
        ("E4711", ""),
        ("", ""),
    ],
)
def test_guessed(question: str, language: str) -> None:
    assert guess_language(question) == language


def test_every_dictionary_has_function_words_that_can_match() -> None:
    for name in set(DICTIONARIES.values()):
        words = (STOPWORDS_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert len(words) > 100, name
        assert len(set(words)) == len(words), name
        # fastembed compares them with lower-case runs of word characters.
        assert [word for word in words if prepare(word) != word or word.lower() != word or not word.isalpha()] == []
