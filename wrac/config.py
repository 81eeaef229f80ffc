"""Configuration: ``wrac.toml`` and ``WRAC_*`` say what to do with a page, ``wrac.site_profile`` what a site is.

Values come, strongest first, from the environment (``WRAC_DATA_DIR``, ``WRAC_EMBEDDER``, ...), from ``wrac.toml`` in
the working directory, and from the defaults here. Secrets come from the environment only. Every mistake is a
``ConfigError`` that names the file and the key.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from wrac.errors import ConfigError, did_you_mean
from wrac.frozen import Frozen
from wrac.notify import NotifySettings
from wrac.site_profile import AuthProfile, SiteProfile
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

__all__ = [
    "DEFAULT_SITE",
    "SITES_DIR",
    "AuthProfile",
    "PriceEntry",
    "Settings",
    "SiteProfile",
    "load_settings",
    "load_site",
    "site_from_url",
]

SITES_DIR = Path("sites")
SETTINGS_FILE = Path("wrac.toml")
ENVIRONMENT_PREFIX = "WRAC_"
DEFAULT_SITE = "docs_site"

_Model = TypeVar("_Model", bound=BaseModel)


class PriceEntry(Frozen):
    """US dollars per million tokens of one model (``[prices."MODEL"]`` in ``wrac.toml``)."""

    input: float = Field(ge=0, description="Input that was not cached.")
    output: float = Field(ge=0, description="Output, hidden reasoning included.")
    cached: float | None = Field(None, ge=0, description="Cached input; as `input` unless set.")


class Settings(Frozen):
    """What to do with a page, and where everything that is kept lives (``wrac.toml``)."""

    data_dir: Path = Field(
        Path(".wrac"), description="Folder of ledger, archive, embedded collection, downloaded models and locks."
    )
    store: str = Field(
        "",
        description="Where the collection lives: empty for DATA_DIR/qdrant, `edge:FOLDER` (`edge:` for DATA_DIR/edge) "
        "for Qdrant's faster engine in the process, else the URL of a Qdrant server.",
    )
    store_api_key_env: str = Field(
        "QDRANT_API_KEY", description="Name of the environment variable with the server's key."
    )
    ledger: str = Field("", description="SQLAlchemy URL of the ledger; empty for DATA_DIR/ledger.sqlite.")
    archive: str = Field("", description="fsspec URL of the archive; empty for DATA_DIR/archive.")
    embedder: str = Field(
        "minilm",
        description="`minilm` (embedded, English), `fastembed:MODEL` or `openai:MODEL` (OpenAI-compatible).",
    )
    embedder_base_url: str = Field(
        "", description="Base URL for `openai:` embedders; empty for the client's own default."
    )
    embedder_dimension: int = Field(0, ge=0, description="Dimension of an `openai:` embedder; 0 asks the model once.")
    embedder_max_tokens: int = Field(0, ge=0, description="Longest input of an `openai:` embedder; 0 for 8,191.")
    embedder_api_key_env: str = Field("OPENAI_API_KEY", description="Name of the environment variable with the key.")
    window_tokens: int = Field(
        120, ge=16, description="Tokens of one embedded window, counted by the embedder's tokenizer."
    )
    search_dense_weight: float = Field(
        0.5, ge=0, le=1, description="Share of meaning, beside words, in the score of a hit."
    )
    search_page_weight: float = Field(
        0.25, ge=0, le=1, description="What the best score of a hit's page weighs beside its own, which weighs 1."
    )
    rerank: bool = Field(False, description="Rerank the best hits of every search (`wrac search --no-rerank`: not so).")
    reranker: str = Field(
        "",
        description="`fastembed:MODEL` (a cross-encoder in this process) or `cohere:MODEL` (a server); empty for none.",
    )
    reranker_hits: int = Field(30, ge=1, le=100, description="Hits that are reranked.")
    reranker_base_url: str = Field(
        "",
        description="Base URL of a `cohere:` reranker, to which `/rerank` is added, e.g. `https://api.cohere.com/v2`.",
    )
    reranker_api_key_env: str = Field("COHERE_API_KEY", description="Name of the environment variable with its key.")
    reranker_timeout: float = Field(
        10.0,
        gt=0,
        le=300,
        description="Seconds until a `cohere:` server is given up and hits stand as they were ranked.",
    )
    chunk_target_tokens: int = Field(170, ge=20, description="Size that joined sections aim at.")
    chunk_min_tokens: int = Field(80, ge=0, description="Below this a section joins a neighbour where one fits.")
    chunk_max_tokens: int = Field(400, ge=40, description="Exceeded only by a procedure or an atom.")
    workers: int = Field(0, ge=0, le=256, description="Worker processes for cleaning and planning; 0 for one per core.")
    planner_model: str = Field("gpt-4.1-mini", description='Model of sites with `planner = "llm"`.')
    planner_base_url: str = Field(
        "", description="Base URL of the planner's OpenAI-compatible server; empty for the client's own default."
    )
    planner_api_key_env: str = Field("OPENAI_API_KEY", description="Name of the environment variable with its key.")
    planner_preview: Literal["none", "headings", "words", "full"] = Field(
        "words", description="How much of each unit's text the model sees: nothing, headings, first words, or all."
    )
    planner_preview_words: int = Field(15, ge=1, description='Words of a unit that `planner_preview = "words"` shows.')
    planner_input_tokens: int = Field(
        12_000, ge=500, description="Tokens of a page that one call shows at most; larger pages take several calls."
    )
    planner_concurrency: int = Field(4, ge=1, le=64, description="Calls to the model under way at a time.")
    planner_timeout: float = Field(180.0, gt=0, description="Seconds until a call to the model is given up.")
    planner_retries: int = Field(
        6, ge=0, description="Times that a failed call is tried again; a server's Retry-After is honoured."
    )
    transcriber_model: str = Field(
        "gpt-4.1-mini", description='Multimodal model that documents are transcribed by (`transcriber = "llm"`).'
    )
    transcriber_base_url: str = Field(
        "", description="Base URL of its OpenAI-compatible server; empty for the client's own default."
    )
    transcriber_api_key_env: str = Field("OPENAI_API_KEY", description="Name of the environment variable with its key.")
    transcriber_batch_pages: int = Field(5, ge=1, le=20, description="Pages of one call; fewer after a cut-off reply.")
    transcriber_concurrency: int = Field(5, ge=1, le=64, description="Calls to the transcriber under way at a time.")
    transcriber_output_tokens: int = Field(8_192, ge=500, description="Output tokens of one call at most.")
    transcriber_image_tokens: str = Field(
        "auto",
        description="How it counts pictures, for caps and estimates: `auto` (by the model's name), `tiles`, `patches`, "
        "`area`, `google`, or the tokens of one page.",
    )
    transcriber_timeout: float = Field(180.0, gt=0, description="Seconds until a call to it is given up.")
    transcriber_retries: int = Field(
        6, ge=0, description="Times that a failed call is tried again; a server's Retry-After is honoured."
    )
    max_page_tokens: int = Field(
        0,
        ge=0,
        description="Input and output tokens that planning one page, or transcribing one page of a document, may bill; "
        "0 for no cap.",
    )
    max_page_dollars: float = Field(0.0, ge=0, description="The same in US dollars; 0 for no cap.")
    max_run_tokens: int = Field(
        0,
        ge=0,
        description="Tokens that one run may bill, embeddings included; then it goes on by rule. 0 for no cap.",
    )
    max_run_dollars: float = Field(0.0, ge=0, description="The same in US dollars; 0 for no cap.")
    max_site_tokens: int = Field(
        0, ge=0, description="Tokens that all runs of a site together may bill, embeddings included; 0 for no cap."
    )
    max_site_dollars: float = Field(0.0, ge=0, description="The same in US dollars; 0 for no cap.")
    prices: dict[str, PriceEntry] = Field(
        default_factory=dict, description="Prices of models, before those of `llm/prices.toml`; see below."
    )
    allow_unpriced: bool = Field(False, description="Plan by a model whose price is not known, as a local one.")
    notify: NotifySettings = Field(NotifySettings.model_validate({}), description="Who is told of failures; see below.")

    @field_validator("prices", "notify", mode="before")
    @classmethod
    def _tables_from_environment(cls, value: object) -> object:
        return json.loads(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _window_in_order(self) -> Self:
        minimum, target, maximum = self.chunk_min_tokens, self.chunk_target_tokens, self.chunk_max_tokens
        if not minimum <= target <= maximum:
            raise ValueError(
                f"chunk_min_tokens ({minimum}), chunk_target_tokens ({target}) and chunk_max_tokens ({maximum}) "
                "must not decrease in this order"
            )
        return self

    @property
    def store_place(self) -> str:
        """Where the collection lies, for a person: a folder, or a URL without user name and password."""
        return without_credentials(self.store) if self.store_folder is None else str(self.store_folder)

    @property
    def store_folder(self) -> Path | None:
        """Folder of the embedded collection; None where it lies in memory or on a server."""
        kind, mark, path = self.store.partition(":")
        if mark and kind == "edge":
            return Path(path).expanduser() if path else self.data_dir / "edge"
        return None if self.store else self.data_dir / "qdrant"

    @property
    def ledger_url(self) -> str:
        """SQLAlchemy URL of the ledger."""
        return self.ledger or f"sqlite:///{self.data_dir / 'ledger.sqlite'}"

    @property
    def archive_url(self) -> str:
        """fsspec URL, or path, of the archive."""
        return self.archive or str(self.data_dir / "archive")


def load_settings(
    file: Path = SETTINGS_FILE, environment: Mapping[str, str] | None = None, **overrides: object
) -> Settings:
    """Settings from ``overrides``, the environment, ``file`` (which may be missing) and the defaults, in that order."""
    env = os.environ if environment is None else environment
    values: dict[str, Any] = dict(_read_toml(file)) if file.exists() else {}
    variables = {key: ENVIRONMENT_PREFIX + key.upper() for key in Settings.model_fields}
    variables = {key: name for key, name in variables.items() if name in env}
    values.update({key: env[name] for key, name in variables.items()})
    values.update({key: value for key, value in overrides.items() if value is not None})
    return _validated(Settings, values, str(file), variables)


def load_site(name: str, folder: Path = SITES_DIR, **overrides: object) -> SiteProfile:
    """The profile ``folder/NAME.toml`` with ``overrides``; where it is missing, the error says what to write."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ConfigError(f"site name {name!r}: use letters, digits, '.', '_' and '-' only")
    file = folder / f"{name}.toml"
    if not file.exists():
        raise ConfigError(
            f"{file} does not exist. Write it with at least this line:\n\n"
            f'    start_urls = ["https://docs.example.org/"]\n\n'
            f"or crawl without a file: wrac crawl https://docs.example.org/ "
            f"(the same as scrapy crawl docs_site -a url=https://docs.example.org/)"
        )
    given = dict.fromkeys(overrides, "command line")
    return _validated(SiteProfile, {"name": name, **_read_toml(file), **overrides}, str(file), given)


