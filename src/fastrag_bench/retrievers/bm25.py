"""Retrieval by terms alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from fastrag_bench.component import Component
from fastrag_bench.contracts import Ranking


class Bm25Retriever(Component):
    """Searches the lexical index; the embedder has no part in it."""

    searches: ClassVar[tuple[str, ...]] = ("lexical",)

    def combine(self, rankings: Sequence[Ranking], n: int) -> Ranking:
        """The first `n` of the one ranking."""
        (ranking,) = rankings
        return Ranking(ranking.chunks[:n], ranking.scores[:n])
