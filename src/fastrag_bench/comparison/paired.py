"""The difference of two runs on the questions both have answered."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fastrag_bench.comparison.matrix import Floats, ScoreMatrix, score_matrix
from fastrag_bench.comparison.resampling import ClusterSums, cluster_sums, flip_p, intervals
from fastrag_bench.comparison.student import t_sf
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult


@dataclass(frozen=True)
class PairedDifference:
    """The mean of (first - second) over shared questions, and how sure it is."""

    metric: str
    first: str
    second: str
    shared: int
    """Questions that have a score in both runs."""

    mean: float
    low: float
    high: float
    """The interval of the mean under resampling of clusters (see `resampling.intervals`)."""

    p_value: float
    """Two-sided, by exchange of the two runs' scores (Fisher's randomisation, as Smucker et al. 2007 advise)."""

    first_higher: int
    equal: int
    first_lower: int
    clusters: int = 0
    """Groups of questions that were drawn and exchanged together."""

    exact: bool = False
    """Whether every exchange was counted and not a sample of them."""

    t_p: float = 1.0
    """Two-sided p of the paired t test, cluster-robust; the plain one when every question is its own cluster."""

    effect: float | None = None
    """The mean over the standard deviation of the differences (Cohen's d_z); None when they do not vary."""

    only_first: int = 0
    """Questions with a score in the first run alone."""

    only_second: int = 0
    adjusted_p: float | None = None
    """`p_value` for the whole family of comparisons it was made with; None when it was made alone."""

    @property
    def significant(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def paired_difference(
    first: BenchmarkResult,
    second: BenchmarkResult,
    metric: str,
    *,
    resamples: int,
    seed: int,
    confidence: float,
    gold: Mapping[str, Sequence[str]] | None = None,
) -> PairedDifference:
    """See `Comparison.paired_bootstrap`."""
    if resamples < 1 or not 0 < confidence < 1:
        raise ConfigurationError(f"resamples={resamples!r} is at least 1, confidence={confidence!r} between 0 and 1")
    nothing = f"{first.name!r} and {second.name!r} share no question with a score of {metric!r}"
    try:
        matrix = score_matrix([first, second], metric, gold=gold)
    except ConfigurationError:
        raise ConfigurationError(nothing) from None
    if not matrix.known.all(axis=0).any():
        raise ConfigurationError(nothing)
    return differences_to(matrix, 0, [1], resamples=resamples, seed=seed, confidence=confidence)[0]


def differences_to(
    matrix: ScoreMatrix, first: int, others: Sequence[int], *, resamples: int, seed: int, confidence: float
) -> list[PairedDifference]:
    """The difference of one run to each of some others; a pair without a shared question is left out."""
    known = matrix.known[first] & matrix.known[list(others)]
    values = np.where(known, matrix.scores[first] - matrix.scores[list(others)], 0.0)
    data = cluster_sums(values, known, matrix.labels)
    ends = intervals(data, resamples=resamples, seed=seed, confidence=confidence)
    p_values, exact = flip_p(data, resamples=resamples, seed=seed)
    t_values = clustered_t(data)
    found = []
    for place, other in enumerate(others):
        if known[place].any():
            row = values[place][known[place]]
            found.append(
                PairedDifference(
                    metric=matrix.metric,
                    first=matrix.runs[first],
                    second=matrix.runs[other],
                    shared=len(row),
                    mean=float(row.mean()),
                    low=float(ends[place, 0]),
                    high=float(ends[place, 1]),
                    p_value=float(p_values[place]),
                    first_higher=int((row > 0).sum()),
                    equal=int((row == 0).sum()),
                    first_lower=int((row < 0).sum()),
                    clusters=int((data.counts[place] > 0).sum()),
                    exact=exact,
                    t_p=t_values[place],
                    effect=_effect(row),
                    only_first=int((matrix.known[first] & ~matrix.known[other]).sum()),
                    only_second=int((matrix.known[other] & ~matrix.known[first]).sum()),
                )
            )
    return found


def _effect(row: Floats) -> float | None:
    spread = float(row.std(ddof=1)) if len(row) > 1 else 0.0
    return float(row.mean()) / spread if spread > 0 else None


def clustered_error(data: ClusterSums) -> Floats:
    """The standard error of each mean with clusters (Liang and Zeger 1986, times C / (C - 1)); 0 for a single one."""
    counts = data.counts.sum(axis=1)
    residuals = data.sums - data.estimates[:, None] * data.counts
    clusters = (data.counts > 0).sum(axis=1)
    scale = np.where(clusters > 1, clusters / np.maximum(clusters - 1, 1), 0.0)
    return np.asarray(np.sqrt(scale * (residuals**2).sum(axis=1)) / np.maximum(counts, 1))


def clustered_t(data: ClusterSums) -> list[float]:
    """The two-sided p of each mean against zero, on C - 1 degrees of freedom."""
    errors, clusters = clustered_error(data), (data.counts > 0).sum(axis=1)
    found = []
    for mean, error, count in zip(data.estimates, errors, clusters, strict=True):
        if error < 1e-12 * max(abs(mean), 1e-300) or count < 2:
            found.append(1.0 if math.isclose(mean, 0.0, abs_tol=1e-15) or count < 2 else 0.0)
        else:
            found.append(min(1.0, 2 * t_sf(abs(float(mean / error)), int(count) - 1)))
    return [max(p, 1e-300) for p in found]
