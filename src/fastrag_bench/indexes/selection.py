"""The n best of many scored chunks, with the tie rule of `Ranking` right at the cut too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.contracts import Ranking


def select(chunks: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> Ranking:
    """`Ranking.best`, sorting only the chunks that score at least as much as the n-th."""
    if 0 < n < len(chunks):
        threshold = np.partition(scores, len(scores) - n)[len(scores) - n]
        kept = scores >= threshold
        chunks, scores = chunks[kept], scores[kept]
    return Ranking.best(chunks, scores, max(n, 0))
