"""Scores of outcomes: a metric that fails or has nothing to say costs one None, never the answer or the run."""

from __future__ import annotations

import inspect
import logging
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastrag_bench.contracts import Metric
from fastrag_bench.error_text import error_text
from fastrag_bench.errors import StageError
from fastrag_bench.results import SampleResult, SampleStatus
from fastrag_bench.types import DistributionSummary, EvalSample, QueryOutcome

_log = logging.getLogger("fastrag_bench.benchmark")


@dataclass(frozen=True, slots=True)
class Score:
    """A finite number or None, and what went wrong where something did."""

    value: float | None
    note: str | None = None


async def score_one(metric: Metric, name: str, sample: EvalSample, outcome: QueryOutcome) -> Score:
    """Ask one metric about one outcome."""
    try:
        raw: Any = metric.score(sample, outcome)
        return clean_score(await raw if inspect.isawaitable(raw) else raw, name)
    except Exception as error:
        _log.info("metric %s failed", name, exc_info=error)
        return Score(None, f"metric {name}: {error_text(error)}")


def clean_score(raw: Any, name: str) -> Score:
    """A score as a number that JSON can hold: booleans are 0 and 1; NaN, infinities and other things are None."""
    if raw is None:
        return Score(None)
    if isinstance(raw, (str, bytes)) or not hasattr(raw, "__float__"):
        return Score(None, f"metric {name}: returned {type(raw).__name__} {raw!r:.60}, not a number")
    value = float(raw)
    return (
        Score(value) if math.isfinite(value) else Score(None, f"metric {name}: returned {value}, not a finite number")
    )


def scored_result(
    sample: EvalSample, outcome: QueryOutcome, names: Sequence[str], scores: Sequence[Score], *, has_answer: bool
) -> SampleResult:
    """The result of a question that the pipeline answered."""
    status: SampleStatus = "successful" if all(score.value is not None for score in scores) else "incomplete"
    return SampleResult(
        question=sample.question,
        status=status,
        scores={name: score.value for name, score in zip(names, scores, strict=True)},
        answer=outcome.answer if has_answer else None,
        retrieved_ids=[document.id for document in outcome.sources if document.id is not None],
        retrieved_uris=[document.uri for document in outcome.sources if document.uri is not None],
        latency_ms=outcome.latency_ms,
        error="; ".join(score.note for score in scores if score.note) or None,
    )


def failed_result(sample: EvalSample, error: BaseException, names: Sequence[str], latency_ms: float) -> SampleResult:
    """The result of a question whose pipeline call failed: no metric is asked, and no score is a zero."""
    _log.info("the question %.60r failed", sample.question, exc_info=error)
    return SampleResult(
        question=sample.question,
        status="errored",
        scores=dict.fromkeys(names),
        latency_ms=latency_ms,
        error=str(error) if isinstance(error, StageError) else error_text(error),
    )


def summarise(metric: Metric, name: str, samples: Sequence[SampleResult]) -> DistributionSummary:
    """The metric's own aggregate; where that fails, the usual one with a warning, so that no run is lost to it."""
    scores = [sample.scores[name] for sample in samples]
    try:
        summary = metric.aggregate(scores)
        if _is_summary(summary):
            return summary
        reason = f"returned {summary!r:.80}"
    except Exception as error:
        reason = error_text(error)
    warnings.warn(f"metric {name}: aggregate {reason}; the usual summary is used instead", UserWarning, stacklevel=2)
    return DistributionSummary.of(scores)


def _is_summary(summary: Any) -> bool:
    if not isinstance(summary, DistributionSummary):
        return False
    numbers = (summary.mean, summary.median, summary.std, summary.min, summary.max, *summary.percentiles.values())
    return all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers)
