"""The difference of two runs on the questions both have answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult

BLOCK = 2_000_000
"""Numbers held at once while resampling."""


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
    """The percentile interval of the mean under resampling of questions (Efron and Tibshirani 1993, chapter 13)."""

    p_value: float
    """Two-sided, by random exchange of the two runs' scores (Fisher's randomisation, as Smucker et al. 2007 advise)."""

    first_higher: int
    equal: int
    first_lower: int

    @property
    def significant(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def paired_difference(
    first: BenchmarkResult, second: BenchmarkResult, metric: str, *, resamples: int, seed: int, confidence: float
) -> PairedDifference:
    """See `Comparison.paired_bootstrap`."""
    if resamples < 1 or not 0 < confidence < 1:
        raise ConfigurationError(f"resamples={resamples!r} is at least 1, confidence={confidence!r} between 0 and 1")
    mine, theirs = dict(_scores(first, metric)), dict(_scores(second, metric))
    differences = np.array([mine[key] - theirs[key] for key in mine if key in theirs])
    if not len(differences):
        raise ConfigurationError(f"{first.name!r} and {second.name!r} share no question with a score of {metric!r}")
    tail = 100 * (1 - confidence) / 2
    means = _resampled_means(differences, resamples, seed)
    low, high = (float(end) for end in np.percentile(means, [tail, 100 - tail]))
    return PairedDifference(
        metric=metric,
        first=first.name,
        second=second.name,
        shared=len(differences),
        mean=float(differences.mean()),
        low=low,
        high=high,
        p_value=_exchange_p(differences, resamples, seed),
        first_higher=int((differences > 0).sum()),
        equal=int((differences == 0).sum()),
        first_lower=int((differences < 0).sum()),
    )


def _scores(result: BenchmarkResult, metric: str) -> Iterator[tuple[tuple[str, int], float]]:
    """Scores by question; of a question that stands twice, the n-th goes with the n-th."""
    seen: dict[str, int] = {}
    for sample in result.samples:
        seen[sample.question] = seen.get(sample.question, 0) + 1
        score = sample.scores.get(metric)
        if score is not None:
            yield (sample.question, seen[sample.question]), score


def _blocks(resamples: int, size: int) -> Iterator[int]:
    step = max(1, BLOCK // size)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def _resampled_means(differences: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    generator = np.random.default_rng([seed, 0])
    size = len(differences)
    return np.concatenate(
        [differences[generator.integers(0, size, (rows, size))].mean(axis=1) for rows in _blocks(resamples, size)]
    )


def _exchange_p(differences: NDArray[np.float64], resamples: int, seed: int) -> float:
    generator = np.random.default_rng([seed, 1])
    observed = abs(differences.sum()) * (1 - 1e-9)
    extreme = sum(
        int((np.abs(generator.choice((-1.0, 1.0), (rows, len(differences))) @ differences) >= observed).sum())
        for rows in _blocks(resamples, len(differences))
    )
    return (extreme + 1) / (resamples + 1)
