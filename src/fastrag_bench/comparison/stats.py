"""One figure of a summary by its name, and which way it is better."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.types import PERCENTILES

COUNTS = ("count", "missing")
STATS = (*COUNTS, "mean", "median", "std", "min", "max", *(f"p{percent}" for percent in PERCENTILES))
LOWER_IS_BETTER = frozenset({"latency_ms", "total_tokens", "cost_usd", "context_tokens"})
"""What is assumed of a metric whose result files do not say."""


def check_stat(stat: str, results: Sequence[BenchmarkResult]) -> None:
    """Raise ConfigurationError for a figure that no summary has; a custom aggregate may add percentiles of its own."""
    own = {key for result in results for summary in result.summary.values() for key in summary.percentiles}
    if stat not in STATS and stat not in own:
        known = ", ".join([*STATS, *sorted(own - set(STATS))])
        raise ConfigurationError(f"there is no statistic {stat!r}; there is: {known}")


def figure(result: BenchmarkResult, metric: str, stat: str) -> float | int | None:
    """None where the run does not have the metric, or nothing was measured."""
    summary = result.summary.get(metric)
    if summary is None:
        return None
    if stat in COUNTS:
        return int(getattr(summary, stat))
    if summary.count == 0:
        return None
    value = getattr(summary, stat) if stat in STATS[:7] else summary.percentiles.get(stat)
    return None if value is None else float(value)


def higher_wins(results: Sequence[BenchmarkResult], metric: str, stat: str, *, warn: bool = True) -> bool:
    """Whether more is better, from the results themselves.

    Raises:
        ConfigurationError: the results disagree.
    """
    if stat in ("count", "std", "missing"):
        return stat == "count"
    said = {result.higher_is_better[metric] for result in results if metric in result.higher_is_better}
    if len(said) > 1:
        raise ConfigurationError(f"the runs disagree whether a higher {metric!r} is better; compare them apart")
    if said:
        return said.pop()
    if metric in LOWER_IS_BETTER:
        return False
    if warn:
        warnings.warn(
            f"no run says whether a higher {metric!r} is better; higher is assumed", UserWarning, stacklevel=4
        )
    return True
