"""Budgets of text in tokens: word pieces of the default embedder, whatever the pipeline uses, so that runs compare."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from fastrag_bench.relevance import Judged
from fastrag_bench.tokenizers.lengths import length_function, word_ends
from fastrag_bench.types import Document


@lru_cache(maxsize=50_000)
def count_tokens(text: str) -> int:
    """Tokens of a passage."""
    return length_function("tokens")(text)


def found_within(judged: Judged, ranking: Sequence[Document], budget: int) -> int:
    """How many pieces of evidence are found within so many tokens of a ranking."""
    tokens, chars = [0], [0]
    for passage in ranking[: max(judged.found_position, default=0)]:
        if tokens[-1] > budget:
            break
        tokens.append(tokens[-1] + count_tokens(passage.text))
        chars.append(chars[-1] + len(passage.text))
    return sum(
        0 < position < len(tokens)
        and tokens[position - 1] + count_tokens(ranking[position - 1].text[: read - chars[position - 1]]) <= budget
        for position, read in zip(judged.found_position, judged.found_chars, strict=True)
    )


def chars_within(passages: Sequence[Document], budget: int) -> int:
    """The characters of the passages, in order, that so many tokens hold; the last passage is cut behind a word."""
    chars = 0
    for passage in passages:
        tokens = count_tokens(passage.text)
        if tokens > budget:
            return chars + _prefix(passage.text, budget)
        chars, budget = chars + len(passage.text), budget - tokens
    return chars


def _prefix(text: str, budget: int) -> int:
    measure = length_function("tokens")
    for start, end in pairwise([0, *word_ends(text, "tokens")]):
        budget -= measure(text[start:end])
        if budget < 0:
            return start
    return len(text)
