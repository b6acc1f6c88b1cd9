"""Exact nearest neighbours: one matrix product a query, no structure to build, no error of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.component import Component
from fastrag_bench.contracts import Ranking, Vectors
from fastrag_bench.indexes.selection import select

BLOCK_ROWS = 4096
"""Rows that are scored anew at once, a bound on memory where very many chunks tie."""


class ExactIndex(Component):
    """Search by inner product over all vectors; the right default up to about a million chunks."""

    def build_vectors(self, vectors: Vectors, folder: Path) -> None:
        """Write nothing: the vectors are all there is to it."""

    def open_vectors(self, vectors: Vectors, folder: Path) -> ExactSearcher:
        """The searcher over these vectors; `folder` is not read."""
        return ExactSearcher(vectors)


class ExactSearcher:
    """Ranks all chunks against a query vector.

    A matrix product adds up in an order that depends on the processor, the thread and the row, so that even equal
    vectors may get unequal scores. It therefore only picks the chunks that can be among the best; their scores are then
    computed in double precision, each row alone, and equal vectors tie on every machine.
    """

    def __init__(self, vectors: Vectors) -> None:
        """Take [chunks, dimensions], memory-mapped or not, rows of length one or zero."""
        self._vectors: Vectors = np.asarray(vectors)

    def search(self, vector: Vectors, n: int) -> Ranking:
        """The `n` nearest chunks; a zero vector, on either side, scores 0."""
        count = len(self._vectors)
        if n < 1 or not count:
            return Ranking.best(np.empty(0, np.int64), np.empty(0, np.float64), 0)
        chunks = np.arange(count) if n >= count else self._contenders(vector, n)
        return select(chunks, self._scores(chunks, vector), n)

    def _contenders(self, vector: Vectors, n: int) -> NDArray[np.int64]:
        """The chunks whose score may be among the n best, given the error bound of a single precision product."""
        rough = self._vectors @ vector
        threshold = np.partition(rough, len(rough) - n)[len(rough) - n]
        margin = 2.0 * len(vector) * np.finfo(np.float32).eps * max(1.0, float(np.linalg.norm(vector)))
        return np.flatnonzero(rough >= threshold - margin)

    def _scores(self, chunks: NDArray[np.int64], vector: Vectors) -> NDArray[np.float64]:
        precise = vector.astype(np.float64)
        scores = np.empty(len(chunks), np.float64)
        for start in range(0, len(chunks), BLOCK_ROWS):
            rows = self._vectors[chunks[start : start + BLOCK_ROWS]].astype(np.float64)
            scores[start : start + BLOCK_ROWS] = (rows * precise).sum(axis=1)
        return scores
