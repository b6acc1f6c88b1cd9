"""Choosing when figures pull apart: fronts over several of them, limits, order of importance, the winner's optimism."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastrag_bench.comparison.matrix import Floats, ScoreMatrix
from fastrag_bench.comparison.resampling import cluster_sums, draws
from fastrag_bench.errors import ConfigurationError

_CONSTRAINT = re.compile(r"\s*(?P<metric>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<limit>[-+0-9.eE]+)\s*\Z")


def front(figures: Sequence[Sequence[float | None]], higher: Sequence[bool]) -> list[int]:
    """The rows that no other row beats: at least as good in every figure and better in one.

    A row with a figure that is not known is neither on the front nor beats any.
    """
    signs = [1.0 if up else -1.0 for up in higher]
    points = {
        place: tuple(sign * value for sign, value in zip(signs, row, strict=True) if value is not None)
        for place, row in enumerate(figures)
        if all(value is not None for value in row)
    }
    array = np.array(list(points.values()), dtype=np.float64).reshape(len(points), len(signs))
    kept = []
    for place, point in zip(points, array, strict=True):
        at_least = (array >= point).all(axis=1)
        if not (at_least & (array > point).any(axis=1)).any():
            kept.append(place)
    return kept


@dataclass(frozen=True)
class Constraint:
    """A limit on a figure, as in `latency_ms.p95<=200`."""

    metric: str
    stat: str
    sign: str
    limit: float

    def holds(self, value: float | None) -> bool:
        """Whether a figure keeps the limit; one that is not known does not."""
        if value is None:
            return False
        below, equal = value < self.limit, value == self.limit
        return {"<": below, "<=": below or equal, ">": not (below or equal), ">=": not below}[self.sign]

    def __str__(self) -> str:
        name = self.metric if self.stat == "mean" else f"{self.metric}.{self.stat}"
        return f"{name}{self.sign}{self.limit:g}"


def parse_constraint(text: str, stats: Sequence[str]) -> Constraint:
    """Read `METRIC[.STAT]<=NUMBER`.

    Raises:
        ConfigurationError: it is not of this form.
    """
    found = _CONSTRAINT.match(text)
    try:
        limit = float(found["limit"]) if found else None
    except ValueError:
        limit = None
    if found is None or limit is None:
        raise ConfigurationError(f"{text!r} is not a limit; one reads METRIC<=NUMBER, as in latency_ms.p95<=200")
    metric, dot, stat = found["metric"].rpartition(".")
    if dot and stat in stats:
        return Constraint(metric, stat, found["sign"], limit)
    return Constraint(found["metric"], "mean", found["sign"], limit)


@dataclass(frozen=True)
class Optimism:
    """The best mean of many is too high by chance; this is its choice judged on questions that did not choose it."""

    raw: float
    out_of_bag: float
    """The mean score, on the clusters left out of a bootstrap sample, of the run that is best inside it."""

    shrunk: float
    """The out-of-bag figure, never better than the raw one."""

    chosen: Floats
    """How often each run was the best of a sample: near 1 for a clear winner."""


def optimism(matrix: ScoreMatrix, *, resamples: int = 2_000, seed: int = 0) -> Optimism | None:
    """Bootstrap-bias-corrected figure of the winner (Tsamardinos et al. 2018), clusters of questions drawn together.

    None with fewer than two runs or three clusters.
    """
    if len(matrix.runs) < 2 or matrix.clusters < 3:
        return None
    data = cluster_sums(matrix.scores, matrix.known, matrix.labels)
    sign = 1.0 if matrix.higher else -1.0
    total, seen = 0.0, 0
    chosen = np.zeros(len(matrix.runs))
    for weights in draws(matrix.clusters, resamples, seed):
        counts = weights @ data.counts.T
        inside = np.where(counts > 0, sign * (weights @ data.sums.T) / np.maximum(counts, 1.0), -np.inf)
        winners = inside.argmax(axis=1)
        left_out = (weights == 0).astype(np.float64)
        sums = (left_out * data.sums[winners]).sum(axis=1)
        held = (left_out * data.counts[winners]).sum(axis=1)
        usable = held > 0
        total += float((sums[usable] / held[usable]).sum())
        seen += int(usable.sum())
        chosen += np.bincount(winners, minlength=len(chosen))
    if not seen:
        return None
    means = np.where(matrix.known.any(axis=1), sign * matrix.means, -np.inf)
    raw = float(sign * means.max())
    outside = total / seen
    return Optimism(raw, outside, min(raw, outside) if matrix.higher else max(raw, outside), chosen / chosen.sum())
