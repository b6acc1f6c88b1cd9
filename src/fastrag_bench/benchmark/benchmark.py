"""`Benchmark`: ask a pipeline every question of a dataset, and score what it says."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from fastrag_bench.benchmark.calls import Patience
from fastrag_bench.benchmark.checks import (
    check_dataset,
    check_metrics,
    check_name,
    check_retriever,
    check_satisfiable,
    error_types,
    seconds_or_none,
    whole,
)
from fastrag_bench.benchmark.journal import open_journal
from fastrag_bench.benchmark.run import Clock, Run, snapshot
from fastrag_bench.benchmark.scoring import summarise
from fastrag_bench.benchmark.stored import StoredOutcomes, StoredScoring, drive, gives_answers
from fastrag_bench.benchmark.targets import find_target
from fastrag_bench.contracts import Metric
from fastrag_bench.datasets import QADataset
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts

OnSample = Callable[[int, SampleResult], None]


class Benchmark:
    """A dataset and the metrics that judge a pipeline on it; run it with as many pipelines as you like.

    Args:
        dataset: the questions; at least one.
        metrics: what to measure; names must differ.
        max_concurrent: so many questions are with the pipeline at once. Use 1 when latency matters.
        timeout_s: a question that takes longer is errored. A blocking call cannot be stopped and runs on unheeded.
        retries: how often a failed question is asked again.
        retry_on: the errors that are worth asking again.
        warmup: so many questions are asked first and not counted.

    Raises:
        ConfigurationError: no question, no metric, a name twice, or no metric that this dataset can satisfy.
    """

    def __init__(
        self,
        *,
        dataset: QADataset,
        metrics: Sequence[Metric],
        max_concurrent: int = 4,
        timeout_s: float | None = None,
        retries: int = 0,
        retry_on: type[Exception] | tuple[type[Exception], ...] = (Exception,),
        warmup: int = 0,
    ) -> None:
        self.dataset = dataset
        self.metrics = list(metrics)
        self.max_concurrent = whole("max_concurrent", max_concurrent, least=1)
        self.timeout_s = seconds_or_none("timeout_s", timeout_s)
        self.retries = whole("retries", retries, least=0)
        self.retry_on = error_types("retry_on", retry_on)
        self.warmup = whole("warmup", warmup, least=0)
        check_dataset(dataset)
        check_metrics(self.metrics)
        check_satisfiable(self.metrics, dataset)

    async def run(
        self,
        target: Any,
        *,
        name: str,
        journal: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_sample: OnSample | None = None,
    ) -> BenchmarkResult:
        """Ask every question and score every outcome.

        Args:
            target: an engine (`aquery`, `query`, `ask`, or a function), a bare retriever (`aretrieve`, `retrieve`,
                `get_relevant_documents`), or `StoredOutcomes`; blocking ones run in worker threads.
            name: what the run is called everywhere; its only identity.
            journal: a file that gets each question as it finishes, so that nothing is lost when the run is stopped.
            resume: go on with that journal; questions that errored are asked again.
            on_sample: called with the position and the result of each question as it finishes.

        Raises:
            ConfigurationError: before the first question, if the target is none or cannot serve the metrics.
        """
        check_name(name)
        if isinstance(target, StoredOutcomes):
            _refuse_journal(journal)
            return await self._run_stored(target, name, on_sample)
        run = self._start(target, name, journal, resume)
        results: dict[int, SampleResult] = {}
        async with aclosing(run.finished()) as finished:
            async for index, result in finished:
                results[index] = result
                if on_sample is not None:
                    on_sample(index, result)
        return _assemble(name, [results[index] for index in range(len(results))], run.metrics, run.clock)

    async def stream(
        self,
        target: Any,
        *,
        name: str,
        journal: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> AsyncGenerator[tuple[int, SampleResult], None]:
        """(position, result) of each question as it finishes; arguments and errors as for `run`."""
        check_name(name)
        if isinstance(target, StoredOutcomes):
            _refuse_journal(journal)
            for item in enumerate((await self._run_stored(target, name, None)).samples):
                yield item
            return
        async with aclosing(self._start(target, name, journal, resume).finished()) as finished:
            async for item in finished:
                yield item

    def run_stored(self, target: StoredOutcomes, *, name: str) -> BenchmarkResult:
        """Score outcomes that exist already: the result of `run`, without an event loop where no metric needs one."""
        check_name(name)
        clock = Clock()
        scoring = self._scoring(target)
        if not scoring.score_batches():
            drive(scoring.score_others(self.max_concurrent))
        return _assemble(name, scoring.results(), scoring.metrics, clock)

    async def _run_stored(self, target: StoredOutcomes, name: str, on_sample: OnSample | None) -> BenchmarkResult:
        clock = Clock()
        scoring = self._scoring(target)
        if not scoring.score_batches():
            await scoring.score_others(self.max_concurrent)
        results = scoring.results()
        for index, result in enumerate(results if on_sample is not None else ()):
            on_sample(index, result)  # type: ignore[misc]
        return _assemble(name, results, scoring.metrics, clock)

    def _scoring(self, target: StoredOutcomes) -> StoredScoring:
        if not gives_answers(target):
            check_retriever(self.metrics)
        return StoredScoring(target, list(self.dataset.samples), list(self.metrics))

    def _start(self, target: Any, name: str, journal: str | os.PathLike[str] | None, resume: bool) -> Run:
        found = find_target(target)
        samples = [snapshot(sample) for sample in self.dataset.samples]
        metrics = list(self.metrics)
        if found.kind == "retriever":
            check_retriever(metrics)
        if resume and journal is None:
            raise ConfigurationError("resume=True goes on with a journal; name it with journal=")
        names = [metric.name for metric in metrics]
        return Run(
            found,
            samples,
            metrics,
            at_once=self.max_concurrent,
            patience=Patience(self.timeout_s, self.retries, self.retry_on),
            warmup=self.warmup,
            journal=open_journal(journal, name=name, samples=samples, metrics=names, resume=resume)
            if journal
            else None,
        )


def _refuse_journal(journal: str | os.PathLike[str] | None) -> None:
    if journal is not None:
        raise ConfigurationError("stored outcomes are on disk already; leave journal= out")


def _assemble(name: str, results: list[SampleResult], metrics: Sequence[Metric], clock: Clock) -> BenchmarkResult:
    return BenchmarkResult(
        name=name,
        created_at=clock.created_at,
        status=StatusCounts.of(results),
        summary={metric.name: summarise(metric, metric.name, results) for metric in metrics},
        samples=results,
        duration_s=clock.seconds(),
        higher_is_better={metric.name: bool(metric.higher_is_better) for metric in metrics},
    )
