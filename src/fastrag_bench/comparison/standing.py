"""Which run is best on the data, how sure its figure is, and which others cannot be told from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastrag_bench.comparison.matrix import Floats, ScoreMatrix
from fastrag_bench.comparison.paired import PairedDifference, differences_to
from fastrag_bench.comparison.resampling import TOLERANCE, adjusted, cluster_sums, flips, intervals

ALPHA = 0.05
RESAMPLES = 10_000
FEWEST = 1_000
WORK = 400_000_000
"""Pairs times resamples at most; above it there are fewer resamples, down to FEWEST."""


@dataclass(frozen=True)
class Standing:
    """The runs of a matrix against its best."""

    metric: str
    best: int
    means: Floats
    intervals: Floats
    """R x 2: each run's own interval; that of the best is optimistic, see `tradeoffs.optimism`."""

    against_best: Floats
    """For each run the p of its difference to the best, adjusted over all pairs of runs by max-T."""

    differences: list[PairedDifference]
    """Best minus each other run, with `adjusted_p`."""

    higher: bool
    questions: int
    clusters: int
    resamples: int

    @property
    def group(self) -> list[int]:
        """The runs not distinguishable from the best, itself first, then by mean."""
        sign = -1 if self.higher else 1
        others = [place for place, p in enumerate(self.against_best) if place != self.best and p > ALPHA]
        return [self.best, *sorted(others, key=lambda place: sign * self.means[place])]


def standing(matrix: ScoreMatrix, *, best: int | None = None, seed: int = 0, confidence: float = 0.95) -> Standing:
    """Rank the runs of a matrix.

    The best is chosen from the same data it is tested on, so its pairs are adjusted over all pairs of runs: whichever
    run comes out on top, the chance that any equal run is called worse stays below alpha.

    Args:
        matrix: at least one run.
        best: take this run instead of the one with the best mean.
        seed: the same seed gives the same figures.
        confidence: of the intervals.
    """
    means = matrix.means
    measured = matrix.known.any(axis=1)
    chosen = (
        best if best is not None else int(np.argmax(np.where(measured, means if matrix.higher else -means, -np.inf)))
    )
    runs = len(matrix.runs)
    resamples = max(FEWEST, min(RESAMPLES, WORK // max(1, runs * (runs - 1) // 2)))
    others = [place for place in range(runs) if place != chosen]
    pairs = all_pairs_p(matrix, resamples=resamples, seed=seed)[chosen]
    differences = differences_to(matrix, chosen, others, resamples=RESAMPLES, seed=seed, confidence=confidence)
    by_name = {name: place for place, name in enumerate(matrix.runs)}
    own = cluster_sums(matrix.scores, matrix.known, matrix.labels)
    return Standing(
        metric=matrix.metric,
        best=chosen,
        means=means,
        intervals=intervals(own, resamples=RESAMPLES, seed=seed, confidence=confidence),
        against_best=pairs,
        differences=[_with_p(each, float(pairs[by_name[each.second]])) for each in differences],
        higher=matrix.higher,
        questions=len(matrix.questions),
        clusters=matrix.clusters,
        resamples=resamples,
    )


def _with_p(difference: PairedDifference, p: float) -> PairedDifference:
    return PairedDifference(**{**vars(difference), "adjusted_p": p})


def all_pairs_p(matrix: ScoreMatrix, *, resamples: int, seed: int) -> Floats:
    """R x R: the p of each pair of runs, adjusted over all pairs (single-step max-T under common sign flips).

    Flipping every pair's differences of a cluster at once keeps how pairs depend on each other, and the null
    distribution of any set of equal runs does not depend on the others, so the level holds also when some do differ.
    """
    if len(matrix.runs) < 2:
        return np.ones((1, 1))
    pairs = _Pairs(matrix)
    exact, blocks = flips(matrix.clusters, resamples, seed)
    largest = np.concatenate([pairs.largest(signs) for signs in blocks])
    found = adjusted(pairs.observed() * (1 - TOLERANCE), largest, exact=exact)
    np.fill_diagonal(found, 1.0)
    return found


class _Pairs:
    """The studentised differences of all pairs of runs; where nothing is missing, no row is held for each pair."""

    def __init__(self, matrix: ScoreMatrix) -> None:
        self.matrix = matrix
        self.sums = cluster_sums(matrix.scores, matrix.known, matrix.labels).sums
        scale = self._scale()
        self.weights = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)

    def _scale(self) -> Floats:
        if not self.matrix.complete:
            return np.array([np.sqrt((self._of(run, slice(None)) ** 2).sum(axis=1)) for run in range(len(self.sums))])
        squares = (self.sums**2).sum(axis=1)
        both = squares[:, None] + squares[None, :]
        scale = both - 2 * self.sums @ self.sums.T
        return np.asarray(np.sqrt(np.where(scale > 1e-12 * both, scale, 0.0)))

    def _of(self, run: int, others: slice) -> Floats:
        """Sums over clusters of the differences to a run, on the questions both have."""
        matrix = self.matrix
        known = matrix.known[run] & matrix.known[others]
        values = np.where(known, matrix.scores[run] - matrix.scores[others], 0.0)
        return cluster_sums(values, known, matrix.labels).sums

    def observed(self) -> Floats:
        """R x R."""
        if self.matrix.complete:
            totals = self.sums.sum(axis=1)
            apart = np.abs(totals[:, None] - totals[None, :])
        else:
            apart = np.array([np.abs(self._of(run, slice(None)).sum(axis=1)) for run in range(len(self.sums))])
        return np.asarray(apart * self.weights)

    def largest(self, signs: Floats) -> Floats:
        """The largest of all pairs, for each row of signs."""
        found = np.zeros(len(signs))
        flipped = np.ascontiguousarray((signs @ self.sums.T).T)
        for run in range(len(self.sums) - 1):
            later = slice(run + 1, None)
            apart = flipped[run] - flipped[later] if self.matrix.complete else self._of(run, later) @ signs.T
            np.maximum(found, (np.abs(apart) * self.weights[run, later, None]).max(axis=0), out=found)
        return found
