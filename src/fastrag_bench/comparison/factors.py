"""What each setting is worth: its effect over the contexts in which both of its levels ran, and what interacts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from fastrag_bench.comparison.matrix import Floats, ScoreMatrix
from fastrag_bench.comparison.resampling import ClusterSums, cluster_sums, intervals, max_t_p
from fastrag_bench.comparison.study import Study, axes_of

ALPHA = 0.05
MOST_INTERACTIONS = 2_000
RESAMPLES = 4_000


@dataclass(frozen=True)
class Effect:
    """How much a metric rises from one level of an axis to another, everything else equal."""

    axis: str
    low_level: str
    """The level it is taken from."""

    high_level: str
    mean: float
    low: float
    high: float
    adjusted_p: float
    """Over all effects of the table, by max-T."""

    contexts: int
    """Combinations of the other settings in which both levels ran."""

    questions: int
    constructed: bool = False
    """The metric follows this axis whatever the quality, so this is no merit."""

    @property
    def seen(self) -> bool:
        """Whether it is more than chance."""
        return self.adjusted_p <= ALPHA


@dataclass(frozen=True)
class Interaction:
    """How much the effect of one axis changes with the level of another."""

    axes: tuple[str, str]
    levels: tuple[tuple[str, str], tuple[str, str]]
    mean: float
    low: float
    high: float
    adjusted_p: float
    contexts: int


@dataclass(frozen=True)
class Factors:
    """The effects of all axes on one metric."""

    metric: str
    effects: list[Effect]
    interactions: list[Interaction]
    """The strongest of each pair of axes, most certain first."""

    unmatched: list[str]
    """Pairs of levels that never ran in the same context."""

    def of(self, axis: str) -> list[Effect]:
        """The effects of one axis."""
        return [effect for effect in self.effects if effect.axis == axis]

    @property
    def axes(self) -> list[str]:
        """The axes with an effect to show."""
        return list(dict.fromkeys(effect.axis for effect in self.effects))


Settings = Sequence[dict[str, str]]


def factors(matrix: ScoreMatrix, study: Study, *, seed: int = 0, confidence: float = 0.95) -> Factors:
    """Compare levels in matched contexts, also on incomplete grids.

    An effect is the mean over matched contexts of the paired difference; its interval resamples clusters of questions,
    so it is about new questions, not about other contexts. Runs of identical pipelines must be left out before.
    """
    axes = axes_of(study, matrix.runs)
    settings: Settings = [
        {axis: level for axis in axes for level, places in axes[axis].items() if place in places}
        for place in range(len(matrix.runs))
    ]
    found: list[Effect] = []
    unmatched: list[str] = []
    weights: list[Floats] = []
    for axis, levels in axes.items():
        for one, other in combinations(levels, 2):
            pairs = list(_matched(settings, axis, one, other))
            if not pairs:
                unmatched.append(f"{axis}: {one} and {other}")
                continue
            weights.append(_mean_weights(len(matrix.runs), [(b, 1) for _, b in pairs] + [(a, -1) for a, _ in pairs]))
            constructed = matrix.metric in study.follows.get(axis, frozenset())
            found.append(Effect(axis, one, other, 0.0, 0.0, 0.0, 1.0, len(pairs), 0, constructed))
    effects = [
        replace(effect, mean=mean, low=low, high=high, adjusted_p=p, questions=questions)
        for effect, (mean, low, high, p, questions) in zip(
            found, _estimates(matrix, weights, seed, confidence), strict=True
        )
        if questions
    ]
    return Factors(matrix.metric, effects, _interactions(matrix, axes, settings, seed, confidence), unmatched)


def _matched(settings: Settings, axis: str, one: str, other: str) -> Iterator[tuple[int, int]]:
    """Pairs of runs that differ in this axis alone."""
    places = {_context(each, (axis,)): place for place, each in enumerate(settings) if each[axis] == one}
    for place, each in enumerate(settings):
        if each[axis] == other and (partner := places.get(_context(each, (axis,)))) is not None:
            yield partner, place


def _context(settings: dict[str, str], without: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((axis, level) for axis, level in settings.items() if axis not in without)


def _mean_weights(runs: int, signed: Sequence[tuple[int, int]]) -> Floats:
    """A contrast over runs: the mean of those with +1 less the mean of those with -1."""
    weights = np.zeros(runs)
    plus = sum(sign > 0 for _, sign in signed)
    for place, sign in signed:
        weights[place] += sign / plus
    return weights


def _contrasts(matrix: ScoreMatrix, weights: Sequence[Floats]) -> ClusterSums:
    """Each contrast on the questions that all of its runs have."""
    array = np.array(weights)
    lacking = (array != 0).astype(np.float64) @ (~matrix.known).astype(np.float64)
    return cluster_sums(array @ matrix.scores, lacking == 0, matrix.labels)


def _estimates(
    matrix: ScoreMatrix, weights: Sequence[Floats], seed: int, confidence: float
) -> list[tuple[float, float, float, float, int]]:
    """Mean, ends of the interval, adjusted p and number of questions of each contrast."""
    if not weights:
        return []
    data = _contrasts(matrix, weights)
    data = ClusterSums(np.where(np.abs(data.sums) < 1e-12, 0.0, data.sums), data.counts)
    ends = intervals(data, resamples=RESAMPLES, seed=seed, confidence=confidence)
    p_values = max_t_p(data, resamples=RESAMPLES, seed=seed)
    counts = data.counts.sum(axis=1)
    rows = zip(data.estimates, ends[:, 0], ends[:, 1], p_values, counts, strict=True)
    return [(float(mean), float(low), float(high), float(p), int(count)) for mean, low, high, p, count in rows]


def _interactions(
    matrix: ScoreMatrix, axes: dict[str, dict[str, list[int]]], settings: Settings, seed: int, confidence: float
) -> list[Interaction]:
    found: list[Interaction] = []
    weights: list[Floats] = []
    for (first, second), one, other in _crossings(axes):
        squares = list(_squares(settings, (first, second), one, other))
        if squares and len(weights) < MOST_INTERACTIONS:
            signed = [(place, sign) for square in squares for place, sign in zip(square, (1, -1, -1, 1), strict=True)]
            weights.append(_mean_weights(len(matrix.runs), signed) * 2)
            found.append(Interaction((first, second), (one, other), 0.0, 0.0, 0.0, 1.0, len(squares)))
    shown: dict[tuple[str, str], Interaction] = {}
    for interaction, (mean, low, high, p, _) in zip(found, _estimates(matrix, weights, seed, confidence), strict=True):
        held = shown.get(interaction.axes)
        if held is None or (p, -abs(mean)) < (held.adjusted_p, -abs(held.mean)):
            shown[interaction.axes] = replace(interaction, mean=mean, low=low, high=high, adjusted_p=p)
    return sorted(shown.values(), key=lambda each: (each.adjusted_p, -abs(each.mean)))


def _crossings(
    axes: dict[str, dict[str, list[int]]],
) -> Iterator[tuple[tuple[str, str], tuple[str, str], tuple[str, str]]]:
    for first, second in combinations(axes, 2):
        for one in combinations(axes[first], 2):
            for other in combinations(axes[second], 2):
                yield (first, second), one, other


def _squares(
    settings: Settings, axes: tuple[str, str], one: tuple[str, str], other: tuple[str, str]
) -> Iterator[tuple[int, int, int, int]]:
    """Four runs that differ in two axes alone: both low, first high, second high, both high."""
    corners: dict[tuple[tuple[str, str], ...], dict[tuple[str, str], int]] = {}
    for place, each in enumerate(settings):
        if each[axes[0]] in one and each[axes[1]] in other:
            corners.setdefault(_context(each, axes), {})[each[axes[0]], each[axes[1]]] = place
    for held in corners.values():
        if len(held) == 4:
            a, b = one
            c, d = other
            yield held[a, c], held[b, c], held[a, d], held[b, d]
