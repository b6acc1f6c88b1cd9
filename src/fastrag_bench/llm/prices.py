"""What tokens cost: a dated table that ships with the package, and prices of one's own before it."""

from __future__ import annotations

import json
import logging
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeFloat

from fastrag_bench.llm.usage import Usage

log = logging.getLogger(__name__)
TABLE = Path(__file__).with_name("prices.json")
MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens; None where the model has no such tokens or the price is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: NonNegativeFloat | None = None
    """Tokens of the prompt."""
    cached_input: NonNegativeFloat | None = None
    """Tokens of the prompt that the server had in its cache; None = they cost as much as the others."""
    output: NonNegativeFloat | None = None
    """Tokens of the answer."""
    embedding: NonNegativeFloat | None = None
    """Tokens that are embedded."""

    def cost(self, usage: Usage) -> float | None:
        """Dollars of a chat call; None when a price or a count is not known."""
        if None in (self.input, self.output, usage.input_tokens, usage.output_tokens):
            return None
        cached = min(usage.cached_input_tokens or 0, usage.input_tokens or 0)
        dear, cheap = self.input or 0.0, self.cached_input if self.cached_input is not None else self.input or 0.0
        fresh = (usage.input_tokens or 0) - cached
        return (fresh * dear + cached * cheap + (usage.output_tokens or 0) * (self.output or 0.0)) / MILLION

    def embedding_cost(self, usage: Usage) -> float | None:
        """Dollars of an embedding call; None when the price or the count is not known."""
        if self.embedding is None or usage.input_tokens is None:
            return None
        return usage.input_tokens * self.embedding / MILLION


def price_of(model: str) -> Price | None:
    """The price of a model in the table, by its exact name or the name before a date; None, named once, for others."""
    prices = _table()
    undated = model[: -len("-2024-01-01")] if _ends_in_date(model) else model
    found = prices.get(model) or prices.get(undated)
    if found is None:
        _name_once(model)
    return found


def table_date() -> str:
    """The day the table was written down, as YYYY-MM-DD."""
    return str(_read()["as_of"])


def _ends_in_date(model: str) -> bool:
    tail = model[-11:]
    return len(tail) == 11 and tail[0] == "-" and tail[5] == tail[8] == "-" and tail.replace("-", "").isdigit()


@lru_cache(maxsize=1)
def _table() -> dict[str, Price]:
    return {name: Price(**values) for name, values in _read()["usd_per_million_tokens"].items()}


@lru_cache(maxsize=1)
def _read() -> dict[str, dict[str, dict[str, float]]]:
    table: dict[str, dict[str, dict[str, float]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


@lru_cache(maxsize=1024)
def _name_once(model: str) -> None:
    log.warning("no price is known for model %r: its cost is unknown; set `price` to have one", model)
