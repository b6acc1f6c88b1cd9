"""How a server is reached, what it may be asked for, and what that costs: the settings of every part with a model."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any, Self

from pydantic import Field, PositiveFloat, PositiveInt, PrivateAttr, field_validator

from fastrag_bench.component import Component, NotIdentity
from fastrag_bench.contracts import CallMemory
from fastrag_bench.error_text import mask_secrets
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.llm.prices import Price, price_of
from fastrag_bench.llm.usage import Usage

_SECRET_HEADER = re.compile(r"authori[sz]ation|cookie|token|secret|key", re.IGNORECASE)


class Endpoint(Component):
    """A model on a server that speaks the OpenAI protocol."""

    base_url: str
    """Up to and with `/v1`, such as `http://localhost:11434/v1`."""

    model: str
    """The model's name on that server."""

    headers: dict[str, str] = Field(default={})
    """Sent with each call; no secrets, for these values are written down."""

    header_env: Annotated[dict[str, str], NotIdentity] = Field(default={})
    """Header to the name of the environment variable that holds its value; for secrets other than the key."""

    api_key_env: Annotated[str | None, NotIdentity] = "OPENAI_API_KEY"
    """The name of the environment variable with the key; no key is sent where it is not set."""

    verify: Annotated[bool | str, NotIdentity] = True
    """Check the server's certificate: True, a PEM file of authorities, or False (anyone can then read the key)."""

    connect_timeout_s: Annotated[PositiveFloat, NotIdentity] = 10.0
    """Seconds to connect."""

    timeout_s: Annotated[PositiveFloat, NotIdentity] = 120.0
    """Seconds for one attempt, from sending to the last byte."""

    deadline_s: Annotated[PositiveFloat, NotIdentity] = 300.0
    """Seconds for all attempts at one call together."""

    attempts: Annotated[PositiveInt, NotIdentity] = 6
    """How often one call is tried on 408, 409, 429, 5xx, dropped connections, timeouts and broken replies."""

    max_retry_after_s: Annotated[PositiveFloat, NotIdentity] = 120.0
    """The call fails where the server asks to wait longer than this."""

    max_in_flight: Annotated[PositiveInt, NotIdentity] = 8
    """Calls at once to this server; halved at each 429 and slowly raised again."""

    requests_per_minute: Annotated[PositiveInt | None, NotIdentity] = None
    """Attempts in any 60 seconds; None = no limit."""

    tokens_per_minute: Annotated[PositiveInt | None, NotIdentity] = None
    """Tokens in any 60 seconds: estimated before a call, put right by its reply; None = no limit."""

    budget_calls: Annotated[PositiveInt | None, NotIdentity] = None
    """Attempts this command may make; None = no limit."""

    budget_tokens: Annotated[PositiveInt | None, NotIdentity] = None
    """Tokens this command may use; None = no limit."""

    budget_usd: Annotated[PositiveFloat | None, NotIdentity] = None
    """Dollars this command may spend; needs a known price; None = no limit."""

    price: Annotated[Price | None, NotIdentity] = None
    """Dollars for a million tokens, before the table that ships with the package; None = that table."""

    _calls: CallMemory | None = PrivateAttr(default=None)

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if not re.match(r"https?://[^/\s]", value):
            raise _refused("an address starts with http:// or https://")
        if mask_secrets(value) != value or "@" in value.split("/")[2]:
            raise _refused("no key or password in an address; name an environment variable in api_key_env")
        return value.rstrip("/")

    @field_validator("headers")
    @classmethod
    def _has_no_secret(cls, value: dict[str, str]) -> dict[str, str]:
        wrong = [name for name, text in value.items() if _SECRET_HEADER.search(name) or mask_secrets(text) != text]
        if wrong:
            names = ", ".join(wrong)
            raise _refused(f"{names}: secrets stay out of files; name an environment variable in header_env")
        return value

    @field_validator("api_key_env")
    @classmethod
    def _is_a_name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise _refused("the NAME of an environment variable belongs here, not the key")
        return value

    def inspect_settings(self) -> None:
        """Raise ConfigurationError for a budget in dollars where the price is not known."""
        if self.budget_usd is not None and self.known_price is None:
            message = f"no price is known for {self.model!r}; set `price`, or a budget in calls or tokens"
            raise ConfigurationError(problems=[Problem("budget_usd", message)])

    @property
    def known_price(self) -> Price | None:
        """The price set here, or that of the table."""
        return self.price if self.price is not None else price_of(self.model)

    def cost(self, usage: Usage) -> float | None:
        """Dollars of a call; None when price or usage are not known."""
        price = self.known_price
        return price.cost(usage) if price is not None else None

    @property
    def calls_identity(self) -> Any:
        """Server and model."""
        return {"model calls": [self.base_url, self.model]}

    @property
    def calls(self) -> CallMemory | None:
        """The memory that is asked before the server."""
        return self._calls

    def with_calls(self, calls: CallMemory) -> Self:
        """A copy that asks this memory first."""
        copy = self.model_copy()
        copy._calls = calls
        return copy

    def secrets(self) -> dict[str, str]:
        """Headers with secret values, read from the environment now."""
        found = {name: os.environ[variable] for name, variable in self.header_env.items() if os.environ.get(variable)}
        key = os.environ.get(self.api_key_env) if self.api_key_env else None
        return {"Authorization": f"Bearer {key}", **found} if key else found


def _refused(message: str) -> ConfigurationError:
    """A problem with a value that is not shown, since it may be a secret."""
    return ConfigurationError(problems=[Problem("", message)])
