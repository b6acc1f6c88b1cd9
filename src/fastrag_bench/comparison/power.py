"""How many questions it takes to see a difference."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from fastrag_bench.comparison.matrix import ScoreMatrix
from fastrag_bench.comparison.paired import clustered_error
from fastrag_bench.comparison.resampling import cluster_sums

POWER = 0.8


def questions_needed(
    deviation: float, difference: float, *, alpha: float = 0.05, power: float = POWER, design: float = 1.0
) -> int:
    """Questions for a paired two-sided test to see `difference` with this power (normal approximation).

    Args:
        deviation: the standard deviation of the differences of single questions.
        difference: the true mean difference, not 0.
        alpha: the level of the test.
        power: the chance of seeing it.
        design: how much clusters inflate the variance of a mean, 1 for independent questions (Kish's design effect).
    """
    reach = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    return max(2, math.ceil(design * (reach * deviation / difference) ** 2))


def visible_difference(error: float, *, alpha: float = 0.05, power: float = POWER) -> float:
    """The difference that a paired test with this standard error sees with this power."""
    return (NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)) * error


def typical_spread(matrix: ScoreMatrix, run: int) -> tuple[float, float] | None:
    """Over the pairs of a run with each other one: the median deviation of single differences, and the design effect.

    None when no pair of runs differs on any question.
    """
    others = [place for place in range(len(matrix.runs)) if place != run]
    if not others:
        return None
    known = matrix.known[run] & matrix.known[others]
    values = np.where(known, matrix.scores[run] - matrix.scores[others], 0.0)
    data = cluster_sums(values, known, matrix.labels)
    counts = np.maximum(known.sum(axis=1), 2)
    mean = values.sum(axis=1) / counts
    deviations = np.sqrt(np.where(known, (values - mean[:, None]) ** 2, 0.0).sum(axis=1) / (counts - 1))
    kept = deviations > 0
    if not kept.any():
        return None
    design = (clustered_error(data)[kept] ** 2) * counts[kept] / deviations[kept] ** 2
    return float(np.median(deviations[kept])), max(1.0, float(np.median(design)))
