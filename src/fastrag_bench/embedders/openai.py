"""Vectors from a server's `/embeddings`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field, PositiveInt

from fastrag_bench.component import Json, NotIdentity
from fastrag_bench.contracts import Vectors
from fastrag_bench.errors import UnusableReplyError
from fastrag_bench.llm.client import client_of
from fastrag_bench.llm.endpoint import Endpoint
from fastrag_bench.llm.memory import remembered, request_key
from fastrag_bench.llm.usage import Usage
from fastrag_bench.tokenizers.lengths import WORDPIECE, token_counter, tokenizer_identity, word_ends

log = logging.getLogger(__name__)
PATH = "/embeddings"


class OpenAIEmbedder(Endpoint):
    """Unit vectors of any model with the OpenAI protocol; a blank text is the zero vector and is not sent."""

    api_key_env: Annotated[str | None, NotIdentity] = "OPENAI_API_KEY"
    """The name of the environment variable with the key; no key is sent where it is not set."""

    dimensions: PositiveInt | None = None
    """Ask for shorter vectors, where the model can; None = not sent."""

    max_tokens: PositiveInt | None = 8000
    """A longer text is cut at a word, and that is counted and said; None = texts are sent whole."""

    tokenizer: str = WORDPIECE
    """Counts those tokens: wordpiece, cl100k or the path of a `tokenizer.json`."""

    query_prefix: str = ""
    """Put before each question, as it is: `query: ` for e5."""

    passage_prefix: str = ""
    """Put before each passage, as it is: `passage: ` for e5."""

    extra_body: dict[str, Any] = Field(default={})
    """Further members of the request, as the server names them."""

    batch_size: Annotated[PositiveInt, NotIdentity] = 64
    """Texts in one call."""

    def fingerprint(self) -> Json:
        """What the tokenizer is, where it decides what is cut."""
        return None if self.max_tokens is None else tokenizer_identity(self.tokenizer)

    def inspect_settings(self) -> None:
        """Raise ConfigurationError where there is no such tokenizer, or no price for a budget in dollars."""
        super().inspect_settings()
        if self.max_tokens is not None:
            token_counter(self.tokenizer)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """[n, d] of unit rows.

        Raises:
            UnusableReplyError: vectors are missing, differ in length, or have something else than finite numbers.
        """
        cut = [self._cut(self.passage_prefix + text) for text in texts]
        shortened = sum(len(one) < len(self.passage_prefix + text) for one, text in zip(cut, texts, strict=True))
        if shortened:
            log.warning(
                "%d of %d texts are longer than max_tokens=%s and were cut", shortened, len(cut), self.max_tokens
            )
        full = [place for place, text in enumerate(texts) if text.strip()]
        rows: dict[int, Vectors] = {}
        for start in range(0, len(full), self.batch_size):
            batch = full[start : start + self.batch_size]
            rows.update(zip(batch, self._vectors([cut[place] for place in batch]), strict=True))
        lengths = {len(row) for row in rows.values()} or {self.dimensions or 1}
        if len(lengths) > 1:
            raise UnusableReplyError(f"{self.model!r} gave vectors of several lengths: {sorted(lengths)}")
        blank = np.zeros(lengths.pop(), dtype=np.float32)
        return np.array([rows.get(place, blank) for place in range(len(texts))], dtype=np.float32).reshape(
            len(texts), len(blank)
        )

    def embed_query(self, text: str) -> Vectors:
        """[d] of length one; for a blank text, which has no vector on the server, of the length of another's."""
        if not text.strip():
            return np.zeros_like(self._remembered(self._cut(self.query_prefix + "blank")))
        return self._remembered(self._cut(self.query_prefix + text))

    def _remembered(self, text: str) -> Vectors:
        def ask() -> tuple[float, Any]:
            seconds, reply = self._ask([text])
            return seconds, reply[0].tolist()

        key = request_key(self, PATH, [self.dimensions, self.extra_body, text])
        return np.array(remembered(self, key, ask)[0], dtype=np.float32)

    def _vectors(self, texts: Sequence[str]) -> list[Vectors]:
        return self._ask(texts)[1]

    def _ask(self, texts: Sequence[str]) -> tuple[float, list[Vectors]]:
        body = {"model": self.model, "input": list(texts), "encoding_format": "float", **self.extra_body}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        received = client_of(self).post(self, PATH, body, cost=self.cost)
        data = received.reply.get("data") if isinstance(received.reply, dict) else None
        items = data if isinstance(data, list) and all(isinstance(item, dict) for item in data) else []
        found = {item.get("index", place): item.get("embedding") for place, item in enumerate(items)}
        if sorted(found) != list(range(len(texts))):
            raise UnusableReplyError(f"{self.model!r} gave {len(found)} vectors for {len(texts)} texts")
        return received.seconds, [_unit(found[place], self.model) for place in range(len(texts))]

    def cost(self, usage: Usage) -> float | None:
        """Dollars of a call."""
        price = self.known_price
        return price.embedding_cost(usage) if price is not None else None

    def _cut(self, text: str) -> str:
        if self.max_tokens is None or len(text) <= self.max_tokens:
            return text
        count = token_counter(self.tokenizer).count
        if count(text) <= self.max_tokens:
            return text
        ends = word_ends(text, "tokens")
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if count(text[: ends[middle - 1]]) <= self.max_tokens else (low, middle - 1)
        return text[: ends[low - 1]] if low else text[: self.max_tokens]


def _unit(values: Any, model: str) -> Vectors:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.array([])
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise UnusableReplyError(f"{model!r} gave something else than a vector of finite numbers")
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)
