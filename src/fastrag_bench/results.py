"""What a benchmark run leaves behind: one result for each question, and a summary of each metric."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from fastrag_bench.types import DistributionSummary

SampleStatus = Literal["successful", "errored", "incomplete"]


@dataclass(frozen=True)
class StatusCounts:
    """How the questions ended; the three add up to the size of the dataset."""

    successful: int
    """Every metric gave a number."""

    errored: int
    """The pipeline failed or timed out; no metric was asked."""

    incomplete: int
    """The pipeline answered and at least one metric had nothing to judge or failed."""

    @classmethod
    def of(cls, samples: Iterable[SampleResult]) -> StatusCounts:
        """Count the statuses of some results."""
        statuses = [sample.status for sample in samples]
        return cls(statuses.count("successful"), statuses.count("errored"), statuses.count("incomplete"))


@dataclass
class SampleResult:
    """How one question ended."""

    question: str
    status: SampleStatus
    scores: dict[str, float | None]
    """A number or None for every metric, also when the question errored."""

    answer: str | None = None
    """None for a bare retriever and for a question that errored; an empty text is an answer."""

    retrieved_ids: list[str] = field(default_factory=list)
    retrieved_uris: list[str] = field(default_factory=list)
    latency_ms: float = 0.0
    error: str | None = None
    """Why it errored, or which metrics failed and how."""


@dataclass
class BenchmarkResult:
    """One run. Its name is its only identity: no configuration of the pipeline is in it."""

    name: str
    created_at: datetime
    """When the run began, in UTC."""

    status: StatusCounts
    summary: dict[str, DistributionSummary]
    """By metric name; each is that metric's own aggregate of the scores in dataset order."""

    samples: list[SampleResult]
    """In dataset order."""

    duration_s: float
    higher_is_better: dict[str, bool] = field(default_factory=dict)
    """By metric name, so that the best run can be told when the metric objects are gone."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON in one step, making parent folders; `load` gives an equal object."""
        from fastrag_bench.files import write_atomic
        from fastrag_bench.result_files import result_text

        write_atomic(path, result_text(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> BenchmarkResult:
        """Read a result file.

        Raises:
            ConfigurationError: there is no such file, or it is not a result that this version can read; the message
                names the path and the field.
        """
        from fastrag_bench.result_files import load_result

        return load_result(path)
