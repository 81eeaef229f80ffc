"""Spider arguments (``-a NAME=VALUE``) to a site profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_origin

from wrac.config import DEFAULT_SITE, SITES_DIR, SiteProfile, load_site, site_from_url
from wrac.errors import ConfigError, did_you_mean
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NOT_OVERRIDDEN = frozenset({"start_urls", "auth"})
_OF_THE_RUN = ("url", "site", "accept_loss")
_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


def profile_from_arguments(arguments: Mapping[str, Any], folder: Path = SITES_DIR) -> SiteProfile:
    """The profile that ``url=`` or ``site=`` names, with every other argument put over one of its keys.

    ``url=`` needs no file; without either, the profile is ``sites/docs_site.toml``. Lists are written with commas.
    Raises ``ConfigError``.
    """
    overrides = {key: _value(key, value) for key, value in arguments.items() if key not in _OF_THE_RUN}
    url, site = arguments.get("url"), arguments.get("site")
    if url and site:
        raise ConfigError("give either url= or site=, not both: the profile of a site names its start URLs")
    if url:
        return site_from_url(str(url).strip(), **overrides)
    return load_site(str(site or DEFAULT_SITE), folder, **overrides)


def accepts_loss(arguments: Mapping[str, Any]) -> bool:
    """Whether ``accept_loss=true`` was given: a person looked, and the loss guard lets the publish pass."""
    given = str(arguments.get("accept_loss") or "").strip().lower()
    if given not in _YES | _NO:
        raise ConfigError(f"accept_loss={given}: use true or false")
    return given in _YES


def _value(key: str, value: Any) -> Any:
    field = SiteProfile.model_fields.get(key)
    if field is None or key in _NOT_OVERRIDDEN:
        known = [*_OF_THE_RUN, *sorted(set(SiteProfile.model_fields) - _NOT_OVERRIDDEN)]
        raise ConfigError(
            f"{key}={without_credentials(str(value))}: there is no key {key}{did_you_mean(key, known)}\n"
            f"  Known are {', '.join(known)}"
        )
    if isinstance(value, str) and get_origin(field.annotation) is tuple:
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value
