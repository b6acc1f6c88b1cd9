"""Retrieval by terms and vectors: two rankings become one, by their ranks or by their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import Ranking

Scores = NDArray[np.float64]


class HybridRetriever(Component):
    """Searches both indexes and fuses their rankings.

    `weighted` adds up normalised scores; a chunk that one ranking lacks gets the lowest score of that ranking. `rrf` is
    reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009), the sum of 1 / (rank_constant + rank); a chunk
    that one ranking lacks gets nothing from it. Where the scores mean something, as with BM25 and cosines, `weighted`
    is usually the better one.
    """

    searches: ClassVar[tuple[str, ...]] = ("lexical", "dense")

    fusion: Literal["weighted", "rrf"] = "weighted"
    """By scores (`weighted`) or by ranks (`rrf`)."""

    lexical_weight: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The part of the lexical ranking, from 0 to 1; the dense one has the rest. 0.5 is plain fusion."""

    rank_constant: Annotated[int, Field(ge=0)] = 60
    """`rrf` only: the larger, the less the first ranks stand out."""

    normalization: Literal["minmax", "zscore"] = "minmax"
    """`weighted` only: scores to 0..1, or to mean 0 and standard deviation 1."""

    def combine(self, rankings: Sequence[Ranking], n: int) -> Ranking:
        """The `n` best of the lexical and the dense ranking, in this order."""
        lexical, dense = rankings
        chunks = np.union1d(lexical.chunks, dense.chunks).astype(np.int64)
        total = np.zeros(len(chunks), np.float64)
        scale = 2.0 if self.fusion == "rrf" else 1.0  # so that equal weights give the published formula
        for ranking, weight in ((lexical, self.lexical_weight), (dense, 1.0 - self.lexical_weight)):
            if len(ranking):
                total += scale * weight * self._contributions(ranking, chunks)
        return Ranking.best(chunks, total, n)

    def _contributions(self, ranking: Ranking, chunks: NDArray[np.int64]) -> Scores:
        """What one ranking, not empty, adds to each of `chunks`, which are sorted and contain all of its own."""
        if self.fusion == "rrf":
            present, absent = 1.0 / (self.rank_constant + np.arange(1, len(ranking) + 1)), 0.0
        else:
            present, absent = _normalised(ranking.scores, self.normalization)
        contributions = np.full(len(chunks), absent)
        contributions[np.searchsorted(chunks, ranking.chunks)] = present
        return contributions


def _normalised(scores: Scores, normalization: str) -> tuple[Scores, float]:
    """The normalised scores and the score of a chunk that is not among them.

    Where all scores are equal they say only who is there: those stand one unit above the others.
    """
    low, spread = float(scores.min()), float(scores.max() - scores.min())
    if normalization == "zscore":
        low, spread = float(scores.mean()), float(scores.std()) if spread else 0.0
    if spread <= 0.0:
        top = 1.0 if normalization == "minmax" else 0.0
        return np.full(len(scores), top), top - 1.0
    normalised = (scores - low) / spread
    return normalised, float(normalised.min())
