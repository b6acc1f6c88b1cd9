"""One run: each question asked, scored and written to the journal as it finishes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle, islice
from time import perf_counter

from fastrag_bench.benchmark.calls import Patience, as_finished, ask
from fastrag_bench.benchmark.journal import Journal
from fastrag_bench.benchmark.scoring import failed_result, score_one, scored_result
from fastrag_bench.benchmark.targets import Target
from fastrag_bench.contracts import Metric
from fastrag_bench.results import SampleResult
from fastrag_bench.types import EvalSample


class Clock:
    """When a run began, and how long it has taken, earlier parts included."""

    def __init__(self) -> None:
        self.created_at = datetime.now(UTC)
        self.earlier_s = 0.0
        self._started = perf_counter()

    def seconds(self) -> float:
        """So far."""
        return self.earlier_s + perf_counter() - self._started


class Run:
    """One run of one target, on a snapshot of the samples and metrics."""

    def __init__(
        self,
        target: Target,
        samples: Sequence[EvalSample],
        metrics: Sequence[Metric],
        *,
        at_once: int,
        patience: Patience,
        warmup: int,
        journal: Journal | None,
    ) -> None:
        self.target = target
        self.samples = samples
        self.metrics = metrics
        self.names = [metric.name for metric in metrics]
        self.at_once = at_once
        self.patience = patience
        self.warmup = warmup
        self.journal = journal
        self.clock = Clock()
        if journal is not None:
            self.clock.created_at, self.clock.earlier_s = journal.created_at, journal.elapsed_s

    async def finished(self) -> AsyncGenerator[tuple[int, SampleResult], None]:
        """First what the journal holds, then each question as it finishes."""
        known = self.journal.finished if self.journal is not None else {}
        try:
            for item in sorted(known.items()):
                yield item
            left = [index for index in range(len(self.samples)) if index not in known]
            for sample in islice(cycle(self.samples), self.warmup if left else 0):
                await ask(self.target, sample.question, self.patience)
            async with aclosing(as_finished(left, self._judge, at_once=self.at_once)) as results:
                async for item in results:
                    yield item
        finally:
            if self.journal is not None:
                self.journal.close()

    async def _judge(self, index: int) -> SampleResult:
        result = await self._judged(self.samples[index])
        if self.journal is not None:
            self.journal.append(index, result, self.clock.seconds() - self.clock.earlier_s)
        return result

    async def _judged(self, sample: EvalSample) -> SampleResult:
        reply = await ask(self.target, sample.question, self.patience)
        latency_ms = reply.seconds * 1000
        if reply.error is not None:
            return failed_result(sample, reply.error, self.names, latency_ms)
        try:
            outcome = self.target.outcome(reply.value, latency_ms)
        except Exception as error:
            return failed_result(sample, error, self.names, latency_ms)
        scores = [
            await score_one(metric, name, sample, outcome)
            for metric, name in zip(self.metrics, self.names, strict=True)
        ]
        has_answer = self.target.kind == "engine"
        return scored_result(sample, outcome, self.names, scores, has_answer=has_answer)


def snapshot(sample: EvalSample) -> EvalSample:
    """A copy whose fields a metric or pipeline may change without changing the dataset."""
    return replace(
        sample,
        expected_answers=list(sample.expected_answers),
        relevant_ids=list(sample.relevant_ids),
        metadata=dict(sample.metadata),
    )
