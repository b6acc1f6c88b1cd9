"""What is wrong with a benchmark before it has asked anything; each check raises ConfigurationError."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

from fastrag_bench.contracts import Metric
from fastrag_bench.datasets import QADataset
from fastrag_bench.errors import ConfigurationError


def check_name(name: str) -> None:
    """A name is text with something in it."""
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError(f"a run needs a name, which is its only identity, not {name!r}")


def whole(field: str, value: int, *, least: int) -> int:
    """The value, if it is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigurationError(f"{field} is a whole number from {least}, not {value!r}")
    return value


def seconds_or_none(field: str, value: float | None) -> float | None:
    """The value, if it is None or a number above 0."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0):
        raise ConfigurationError(f"{field} is a number of seconds above 0, or None, not {value!r}")
    return value


def error_types(field: str, value: Any) -> tuple[type[Exception], ...]:
    """The value as a tuple of exception classes."""
    types = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(kind, type) and issubclass(kind, Exception) for kind in types):
        raise ConfigurationError(f"{field} is an exception class or a tuple of them, not {value!r}")
    return types


def check_dataset(dataset: QADataset) -> None:
    """There is at least one question."""
    if not isinstance(dataset, QADataset):
        raise ConfigurationError(f"dataset is a QADataset, not {type(dataset).__name__}; QADataset(samples) makes one")
    if not dataset.samples:
        raise ConfigurationError("the dataset has no question; every metric would be a silent zero")


def check_metrics(metrics: Sequence[Metric]) -> None:
    """There is at least one metric, and no name stands twice."""
    if not metrics:
        raise ConfigurationError("there is no metric, so nothing to do")
    for metric in metrics:
        if not isinstance(metric, Metric):
            hint = (
                "pass an instance of it"
                if isinstance(metric, type)
                else "derive it from fastrag_bench.metrics.base.Metric"
            )
            raise ConfigurationError(f"{metric!r} is no metric; {hint}")
        if not isinstance(metric.name, str) or not metric.name.strip():
            raise ConfigurationError(f"a metric needs a name: {type(metric).__name__} has {metric.name!r}")
    twice = [name for name, count in Counter(metric.name for metric in metrics).items() if count > 1]
    if twice:
        raise ConfigurationError(f"two metrics are called {twice[0]!r}; a name is a column, so names must differ")


def check_satisfiable(metrics: Sequence[Metric], dataset: QADataset) -> None:
    """At least one metric can be measured on this dataset; those that cannot are warned about."""
    if any(sample.relevant_ids for sample in dataset.samples):
        return
    hopeless = [metric.name for metric in metrics if metric.needs_relevant_ids]
    if len(hopeless) == len(metrics):
        raise ConfigurationError(
            f"no sample has relevant ids, and every metric needs them: {', '.join(hopeless)}; add ids or another metric"
        )
    if hopeless:
        warnings.warn(
            f"no sample has relevant ids, so there will be no score of: {', '.join(hopeless)}",
            UserWarning,
            stacklevel=3,
        )


def check_retriever(metrics: Sequence[Metric]) -> None:
    """A target that only retrieves serves no metric that judges answers."""
    needing = [metric.name for metric in metrics if metric.needs_answer]
    if needing:
        raise ConfigurationError(
            f"the target only retrieves, and these metrics judge an answer: {', '.join(needing)}; leave them out, or "
            "wrap a target that answers with as_engine"
        )
