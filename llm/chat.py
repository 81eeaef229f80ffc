"""Chat completions of any OpenAI-compatible server: one request, one reply that says how it ended.

Chat Completions rather than Responses for reach: every compatible server speaks it. What a server refuses (a strict
schema, JSON mode, a temperature, the newer name of the output limit) is left out from then on, and only that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

import openai

from llm.connection import MAX_RETRIES, open_client, raise_for, without_secret
from llm.parts import input_size
from wrac.errors import WracError
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from openai.types.chat import ChatCompletionMessageParam

CHAT_TIMEOUT_SECONDS = 180.0
TEMPERATURE = 0.1
"""The papers' own."""


class ContentRefused(WracError):
    """The server refused this request for its content or size; another request may well pass."""


class Ending(StrEnum):
    """How a reply ended."""

    COMPLETE = "complete"
    LENGTH = "length"
    """Cut off at the output limit: never to be taken for a whole reply."""
    CONTENT_FILTER = "content-filter"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    ending: Ending
    usage: Usage


class Rung(StrEnum):
    """How a server can be held to a shape, strongest first."""

    SCHEMA = "json-schema"
    OBJECT = "json-object"
    PROMPT = "prompt"


@dataclass(slots=True)
class _Abilities:
    """What the server has been found to refuse; grows only."""

    rung: Rung = Rung.SCHEMA
    temperature: bool = True
    limit_name: str = "max_completion_tokens"
    cache_key: bool = True


_SHAPE_WORDS = ("response_format", "json_schema", "json_object", "schema", "grammar", "structured")


@dataclass(slots=True)
class ChatClient:
    """One model of one server. Safe to share between threads."""

    model: str
    base_url: str
    key_variable: str
    environment: Mapping[str, str] = field(repr=False)
    timeout: float = CHAT_TIMEOUT_SECONDS
    max_retries: int = MAX_RETRIES
    base_url_key: str = "planner_base_url"
    """The key of the settings that names another server, for messages."""
    image_tokens: Callable[[int, int], int] | None = None
    """Tokens of a picture by width and height, for servers that send no bill."""
    _abilities: _Abilities = field(default_factory=_Abilities, repr=False)
    _client: openai.OpenAI = field(init=False, repr=False)
    _secret: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._secret = self.environment.get(self.key_variable, "")
        self._client = open_client(
            base_url=self.base_url,
            key_variable=self.key_variable,
            environment=self.environment,
            timeout=self.timeout,
            max_retries=self.max_retries,
            base_url_key=self.base_url_key,
        )

    @property
    def where(self) -> str:
        """Server and model, for messages."""
        return f"the chat server {self._client.base_url.host} (model {self.model})"

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_output_tokens: int,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "reply",
        cache_key: str = "",
    ) -> Reply:
        """One completion; retries, backing off and Retry-After are the openai client's.

        Raises ``TransientError`` where the server stays out of reach or overloaded, ``ConfigError`` for a refused key
        or an unknown model, ``ContentRefused`` where this request alone is refused.
        """
        while True:
            abilities = self._abilities
            used = (abilities.rung, abilities.temperature, abilities.limit_name, abilities.cache_key)
            try:
                answer = self._client.chat.completions.create(
                    model=self.model,
                    messages=cast("list[ChatCompletionMessageParam]", list(messages)),
                    **self._options(max_output_tokens, schema, schema_name, cache_key),
                )
            except openai.APIError as error:
                may_adapt = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError)
                if may_adapt and self._give_up(str(error).lower(), used, shaped=schema is not None):
                    continue
                self._raise(error)
            return _reply(answer, messages, self.image_tokens)

    def close(self) -> None:
        """Lets go of the connections."""
        self._client.close()

    def _options(
        self, limit: int, schema: Mapping[str, Any] | None, schema_name: str, cache_key: str
    ) -> dict[str, Any]:
        abilities = self._abilities
        options: dict[str, Any] = {abilities.limit_name: limit}
        if abilities.temperature:
            options["temperature"] = TEMPERATURE
        if cache_key and abilities.cache_key:
            options["prompt_cache_key"] = cache_key
        if schema is not None and abilities.rung is Rung.SCHEMA:
            shape = {"name": schema_name, "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif schema is not None and abilities.rung is Rung.OBJECT:
            options["response_format"] = {"type": "json_object"}
        return options

    def _give_up(self, said: str, used: tuple[Rung, bool, str, bool], *, shaped: bool) -> bool:
        """Leaves out from now on what the refusal names; False where it names nothing that can be left out."""
        abilities = self._abilities
        rung, temperature, limit_name, cache_key = used
        if (rung, temperature, limit_name, cache_key) != (
            abilities.rung,
            abilities.temperature,
            abilities.limit_name,
            abilities.cache_key,
        ):
            return True  # another thread has learnt something meanwhile: try with that
        if temperature and "temperature" in said:
            abilities.temperature = False
        elif limit_name == "max_completion_tokens" and "max_completion_tokens" in said:
            abilities.limit_name = "max_tokens"
        elif cache_key and "prompt_cache_key" in said:
            abilities.cache_key = False
        elif shaped and rung is not Rung.PROMPT and any(word in said for word in _SHAPE_WORDS):
            abilities.rung = Rung.OBJECT if rung is Rung.SCHEMA else Rung.PROMPT
        else:
            return False
        return True

    def _raise(self, error: openai.APIError) -> None:
        try:
            raise_for(error, where=self.where, key_variable=self.key_variable, secret=self._secret)
        except openai.APIError as refusal:
            said = without_secret(str(refusal), self._secret)[:300]
            raise ContentRefused(f"{self.where} refused the request: {said}") from None


def _reply(answer: Any, messages: Sequence[Mapping[str, Any]], image_tokens: Callable[[int, int], int] | None) -> Reply:
    choice = answer.choices[0] if answer.choices else None
    text = (choice.message.content or "") if choice else ""
    usage = _usage(answer.usage) or Usage(input_size(messages, image_tokens), 0, count_tokens(text), calls=1)
    if choice is None or getattr(choice.message, "refusal", None):
        return Reply(text, Ending.REFUSAL, usage)
    ending = {"length": Ending.LENGTH, "content_filter": Ending.CONTENT_FILTER}.get(choice.finish_reason or "stop")
    return Reply(text, ending or Ending.COMPLETE, usage)


def _usage(billed: Any) -> Usage | None:
    if billed is None or not (billed.prompt_tokens or billed.completion_tokens):
        return None
    details = getattr(billed, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(billed.prompt_tokens or 0, cached, billed.completion_tokens or 0, calls=1)
