"""Maximal marginal relevance: near the query, but not near what is already chosen."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import Candidates, Ranking


class MMRReranker(Component):
    """Chooses one chunk after another by relevance less redundancy (Carbonell and Goldstein, SIGIR 1998).

    A chunk's score is `relevance_weight` x cosine to the query - (1 - `relevance_weight`) x the highest cosine to a
    chunk chosen before. A cosine below 0 is no redundancy and counts as 0, so the scores fall along the ranking.
    """

    needs_vectors: ClassVar[bool] = True

    relevance_weight: Annotated[float, Field(ge=0, le=1)] = 0.6
    """The paper's lambda: 1 orders by similarity to the query alone, 0 by novelty alone."""

    def rerank(self, query: str, candidates: Candidates) -> Ranking:
        """All candidates in the order in which they are chosen.

        Raises:
            ValueError: the candidates come without vectors.
        """
        if candidates.vectors is None or candidates.query_vector is None:
            raise ValueError("MMR needs the vectors of the query and of the candidates")
        by_position = np.argsort(candidates.ranking.chunks)
        vectors = candidates.vectors[by_position].astype(np.float64)
        relevance = (vectors * candidates.query_vector.astype(np.float64)).sum(axis=1)
        order, scores = _choose(vectors, relevance, self.relevance_weight)
        return Ranking(candidates.ranking.chunks[by_position][order].astype(np.int64), scores)


def _choose(
    vectors: NDArray[np.float64], relevance: NDArray[np.float64], weight: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The greedy order of all rows and the score of each when it was chosen; the first of equals is taken."""
    count = len(vectors)
    order, scores = np.empty(count, np.int64), np.empty(count, np.float64)
    redundancy = np.zeros(count)
    free = np.ones(count, bool)
    for place in range(count):
        marginal = np.where(free, weight * relevance - (1.0 - weight) * redundancy, -np.inf)
        chosen = int(np.argmax(marginal))
        order[place], scores[place], free[chosen] = chosen, marginal[chosen], False
        redundancy = np.maximum(redundancy, (vectors * vectors[chosen]).sum(axis=1))
    return order, scores
