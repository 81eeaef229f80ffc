"""Configuration of the notification hook (``ingest.notify`` sends)."""

from __future__ import annotations

import shlex

from pydantic import Field, field_validator

from wrac.cron import parse_duration
from wrac.frozen import Frozen
from wrac.urls import request_url


class NotifySettings(Frozen):
    """Who is told of failures, losses and staleness (``[notify]`` in ``wrac.toml``); nobody unless set."""

    command: tuple[str, ...] = Field(
        (),
        description="Command that gets the notification as JSON on standard input; a string is split as a shell would, "
        "and no shell runs it.",
    )
    webhook: str = Field("", description="URL that gets the same JSON by POST; redirects are not followed.")
    webhook_env: str = Field(
        "", description="Name of an environment variable with that URL, where the URL is itself a secret."
    )
    stale_after: str = Field(
        "", description="A site whose last good run is older, e.g. `3d`, is told of; empty for never."
    )
    timeout: float = Field(10.0, gt=0, le=300, description="Seconds until the command or the webhook is given up.")

    @field_validator("command", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return tuple(shlex.split(value)) if isinstance(value, str) else value

    @field_validator("webhook")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if value and not request_url(value):
            raise ValueError("it is no absolute http or https URL, e.g. https://alerts.example.org/hook")
        return value

    @field_validator("stale_after")
    @classmethod
    def _duration(cls, value: str) -> str:
        if value:
            parse_duration(value)
        return value
