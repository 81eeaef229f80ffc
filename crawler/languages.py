"""Which URLs are known to be in another language than the profile asks for, learnt from hreflang alternates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wrac.urls import netloc_of, page_key, path_of, request_url

if TYPE_CHECKING:
    from collections.abc import Iterable


class LanguageScope:
    """Primary language subtags to keep (RFC 5646). Without any, everything is kept."""

    def __init__(self, languages: Iterable[str]) -> None:
        self._wanted = frozenset(map(_primary, languages))
        self._foreign_pages: dict[str, str] = {}
        self._foreign_folders: dict[tuple[str, str], str] = {}

    def learn(self, url: str, alternates: Iterable[tuple[str, str]]) -> None:
        """Remembers the alternates of the page at ``url`` that are in other languages.

        Where an alternate differs from the page by one path segment that names its language (``/en/a`` and ``/fr/a``),
        everything in that folder is known to be in that language.
        """
        if not self._wanted:
            return
        for language, target in alternates:
            alternate = request_url(target)
            if not alternate or language.lower() == "x-default" or self.keeps(language):
                continue
            self._foreign_pages[page_key(alternate)] = language
            if folder := _language_folder(request_url(url), alternate, language):
                self._foreign_folders[netloc_of(alternate), folder] = language

    def keeps(self, language: str) -> bool:
        """Whether text in ``language`` is wanted; unknown languages are."""
        return not self._wanted or not language or _primary(language) in self._wanted

    def foreign(self, url: str) -> str:
        """The unwanted language that a ``request_url`` is known to be in; empty where it is not known to be."""
        if not self._foreign_pages:
            return ""
        if language := self._foreign_pages.get(page_key(url)):
            return language
        netloc, path = netloc_of(url), path_of(url)
        for (host, folder), language in self._foreign_folders.items():
            if host == netloc and path.startswith(folder):
                return language
        return ""


def _primary(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].strip().lower()


def _language_folder(url: str, alternate: str, language: str) -> str:
    """The alternate's path up to and with the one segment in which the two differ, if it names the language."""
    own, other = path_of(url).split("/"), path_of(alternate).split("/")
    spellings = {language.lower(), language.lower().replace("-", "_"), _primary(language)}
    places = [index for index, segment in enumerate(other[:-1]) if segment.lower() in spellings]
    if len(places) != 1:
        return ""
    place = places[0]
    rest = other[place + 1 :]
    # The page's own path has a segment of its language there, or none (the default language at the root).
    if own[:place] == other[:place] and rest in (own[place + 1 :], own[place:]):
        return "/".join(other[: place + 1]) + "/"
    return ""
