"""What the stages need to know of settings and site profile, and the recipes that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from chunking import RulePlanner, WindowLimits
from conversion import make_converter
from conversion.versions import DOCUMENT_CONVERTERS, TRANSCRIPTION
from filters import CleaningRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.config import Settings, SiteProfile
    from wrac.protocols import Converter

FILTERS = "filters/2"
"""Raised whenever the same body would be cleaned differently."""
CHUNKING = "tree/1 rule/2 assemble/1"
"""Raised whenever the same Markdown would give other chunks."""


@dataclass(frozen=True)
class PageSettings:
    """What the stages need to know of settings and site profile. Can be pickled; equal settings, equal results."""

    converter: str = "html"
    keep: tuple[str, ...] = ()
    strip: tuple[str, ...] = ()
    main: str = ""
    target_tokens: int = 170
    min_tokens: int = 80
    max_tokens: int = 400
    obey_robots: bool = True
    languages: tuple[str, ...] = ()
    transcriber: str = ""
    """The model that documents are transcribed by after this; empty where none is."""

    @classmethod
    def of(cls, settings: Settings, site: SiteProfile) -> PageSettings:
        """The settings of one site's pages."""
        return cls(
            converter=site.converter,
            keep=site.keep,
            strip=site.strip,
            main=site.main,
            target_tokens=settings.chunk_target_tokens,
            min_tokens=settings.chunk_min_tokens,
            max_tokens=settings.chunk_max_tokens,
            obey_robots=site.obey_robots,
            languages=site.languages,
            transcriber=settings.transcriber_model if site.transcriber == "llm" else "",
        )

    @property
    def conversion(self) -> str:
        """Recipe of a web page's Markdown."""
        rules = [f"{name}={','.join(value)}" for name, value in (("keep", self.keep), ("strip", self.strip)) if value]
        return " ".join([FILTERS, self.html_converter.name, *rules, *([f"main={self.main}"] if self.main else [])])

    @property
    def document_conversions(self) -> Mapping[str, str]:
        """Recipe of a document's Markdown, by the format that is read; no other converter is part of it."""
        if not self.transcriber:
            return DOCUMENT_CONVERTERS
        return {name: f"{made} {TRANSCRIPTION} {self.transcriber}" for name, made in DOCUMENT_CONVERTERS.items()}

    @property
    def planning(self) -> str:
        """Recipe of the chunks."""
        return f"{CHUNKING} window={self.min_tokens}/{self.target_tokens}/{self.max_tokens}"

    @cached_property
    def rules(self) -> CleaningRules:
        """The site's own cleaning rules."""
        return CleaningRules(keep=self.keep, strip=self.strip, main=self.main)

    @cached_property
    def limits(self) -> WindowLimits:
        """The token window."""
        return WindowLimits(target=self.target_tokens, minimum=self.min_tokens, maximum=self.max_tokens)

    @cached_property
    def html_converter(self) -> Converter:
        """The converter of HTML pages."""
        return make_converter(self.converter)

    @cached_property
    def planner(self) -> RulePlanner:
        """The planner."""
        return RulePlanner(self.limits)
