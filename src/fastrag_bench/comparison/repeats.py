"""The same pipeline run several times: how much of the spread is the questions', and how much is the repeat's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastrag_bench.comparison.matrix import Floats, ScoreMatrix

_REPEAT = re.compile(r"#\d+\Z|(?:(?<=,)|\A)(?:[\w.]*\bseed=[^,]*)(?:,|\Z)")


@dataclass(frozen=True)
class VarianceParts:
    """Variance components of a question x repeat table, two-way without replication (Searle et al. 1992, chapter 4)."""

    question: float
    """Between questions."""

    repeat: float
    """Between repeats as wholes: what a new seed moves every question by."""

    residual: float
    """What is left: question by repeat."""

    repeats: int
    questions: int

    @property
    def repeat_error(self) -> float:
        """The standard error that repeats alone give a mean over all questions and one repeat."""
        return float((self.repeat + self.residual / self.questions) ** 0.5)


def variance_parts(scores: Floats) -> VarianceParts:
    """Split the variance of an R x Q table, R and Q at least 2, without missing scores; no part is negative."""
    repeats, questions = scores.shape
    grand = scores.mean()
    by_question, by_repeat = scores.mean(axis=0), scores.mean(axis=1)
    between_questions = repeats * ((by_question - grand) ** 2).sum() / (questions - 1)
    between_repeats = questions * ((by_repeat - grand) ** 2).sum() / (repeats - 1)
    left = scores - by_question[None, :] - by_repeat[:, None] + grand
    residual = (left**2).sum() / ((repeats - 1) * (questions - 1))
    return VarianceParts(
        question=max(0.0, float(between_questions - residual) / repeats),
        repeat=max(0.0, float(between_repeats - residual) / questions),
        residual=float(residual),
        repeats=repeats,
        questions=questions,
    )


def repeats_of(names: Sequence[str]) -> dict[str, list[int]]:
    """The places of runs that are one pipeline repeated: `name#2`, and names that differ in a seed alone."""
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        groups.setdefault(_REPEAT.sub("", name).rstrip(",") or "default", []).append(place)
    return {name: places for name, places in groups.items() if len(places) > 1}


def repeat_parts(matrix: ScoreMatrix) -> dict[str, VarianceParts]:
    """The parts for each repeated pipeline of a matrix, over the questions that all its repeats have."""
    found = {}
    for name, places in repeats_of(matrix.runs).items():
        whole = matrix.known[places].all(axis=0)
        if whole.sum() > 1:
            found[name] = variance_parts(matrix.scores[places][:, whole])
    return found
