"""No reranking."""

from __future__ import annotations

from typing import ClassVar

from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent, Candidates, Ranking


class NoReranker(Component, Absent):
    """Leaves the ranking as it is."""

    needs_vectors: ClassVar[bool] = False

    def rerank(self, query: str, candidates: Candidates) -> Ranking:
        """The ranking that came in."""
        return candidates.ranking
