"""What a call used, as the reply says it: a number that is not there is None, never zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Tokens of one call or of several; `input_tokens` includes the cached ones."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None

    @classmethod
    def of(cls, reply: Any) -> Usage:
        """Read `usage` of a reply to a chat, an embedding or a rerank request."""
        said = reply.get("usage") if isinstance(reply, Mapping) else None
        if not isinstance(said, Mapping):
            return cls()
        details = said.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
        first = said.get("prompt_tokens", said.get("input_tokens", said.get("total_tokens")))
        return cls(_count(first), _count(said.get("completion_tokens", said.get("output_tokens"))), _count(cached))

    @property
    def total_tokens(self) -> int | None:
        """Input and output, or None when one of them is not known."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cached_input_tokens, other.cached_input_tokens),
        )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right