def site_from_url(url: str, **overrides: object) -> SiteProfile:
    """A profile without a file, named after the URL's host (and port)."""
    full = url if "://" in url else f"https://{url}"
    try:
        host = urlsplit(full).netloc.rpartition("@")[2]
    except ValueError as error:
        raise ConfigError(f"{full} is no URL: {error}") from error
    name = re.sub(r"[^a-z0-9.-]+", "-", (host or "site").lower())
    values = {"name": name, "start_urls": (full,), **overrides}
    return _validated(SiteProfile, values, without_credentials(full), dict.fromkeys(overrides, "command line"))


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error


def _validated(
    model: type[_Model], values: Mapping[str, Any], source: str, elsewhere: Mapping[str, str] | None = None
) -> _Model:
    """``elsewhere`` has the keys that do not come from ``source``, with what a person knows their origin by."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        mistakes = error.errors(include_url=False, include_context=False)
        origins = elsewhere or {}
        if all(mistake["loc"] and mistake["loc"][0] in origins for mistake in mistakes):
            source = "the configuration"
        lines = [f"  {_place(mistake['loc'], origins)}: {_mistake(mistake, model)}" for mistake in mistakes]
        raise ConfigError(f"{source} is not valid:\n" + "\n".join(lines)) from error


def _place(keys: tuple[int | str, ...], origins: Mapping[str, str]) -> str:
    place = ".".join(map(str, keys)) or "(file)"
    origin = origins.get(str(keys[0])) if keys else None
    return f"{place} ({origin})" if origin else place


def _mistake(mistake: Mapping[str, Any], model: type[BaseModel]) -> str:
    keys = mistake["loc"]
    if mistake["type"] != "extra_forbidden":
        return str(mistake["msg"])
    return "there is no such key" + (did_you_mean(str(keys[0]), model.model_fields) if len(keys) == 1 else "")
