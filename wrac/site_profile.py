"""What a site is: the models of ``sites/NAME.toml``."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from cssselect import HTMLTranslator, SelectorError
from pydantic import Field, field_validator, model_validator

from wrac.cron import parse_cron, parse_duration, zone_of
from wrac.frozen import Frozen
from wrac.language_tags import primary_subtag
from wrac.urls import request_url, without_credentials

if TYPE_CHECKING:
    from typing import Self


class AuthProfile(Frozen):
    """Names of environment variables, never values."""

    header_env: dict[str, str] = Field(
        default_factory=dict, description="Header name -> environment variable with its value."
    )


class SiteProfile(Frozen):
    """What a site is (``sites/NAME.toml``); every key has a default but ``start_urls``."""

    name: str = Field("", description="Tenant key in the collection; the file's name unless set.")
    start_urls: tuple[str, ...] = Field(min_length=1, description="Where the crawl starts.")
    collection: str = Field("docs", description="Collection (and alias) that the site is published into.")
    schedule: str = Field(
        "",
        description="When the site is crawled: five fields of cron, e.g. `0 3 * * 1`; "
        "empty for never by `wrac schedule`, and by `wrac due` when its pages are due.",
    )
    timezone: str = Field("UTC", description="IANA time zone of the schedule, e.g. `Europe/Berlin`.")
    allow: tuple[str, ...] = Field((), description="Path prefixes in scope; empty for the start URLs' own folders.")
    deny: tuple[str, ...] = Field((), description="Path prefixes out of scope; wins over allow.")
    languages: tuple[str, ...] = Field(
        (), description="Languages to keep, e.g. `en`; regions make no difference; empty for all."
    )
    versions: Literal["newest", "all"] = Field(
        "all", description="`newest` keeps one version where paths differ by version only."
    )
    sitemap: bool = Field(True, description="Discover pages by robots.txt `Sitemap:` lines and /sitemap.xml.")
    follow_links: bool = Field(True, description="Discover pages by links.")
    max_pages: int = Field(20_000, ge=1, description="Pages fetched at most in one run.")
    max_depth: int = Field(20, ge=0, description="Links followed from the start at most.")
    max_per_pattern: int = Field(
        500, ge=1, description="Pages at most whose URLs differ only in numbers or query values."
    )
    recheck_min: str = Field(
        "", description="A page is looked at again no sooner than this after it changed, e.g. `12h`; see recheck_max."
    )
    recheck_max: str = Field(
        "",
        description="A page that does not change is looked at less and less often, at least this often, e.g. `14d`; "
        "empty to look at every page in every run.",
    )
    missing_runs: int = Field(
        2, ge=1, description="Runs in a row that must find a page missing (404) before it is withdrawn."
    )
    keep_below: float = Field(
        0.2, ge=0, le=1, description="A page left with less than this share of its content keeps what is published."
    )
    loss_guard: float = Field(
        0.1,
        ge=0,
        le=1,
        description="A publish that would lose a larger share of the site's pages or content is stopped; 1 never is.",
    )
    canaries: str = Field(
        "",
        description="File of questions and the URLs or quotes that answer them (docs/evaluation.md); a collection that "
        "is built anew is only switched to where all of them are found.",
    )
    delay: float = Field(
        0.25, ge=0, description="Least seconds between two requests to one host; Crawl-delay raises it."
    )
    concurrency: int = Field(4, ge=1, le=64, description="Requests to one host at a time.")
    timeout: float = Field(60.0, gt=0, description="Seconds until a download is given up.")
    max_body_mib: int = Field(32, ge=1, description="Larger bodies are refused.")
    obey_robots: bool = Field(True, description="Obey robots.txt, Crawl-delay, noindex and nofollow.")
    user_agent: str = Field("", description="Sent instead of the product's own user agent.")
    contact: str = Field(
        "", description="URL or address put into the user agent, so that a site's owner can reach you."
    )
    converter: Literal["html", "markdownify"] = Field("html", description="How HTML becomes Markdown.")
    planner: Literal["rule", "llm"] = Field(
        "rule", description="How units are grouped: by rule, without a key; or by the model `planner_model`."
    )
    transcriber: Literal["none", "llm"] = Field(
        "none",
        description="How documents become Markdown: by the converters of their formats, without a key; or by the "
        "multimodal model `transcriber_model`, every page checked.",
    )
    keep: tuple[str, ...] = Field((), description="CSS selectors that no filter may remove.")
    strip: tuple[str, ...] = Field((), description="CSS selectors that are always removed.")
    main: str = Field("", description="CSS selector of the content element; empty to find it.")
    allow_private: tuple[str, ...] = Field(
        (), description="Hosts, addresses or networks on private ranges that may be fetched."
    )
    auth: AuthProfile = Field(AuthProfile(), description="Credentials, by name of environment variable.")

    @field_validator("start_urls", mode="before")
    @classmethod
    def _one_is_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("start_urls")
    @classmethod
    def _absolute(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for url in value:
            if not request_url(url):
                shown = without_credentials(url)
                raise ValueError(f"{shown!r} is no absolute http or https URL, e.g. https://docs.example.org/")
            if (shown := without_credentials(url)) != url:
                raise ValueError(
                    f"{shown} was given with a user name or password before its host; they would stand in logs and "
                    "are not sent. Leave them out and name an environment variable with the header under `[auth]`: "
                    'header_env = { Authorization = "DOCS_AUTH" }, where DOCS_AUTH is "Basic ..." or "Bearer ..."'
                )
        return value

    @field_validator("schedule")
    @classmethod
    def _cron(cls, value: str) -> str:
        if value:
            parse_cron(value)
        return value

    @field_validator("recheck_min", "recheck_max")
    @classmethod
    def _duration(cls, value: str) -> str:
        if value:
            parse_duration(value)
        return value

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        zone_of(value)
        return value

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        shortest, longest = self.recheck
        if shortest > longest:
            raise ValueError(
                f"recheck_min ({self.recheck_min}) must not be above recheck_max ({self.recheck_max or 'empty'})"
            )
        return self

    @property
    def recheck(self) -> tuple[timedelta, timedelta]:
        """Least and greatest time between two looks at a page; twice zero to look in every run."""
        shortest, longest = (
            parse_duration(value) if value else timedelta(0) for value in (self.recheck_min, self.recheck_max)
        )
        return shortest, longest

    @field_validator("languages")
    @classmethod
    def _subtags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(primary_subtag, value))

    @field_validator("keep", "strip", "main")
    @classmethod
    def _selectors(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for css in (value,) if isinstance(value, str) else value:
            try:
                HTMLTranslator().css_to_xpath(css or "*")
            except SelectorError as error:
                raise ValueError(f"{css!r} is no CSS selector: {error}") from error
        return value
