"""Which URLs are known to be in another language than the profile asks for, from hreflang alternates and from paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wrac.language_tags import primary_subtag
from wrac.urls import netloc_of, page_key, path_of, request_url

if TYPE_CHECKING:
    from collections.abc import Iterable

_CODES = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj
kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv
ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_LANGUAGES = frozenset(_CODES.split())
"""ISO 639-1."""
_TAG = re.compile(r"[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|[0-9]{3}))?", re.IGNORECASE)


class LanguageScope:
    """Primary language subtags to keep (RFC 5646). Without any, everything is kept."""

    def __init__(self, languages: Iterable[str]) -> None:
        self._wanted = frozenset(map(primary_subtag, languages))
        self._foreign_pages: dict[str, str] = {}
        self._foreign_folders: dict[tuple[str, str], str] = {}
        self._places: set[str] = set()
        """Folders of the site whose sub-folders are named after languages: a wanted one was met there."""

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
        return not self._wanted or not language or primary_subtag(language) in self._wanted

    def foreign(self, url: str) -> str:
        """The unwanted language that a ``request_url`` is known to be in; empty where it is not known to be.

        A path tells it only beside a wanted language: once ``/docs/en/`` was met, ``/docs/fr/`` is French.
        """
        if not self._wanted:
            return ""
        if language := self._foreign_pages.get(page_key(url)):
            return language
        netloc, path = netloc_of(url), path_of(url)
        for (host, folder), language in self._foreign_folders.items():
            if host == netloc and path.startswith(folder):
                return language
        return self._foreign_by_path(netloc, path)

    def _foreign_by_path(self, netloc: str, path: str) -> str:
        segments = path.split("/")
        for index, segment in enumerate(segments[1:-1], start=1):
            if _TAG.fullmatch(segment) and primary_subtag(segment) in _LANGUAGES:
                place = netloc + "/".join(segments[:index])
                if primary_subtag(segment) in self._wanted:
                    self._places.add(place)
                elif place in self._places:
                    return segment
        return ""


def _language_folder(url: str, alternate: str, language: str) -> str:
    """The alternate's path up to and with the one segment in which the two differ, if it names the language."""
    own, other = path_of(url).split("/"), path_of(alternate).split("/")
    spellings = {language.lower(), language.lower().replace("-", "_"), primary_subtag(language)}
    places = [index for index, segment in enumerate(other[:-1]) if segment.lower() in spellings]
    if len(places) != 1:
        return ""
    place = places[0]
    rest = other[place + 1 :]
    # The page's own path has a segment of its language there, or none (the default language at the root).
    if own[:place] == other[:place] and rest in (own[place + 1 :], own[place:]):
        return "/".join(other[: place + 1]) + "/"
    return ""
