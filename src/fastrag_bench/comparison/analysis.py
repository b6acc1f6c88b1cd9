"""All that a comparison says about one metric: who is best, by how much, what decides it, and what to take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fastrag_bench.comparison.factors import Factors, factors
from fastrag_bench.comparison.matrix import Floats, ScoreMatrix, score_matrix
from fastrag_bench.comparison.power import questions_needed, typical_spread
from fastrag_bench.comparison.repeats import VarianceParts, repeat_parts
from fastrag_bench.comparison.standing import Standing, standing
from fastrag_bench.comparison.study import Study
from fastrag_bench.comparison.table import question_sets
from fastrag_bench.comparison.tradeoffs import Optimism, optimism
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult

SMALL = 0.02
"""The difference that the number of questions is judged by."""
FEW_CLUSTERS = 10


@dataclass(frozen=True)
class Analysis:
    """One metric over the runs that were asked the same questions, each distinct pipeline once."""

    metric: str
    matrix: ScoreMatrix
    standing: Standing
    optimism: Optimism | None
    factors: Factors
    repeats: Mapping[str, VarianceParts]
    needed: int | None
    """Questions it would take to see a difference of SMALL between the best and a typical other run."""

    results: Sequence[BenchmarkResult]
    """The runs of the matrix, in its order."""

    study: Study
    warnings: Sequence[str]

    @property
    def best(self) -> BenchmarkResult:
        """The run that comes out on top."""
        return self.results[self.standing.best]


def analyse(
    results: Sequence[BenchmarkResult],
    metric: str,
    *,
    higher: bool,
    study: Study | None = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Analysis:
    """Analyse one metric.

    Of several question sets, the one most runs share is taken; of identical pipelines, the first; runs without any
    score are left out; each is said in the warnings.

    Args:
        results: the runs.
        metric: what is judged.
        higher: whether more of it is better.
        study: what else is known.
        names: how the runs are called, where two have one name.
        seed: the same seed gives the same figures.
        confidence: of all intervals.

    Raises:
        ConfigurationError: no run has a score of the metric.
    """
    study = study or Study()
    labels = list(names or [result.name for result in results])
    chosen, warnings = _comparable(results, labels, metric, study)
    kept = [results[place] for place in chosen]
    matrix = score_matrix(kept, metric, gold=study.gold, higher=higher, names=[labels[place] for place in chosen])
    ranked = standing(matrix, best=_best(matrix), seed=seed, confidence=confidence)
    spread = typical_spread(matrix, ranked.best)
    needed = questions_needed(spread[0], SMALL, design=spread[1]) if spread else None
    return Analysis(
        metric=metric,
        matrix=matrix,
        standing=ranked,
        optimism=optimism(matrix, seed=seed),
        factors=factors(matrix, study, seed=seed, confidence=confidence),
        repeats=repeat_parts(matrix),
        needed=needed,
        results=kept,
        study=study,
        warnings=[*warnings, *_warnings(matrix, needed)],
    )


def _comparable(
    results: Sequence[BenchmarkResult], labels: Sequence[str], metric: str, study: Study
) -> tuple[list[int], list[str]]:
    measured = [
        place for place, each in enumerate(results) if metric in each.summary and each.summary[metric].count > 0
    ]
    if not measured:
        raise ConfigurationError(f"no run has a score of {metric!r}")
    sets = question_sets([results[place] for place in measured])
    largest = max(sets, key=len)
    warnings = []
    if len(sets) > 1:
        left = len(measured) - len(largest)
        who = "1 run was" if left == 1 else f"{left} runs were"
        warnings.append(f"{who} asked other questions and not compared with the {len(largest)} others")
    chosen = [measured[place] for place in largest]
    there = {results[place].name for place in chosen}
    distinct = [place for place in chosen if study.identical.get(results[place].name) not in there]
    return distinct or chosen, warnings


def _best(matrix: ScoreMatrix) -> int:
    """The best mean, where a question without a score counts as the worst score that any run has of any question."""
    return int(np.argmax(_guarded(matrix)))


def _guarded(matrix: ScoreMatrix) -> Floats:
    known = matrix.scores[matrix.known]
    worst = min(0.0, float(known.min())) if matrix.higher else float(known.max())
    filled = np.where(matrix.known, matrix.scores, worst).mean(axis=1)
    return np.asarray(filled if matrix.higher else -filled)


def _warnings(matrix: ScoreMatrix, needed: int | None) -> list[str]:
    found = []
    missing = matrix.missing
    if max(missing) != min(missing):
        worst = missing.index(max(missing))
        found.append(
            f"scores of {matrix.metric} are missing unequally, most in {matrix.runs[worst]} ({missing[worst]} of "
            f"{len(matrix.questions)} questions): means are over different questions, differences over shared ones"
        )
    if matrix.clusters < FEW_CLUSTERS:
        found.append(
            f"the {len(matrix.questions)} questions form only {matrix.clusters} clusters by gold document: "
            "intervals are rough"
        )
    if needed is not None and needed > len(matrix.questions) and len(matrix.runs) > 1:
        visible = SMALL * math.sqrt(needed / len(matrix.questions))
        found.append(
            f"{len(matrix.questions):,} questions show differences of about {visible:.2g} in {matrix.metric} between "
            f"two runs; to see {SMALL:g} takes about {needed:,}"
        )
    return found
