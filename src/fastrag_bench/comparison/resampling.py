"""Bootstrap and sign flips over clusters of questions, for many contrasts at once, as products of matrices.

A contrast is a number for each question, such as the difference of two runs. What comes in are its sums over clusters
and how many questions each cluster has, so that the work follows clusters and not questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.comparison.matrix import Bools, Floats
from fastrag_bench.comparison.student import t_quantile

BLOCK = 2_000_000
"""Numbers held at once while resampling."""
TOLERANCE = 1e-9
"""Flipped sums this close, relatively, are as extreme as the observed one: floating point must not break a tie."""


@dataclass(frozen=True)
class ClusterSums:
    """E contrasts over C clusters: sums of their values, and counts of their questions."""

    sums: Floats
    counts: Floats

    @property
    def estimates(self) -> Floats:
        """The mean over questions of each contrast."""
        return np.asarray(self.sums.sum(axis=1) / np.maximum(self.counts.sum(axis=1), 1))


def cluster_sums(values: Floats, known: Bools, labels: NDArray[np.int64]) -> ClusterSums:
    """Add E x Q values up by cluster; what is not known counts for nothing."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(labels[order]) > 0])
    kept = np.where(known, values, 0.0)[:, order]
    return ClusterSums(
        np.add.reduceat(kept, starts, axis=1), np.add.reduceat(known[:, order].astype(np.float64), starts, axis=1)
    )


def _blocks(resamples: int, size: int) -> Iterator[int]:
    step = max(1, BLOCK // max(size, 1))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def draws(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn in each bootstrap sample, in blocks of rows."""
    generator = np.random.default_rng([seed, 0])
    for rows in _blocks(resamples, clusters):
        picks = generator.integers(0, clusters, (rows, clusters)) + np.arange(rows)[:, None] * clusters
        yield np.bincount(picks.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(np.float64)


def resampled_means(data: ClusterSums, *, resamples: int, seed: int) -> Floats:
    """The mean of each contrast in each bootstrap sample of clusters, resamples x E."""
    same = bool((data.counts == data.counts[:1]).all())
    counts = data.counts[:1] if same else data.counts
    blocks = []
    for weights in draws(data.sums.shape[1], resamples, seed):
        blocks.append((weights @ data.sums.T) / np.maximum(weights @ counts.T, 1.0))
    return np.concatenate(blocks)


def intervals(data: ClusterSums, *, resamples: int, seed: int, confidence: float) -> Floats:
    """E x 2: the ends of the percentile interval of each contrast under resampling of clusters.

    With few clusters percentile intervals are too narrow, so the tails are moved out to where Student's interval of as
    many clusters would have them (the expanded percentile interval, Hesterberg 2015, section 4.1).
    """
    means = resampled_means(data, resamples=resamples, seed=seed)
    tail = 100 * expanded_tail(data.sums.shape[1], confidence)
    return np.asarray(np.percentile(means, [tail, 100 - tail], axis=0).T, dtype=np.float64)


def expanded_tail(clusters: int, confidence: float) -> float:
    """The share cut off at each end, below (1 - confidence) / 2 for few clusters."""
    tail = (1 - confidence) / 2
    if clusters < 2:
        return tail
    stretched = t_quantile(1 - tail, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    return max(NormalDist().cdf(-stretched), 1e-6)


def flips(clusters: int, resamples: int, seed: int) -> tuple[bool, Iterator[Floats]]:
    """Signs for each cluster, in blocks of rows, and whether they are all that there are.

    All sign patterns are taken, up to the turn of all signs at once, when they are no more than the resamples.
    """
    if clusters <= 20 and 2 ** (clusters - 1) <= resamples:
        patterns = np.arange(2 ** (clusters - 1))[:, None] >> np.arange(clusters)
        return True, iter([np.asarray(1.0 - 2.0 * (patterns & 1), dtype=np.float64)])
    return False, _random_signs(clusters, resamples, seed)


def _random_signs(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng([seed, 1])
    width = -(-clusters // 8)
    for rows in _blocks(resamples, clusters):
        packed = np.frombuffer(generator.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        yield 1.0 - 2.0 * np.unpackbits(packed, axis=1, count=clusters).astype(np.float64)


def flip_p(data: ClusterSums, *, resamples: int, seed: int) -> tuple[Floats, bool]:
    """Two-sided p of each contrast when the signs of clusters are exchanged, and whether that was exact.

    Never 0: the observed signs are one of all, and count as one more of a random set (Phipson and Smyth 2010).
    """
    observed = np.abs(data.sums.sum(axis=1)) * (1 - TOLERANCE)
    exact, blocks = flips(data.sums.shape[1], resamples, seed)
    extreme, seen = np.zeros(len(observed)), 0
    for signs in blocks:
        extreme += (np.abs(signs @ data.sums.T) >= observed).sum(axis=0)
        seen += len(signs)
    return (extreme / seen if exact else (extreme + 1) / (seen + 1)), exact


def studentised(sums: Floats) -> Floats:
    """|sum| over the root of the sum of squares of each row: the size that sign flips leave comparable."""
    scale = np.sqrt((sums**2).sum(axis=-1))
    return np.asarray(np.divide(np.abs(sums.sum(axis=-1)), scale, out=np.zeros_like(scale), where=scale > 0))


def max_t_p(data: ClusterSums, *, resamples: int, seed: int) -> Floats:
    """The p of each contrast, adjusted for looking at all of them: single-step max-T (Westfall and Young 1993)."""
    observed = studentised(data.sums) * (1 - TOLERANCE)
    scale = np.sqrt((data.sums**2).sum(axis=1))
    scaled = np.divide(data.sums, scale[:, None], out=np.zeros_like(data.sums), where=scale[:, None] > 0)
    exact, blocks = flips(data.sums.shape[1], resamples, seed)
    largest = np.concatenate([_largest(signs, scaled) for signs in blocks])
    return adjusted(observed, largest, exact=exact)


def _largest(signs: Floats, scaled: Floats) -> Floats:
    found = np.zeros(len(signs))
    step = max(1, BLOCK // max(len(signs), 1))
    for start in range(0, len(scaled), step):
        np.maximum(found, np.abs(signs @ scaled[start : start + step].T).max(axis=1), out=found)
    return found


def adjusted(observed: Floats, largest: Floats, *, exact: bool) -> Floats:
    """The share of flips whose largest statistic reaches each observed one."""
    ordered = np.sort(largest)
    extreme = len(ordered) - np.searchsorted(ordered, observed, side="left")
    found = extreme / len(ordered) if exact else (extreme + 1) / (len(ordered) + 1)
    return np.asarray(np.where(observed > 0, found, 1.0), dtype=np.float64)
