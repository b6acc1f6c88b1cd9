"""The scores of several runs on the same questions, as one array."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.comparison.clusters import clusters_by_gold
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Key = tuple[str, int]
"""A question and which of its occurrences: of a question that stands twice, the n-th goes with the n-th."""


@dataclass(frozen=True)
class ScoreMatrix:
    """Scores of R runs on Q questions; `known` says which of them there are, the others are 0."""

    metric: str
    runs: tuple[str, ...]
    questions: tuple[Key, ...]
    scores: Floats
    known: Bools
    labels: NDArray[np.int64]
    """The cluster of each question, counting up from 0."""
    higher: bool = True
    not_applicable: int = 0
    """Questions left out since no run has a score of them."""

    @property
    def clusters(self) -> int:
        """How many clusters the questions form."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @property
    def complete(self) -> bool:
        """Whether every run has a score of every question."""
        return bool(self.known.all())

    @property
    def means(self) -> Floats:
        """The mean of each run over the questions it has; 0 for a run that has none."""
        return np.asarray(self.scores.sum(axis=1) / np.maximum(self.known.sum(axis=1), 1))

    @property
    def missing(self) -> list[int]:
        """How many applicable questions each run has no score of."""
        return [int(count) for count in (~self.known).sum(axis=1)]

    def keep(self, places: Sequence[int]) -> ScoreMatrix:
        """The same questions with only some of the runs."""
        chosen = list(places)
        runs = tuple(self.runs[place] for place in chosen)
        return replace(self, runs=runs, scores=self.scores[chosen], known=self.known[chosen])

    def on(self, questions: Bools) -> ScoreMatrix:
        """The same runs on some of the questions."""
        names = tuple(key for key, wanted in zip(self.questions, questions, strict=True) if wanted)
        labels = _relabelled(self.labels[questions])
        return replace(
            self, questions=names, scores=self.scores[:, questions], known=self.known[:, questions], labels=labels
        )


def _relabelled(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def keyed_scores(result: BenchmarkResult, metric: str) -> dict[Key, float | None]:
    """The score of each question, None where there is none."""
    seen: dict[str, int] = {}
    found: dict[Key, float | None] = {}
    for sample in result.samples:
        seen[sample.question] = seen.get(sample.question, 0) + 1
        score = sample.scores.get(metric)
        usable = score is not None and math.isfinite(score)
        found[sample.question, seen[sample.question]] = score if usable else None
    return found


def score_matrix(
    results: Sequence[BenchmarkResult],
    metric: str,
    *,
    gold: Mapping[str, Sequence[str]] | None = None,
    higher: bool = True,
    names: Sequence[str] | None = None,
) -> ScoreMatrix:
    """The scores of a metric over the questions that all runs were asked; a question without any score is left out.

    Args:
        results: the runs, all asked at least one question in common.
        metric: the metric's name.
        gold: the gold ids of each question; questions of one document form a cluster. Without it each question is one.
        higher: whether more is better.
        names: how the runs are called, if not by their own names.

    Raises:
        ConfigurationError: no question has a score in any run.
    """
    tables = [keyed_scores(result, metric) for result in results]
    shared = [key for key in (tables[0] if tables else {}) if all(key in table for table in tables)]
    asked = [key for key in shared if any(table[key] is not None for table in tables)]
    if not asked:
        raise ConfigurationError(f"the runs share no question with a score of {metric!r}")
    values = [[table[key] for key in asked] for table in tables]
    known = np.array([[value is not None for value in row] for row in values])
    scores = np.array([[0.0 if value is None else value for value in row] for row in values])
    gold = gold or {}
    return ScoreMatrix(
        metric=metric,
        runs=tuple(names or [result.name for result in results]),
        questions=tuple(asked),
        scores=scores,
        known=known,
        labels=clusters_by_gold([gold.get(question, ()) for question, _ in asked]),
        higher=higher,
        not_applicable=len(shared) - len(asked),
    )
