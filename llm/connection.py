"""How a server is reached, and what its refusals mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import openai

from wrac.errors import ConfigError, TransientError

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_SECONDS = 60.0
MAX_RETRIES = 6
"""The client's own retries: backing off, Retry-After honoured, on 408, 409, 429, 5xx and broken connections."""
NO_KEY = "none"
"""Sent to a server of one's own that asks for no key; the client cannot do without one."""


def open_client(
    *,
    base_url: str,
    key_variable: str,
    environment: Mapping[str, str],
    timeout: float = TIMEOUT_SECONDS,
    max_retries: int = MAX_RETRIES,
    base_url_key: str = "embedder_base_url",
) -> openai.OpenAI:
    """A client for ``base_url`` (empty: the vendor's own) with the key that the variable ``key_variable`` holds.

    Raises ``ConfigError`` where there is neither a key nor a server of one's own, which ``base_url_key`` would name.
    """
    key = environment.get(key_variable, "")
    if not key and not base_url:
        raise ConfigError(
            f"the environment variable {key_variable} is not set: export it, or name a server of your own "
            f"({base_url_key} in wrac.toml)"
        )
    return openai.OpenAI(api_key=key or NO_KEY, base_url=base_url or None, timeout=timeout, max_retries=max_retries)


def raise_for(error: openai.APIError, *, where: str, key_variable: str, secret: str) -> NoReturn:
    """Raises what a failed call means for a run, for every failure that does not concern the content sent.

    ``TransientError`` after the retries are used up; ``ConfigError`` for a refused key or an unknown model or path.
    A failure that blames the content is raised as it is. ``secret`` never stands in a message.
    """
    if isinstance(error, openai.APIConnectionError):
        cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
        raise TransientError(f"{where} cannot be reached{cause}: check that the server runs, then try again") from None
    said = without_secret(_said(error), secret)
    status = getattr(error, "status_code", None)
    if status in (401, 403):
        raise ConfigError(f"{where} refused the key ({status}): check the variable {key_variable}. It said: {said}")
    if status == 404:
        raise ConfigError(f"{where} knows no such model or path (404): check model and base URL. It said: {said}")
    if status is not None and (status in (408, 409, 429) or status >= 500):
        raise TransientError(f"{where} answered {status} until the retries were used up: {said}") from None
    raise error


def without_secret(text: str, secret: str) -> str:
    """``text`` without the key, and without what a server echoes of one (``sk-...``)."""
    if secret and secret != NO_KEY:
        text = text.replace(secret, "***")
    return re.sub(r"\b(sk|pk|key)-[\w*.-]{6,}", "***", text)


def _said(error: openai.APIError) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        message = inner.get("message") if isinstance(inner, dict) else inner
        if message:
            return str(message)[:300]
    return " ".join(str(error.message).split())[:300]
