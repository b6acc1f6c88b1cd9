"""Scoring outcomes that exist already, as a sweep does: no thread, no task for each question, no event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from fastrag_bench.benchmark.calls import as_finished
from fastrag_bench.benchmark.scoring import Score, clean_score, failed_result, score_one, scored_result
from fastrag_bench.contracts import BatchMetric, Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import SampleResult
from fastrag_bench.types import EvalSample, QueryOutcome

T = TypeVar("T")
_log = logging.getLogger("fastrag_bench.benchmark")


@runtime_checkable
class StoredOutcomes(Protocol):
    """A target whose outcomes are known before it is asked.

    A class attribute `gives_answers = False` says that it only retrieves; metrics that need an answer are then refused.
    """

    def outcomes(self, samples: Sequence[EvalSample]) -> Sequence[QueryOutcome | Exception]:
        """An outcome for each sample, in order, or the exception that its question ended with.

        Outcomes are taken as they are: with their own latency and with documents that carry their ids.
        """


class StoredScoring:
    """One scoring of stored outcomes: those that exist, and the columns of scores over them."""

    def __init__(self, target: StoredOutcomes, samples: Sequence[EvalSample], metrics: Sequence[Metric]) -> None:
        self.has_answer = gives_answers(target)
        self.samples = samples
        self.metrics = metrics
        self.names = [metric.name for metric in metrics]
        self.outcomes = list(target.outcomes(samples))
        if len(self.outcomes) != len(samples):
            raise ConfigurationError(f"the target has {len(self.outcomes)} outcomes for {len(samples)} questions")
        self._judged = [
            (sample, outcome)
            for sample, outcome in zip(samples, self.outcomes, strict=True)
            if isinstance(outcome, QueryOutcome)
        ]
        self._columns: dict[str, list[Score]] = {}

    def score_batches(self) -> bool:
        """Score every metric that judges all outcomes at once; False when others are left."""
        samples = [sample for sample, _ in self._judged]
        outcomes = [outcome for _, outcome in self._judged]
        for metric, name in zip(self.metrics, self.names, strict=True):
            if isinstance(metric, BatchMetric):
                column = _batch_column(metric, name, samples, outcomes)
                if column is not None:
                    self._columns[name] = column
        return len(self._columns) == len(self.metrics)

    async def score_others(self, at_once: int) -> None:
        """Score the other metrics one outcome at a time, `at_once` of them concurrently."""
        left = [
            (metric, name) for metric, name in zip(self.metrics, self.names, strict=True) if name not in self._columns
        ]

        async def judge(index: int) -> list[Score]:
            return [await score_one(metric, name, *self._judged[index]) for metric, name in left]

        rows: list[list[Score]] = [[]] * len(self._judged)
        async for index, row in as_finished(range(len(self._judged)), judge, at_once=at_once):
            rows[index] = row
        for place, (_, name) in enumerate(left):
            self._columns[name] = [row[place] for row in rows]

    def results(self) -> list[SampleResult]:
        """A result for each sample, in order."""
        rows = zip(*(self._columns[name] for name in self.names), strict=True)
        return [
            scored_result(sample, outcome, self.names, next(rows), has_answer=self.has_answer)
            if isinstance(outcome, QueryOutcome)
            else failed_result(sample, outcome, self.names, float(getattr(outcome, "latency_ms", 0.0)))
            for sample, outcome in zip(self.samples, self.outcomes, strict=True)
        ]


def gives_answers(target: Any) -> bool:
    """Whether stored outcomes hold answers."""
    return bool(getattr(target, "gives_answers", True))


def _batch_column(
    metric: BatchMetric, name: str, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]
) -> list[Score] | None:
    """None when the batch fails: then each outcome is judged alone, so that one bad outcome costs one score."""
    try:
        raw = metric.score_all(samples, outcomes)
        if len(raw) == len(outcomes):
            return [clean_score(score, name) for score in raw]
        _log.info("metric %s returned %d scores for %d outcomes", name, len(raw), len(outcomes))
    except Exception as error:
        _log.info("metric %s failed on all outcomes at once", name, exc_info=error)
    return None


def drive(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end from synchronous code, also inside a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    failure: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="fastrag_bench scoring")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
