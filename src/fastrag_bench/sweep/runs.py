"""Combinations as runs: data loaded, pipeline laid out, metrics made, and all that can be wrong with them found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fastrag_bench.component import Component, once_per_object
from fastrag_bench.config import MetricsConfig
from fastrag_bench.contracts import BenchmarkData, DatasetSource, Metric
from fastrag_bench.errors import ConfigurationError, NoQuestionError, Problem
from fastrag_bench.plan.keys import digest
from fastrag_bench.relevance import Unit, decide_unit
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.targets.contract import Pipeline
from fastrag_bench.targets.sources import corpus_source


@dataclass(frozen=True)
class Run:
    """A combination with its data loaded, its pipeline laid out and its metrics made."""

    combination: Combination
    data: BenchmarkData
    pipeline: Pipeline
    metrics: tuple[Metric, ...]
    unit: Unit

    @property
    def name(self) -> str:
        """The run name."""
        return self.combination.name

    @property
    def deciding(self) -> str:
        """The metric that decides which run is best, among those that are measured."""
        names = [metric.name for metric in self.metrics]
        chosen = self.combination.config.metrics.deciding
        return chosen if chosen in names else names[0]

    @cached_property
    def identity(self) -> str:
        """Equal for two runs exactly when all their scores come from the same computation."""
        names = [metric.name for metric in self.metrics]
        return digest([self.pipeline.identity, dataset_fingerprint(self.data), names, self.unit])


def _load(source: DatasetSource) -> BenchmarkData:
    data = source.load()
    if not data.questions.samples:
        raise NoQuestionError(f"dataset {data.name!r} has no question: there is nothing to measure")
    return data


load_data = once_per_object(_load, maxsize=64)
"""A dataset's data, loaded once for each distinct dataset of a sweep."""


def _fingerprint(data: BenchmarkData) -> str:
    corpus = corpus_source(data.corpus).key if data.corpus is not None else None
    return digest([data.questions.fingerprint(), corpus])


dataset_fingerprint = once_per_object(_fingerprint, maxsize=64)
"""A digest of all questions, answers, gold and documents."""


def lay_out(combinations: Sequence[Combination]) -> list[Run]:
    """Load, lay out and check every combination.

    Raises:
        ConfigurationError: with the problems of all combinations, each naming the runs that have it.
        NoQuestionError: when a dataset has no question.
    """
    runs: list[Run] = []
    problems: dict[Problem, list[str]] = {}
    for combination in combinations:
        try:
            runs.append(_lay_out(combination))
        except NoQuestionError:
            raise
        except ConfigurationError as error:
            for problem in error.problems:
                problems.setdefault(problem, []).append(combination.name)
    if problems:
        named = [_naming(problem, names, combinations) for problem, names in problems.items()]
        raise ConfigurationError(problems=named)
    return runs


def _lay_out(combination: Combination) -> Run:
    config = combination.config
    data = load_data(config.dataset)
    _inspect(config.target)
    pipeline = config.target.stages(data)
    unit = config.metrics.unit if config.metrics.unit != "auto" else _decided_unit(data)
    metrics = _chosen_metrics(config.metrics, data, unit)
    _check_metrics(metrics, pipeline, data, strict=config.require_relevance)
    return Run(combination, data, pipeline, metrics, unit)


def _inspect_settings(component: Component) -> None:
    component.inspect_settings()


_inspect = once_per_object(_inspect_settings)


def _decide_unit(data: BenchmarkData) -> Unit:
    corpus_ids = frozenset(data.corpus.positions) if data.corpus is not None else None
    return decide_unit(data.questions.samples, corpus_ids)


_decided_unit = once_per_object(_decide_unit, maxsize=64)
_METRICS: dict[tuple[tuple[str, ...], Unit], tuple[Metric, ...]] = {}


def make_metrics(names: tuple[str, ...], unit: Unit) -> tuple[Metric, ...]:
    """The metrics of these names, made once: they hold no state."""
    from fastrag_bench.metrics.names import metric

    if (names, unit) not in _METRICS:
        _METRICS[names, unit] = tuple(metric(name, unit=unit) for name in names)
    return _METRICS[names, unit]


def _chosen_metrics(chosen: MetricsConfig, data: BenchmarkData, unit: Unit) -> tuple[Metric, ...]:
    """The metrics asked for; the primary one beside them only where they look for gold as it does, and there is any."""
    metrics = make_metrics(tuple(chosen.metric_names), unit)
    asked = {name for names in chosen.sets.values() for name in names} | set(chosen.names or ())
    others = [metric for metric in metrics if metric.name in asked]
    has_gold = any(sample.relevant_ids for sample in data.questions.samples)
    added = [metric for metric in metrics if metric.name not in asked]
    out_of_place = not has_gold or not any(metric.needs_relevant_ids for metric in others)
    return tuple(others) if others and added and added[0].needs_relevant_ids and out_of_place else metrics


def _check_metrics(metrics: Sequence[Metric], pipeline: Pipeline, data: BenchmarkData, *, strict: bool) -> None:
    judging = [metric.name for metric in metrics if metric.needs_answer]
    if judging and not pipeline.answers:
        message = f"{', '.join(judging)} judge answers, and this pipeline gives none (generator=none, a bare retriever)"
        raise ConfigurationError(problems=[Problem("metrics", message)])
    hopeless = [metric.name for metric in metrics if metric.needs_relevant_ids]
    if not hopeless or any(sample.relevant_ids for sample in data.questions.samples):
        return
    if strict or len(hopeless) == len(metrics):
        message = f"{', '.join(hopeless)} need relevant ids, and no question of dataset {data.name!r} has any"
        hint = "leave them out" + ("" if len(hopeless) == len(metrics) else ", or set require_relevance=false")
        raise ConfigurationError(problems=[Problem("metrics", f"{message}; {hint}")])


def _naming(problem: Problem, names: Sequence[str], combinations: Sequence[Combination]) -> Problem:
    if len(names) == len(combinations):
        return problem
    shown = "; ".join(names[:3]) + (f"; and {len(names) - 3} more" if len(names) > 3 else "")
    return Problem(problem.path, f"{problem.message} [in {shown}]")
