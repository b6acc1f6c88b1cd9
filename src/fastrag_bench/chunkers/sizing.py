"""The settings that chunkers with a size share."""

from __future__ import annotations

from typing import Annotated

from pydantic import NonNegativeInt, PositiveInt, field_validator, model_validator

from fastrag_bench.component import Component, Json, NotIdentity
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.tokenizers.lengths import WORDPIECE, Length, Unit, length_function, token_counter, tokenizer_identity


class SizedChunker(Component):
    """Sizes and overlaps in characters, words or tokens; `overlap` is smaller than `size`."""

    size: PositiveInt = 800
    """The most a chunk may have, in `unit`s."""

    overlap: NonNegativeInt = 100
    """The most that a chunk repeats of the one before it, in `unit`s."""

    unit: Unit = "characters"
    """`characters` (code points), `words` (runs without blanks; each Chinese or Japanese character) or `tokens`."""

    tokenizer: Annotated[str, NotIdentity] = WORDPIECE
    """For `tokens`: `wordpiece` (the default embedder's), `cl100k` (extra `llm`) or the path of a tokenizer.json (extra
    `onnx`). Keyed by the content of its file."""

    special_tokens: Annotated[bool, NotIdentity] = False
    """For `tokens`: whether those that the tokenizer puts around a text count in `size`. Keyed with the tokenizer."""

    @field_validator("tokenizer")
    @classmethod
    def _not_empty(cls, tokenizer: str) -> str:
        if not tokenizer.strip():
            raise ValueError("expected wordpiece, cl100k or the path of a tokenizer.json")
        return tokenizer

    @model_validator(mode="after")
    def _overlap_below_size(self) -> SizedChunker:
        if self.overlap >= self.size:
            raise ValueError(
                f"overlap={self.overlap} has to be smaller than size={self.size}, or a chunk would hold nothing new"
            )
        return self

    def fingerprint(self) -> Json:
        """What the tokenizer is and does, where tokens are counted."""
        if self.unit != "tokens":
            return None
        return {"tokenizer": tokenizer_identity(self.tokenizer), "special_tokens": self.special_tokens}

    def inspect_settings(self) -> None:
        """Raise ConfigurationError if the tokenizer cannot be loaded, or its special tokens leave no room."""
        _ = self.limit
        _ = self.length

    @property
    def length(self) -> Length:
        """Measures a text in `unit`."""
        return length_function(self.unit, self.tokenizer)

    @property
    def limit(self) -> int:
        """`size` without the special tokens that count in it."""
        if self.unit != "tokens" or not self.special_tokens:
            return self.size
        special = token_counter(self.tokenizer).special
        if self.size - special <= self.overlap:
            raise ConfigurationError(
                f"size={self.size} leaves {self.size - special} tokens beside {special} special ones, "
                f"which is not more than overlap={self.overlap}; raise size or set special_tokens=false"
            )
        return self.size - special
