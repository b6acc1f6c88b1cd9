"""The contract between a target and a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.errors import StageError
from fastrag_bench.plan.stage import Stage
from fastrag_bench.plan.workspace import Workspace
from fastrag_bench.types import QueryOutcome


class Failed(StageError):
    """The outcome of a question whose pipeline failed; the message is the reason."""


class Pipeline(Protocol):
    """One combination, as stages."""

    @property
    def wanted(self) -> tuple[Stage, ...]:
        """The stages whose rows are read."""

    @property
    def identity(self) -> str:
        """Equal for two pipelines exactly when every outcome of theirs comes from the same computation."""

    @property
    def answers(self) -> bool:
        """Whether outcomes have an answer; a bare retriever's have none."""

    @property
    def cached(self) -> bool:
        """False when some code could not be read, so that nothing is kept for another sweep."""

    def outcomes(self, workspace: Workspace) -> Sequence[QueryOutcome | Failed]:
        """One for each question, in dataset order, from the rows that are there."""

    def details(self, workspace: Workspace) -> Sequence[str]:
        """For each question what a person wants to look up later, as a JSON object: rankings, seconds by stage."""

    def chunk_spans(self, workspace: Workspace) -> Mapping[str, Sequence[tuple[int, int]]] | None:
        """(start, end) of every chunk by document id; None where there are no chunks of a known corpus."""

    def notes(self, workspace: Workspace) -> Sequence[str]:
        """What a person should know of this pipeline after it ran, such as settings that had no effect."""


@runtime_checkable
class Target(Protocol):
    """Something that answers questions, as configuration."""

    def stages(self, data: BenchmarkData) -> Pipeline:
        """The pipeline over this dataset; raises ConfigurationError where the two do not fit."""
