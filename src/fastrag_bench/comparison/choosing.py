"""Which run is best, and which are worth a look when quality and latency pull apart."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from fastrag_bench.comparison.stats import check_stat, figure, higher_wins
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult


def candidates(
    results: Sequence[BenchmarkResult], metric: str, stat: str, *, allow_errors: bool
) -> list[BenchmarkResult]:
    """The runs that may win on a metric: measured, and without a question that errored.

    The figures of a run leave its errored questions out, so a run that failed on the hard ones looks better than it is.
    Only when every run has errors are they compared all the same.
    """
    measured = [
        result for result in results if figure(result, metric, stat) is not None and _has_scores(result, metric)
    ]
    whole = [result for result in measured if result.status.errored == 0]
    return measured if allow_errors or not whole else whole


def _has_scores(result: BenchmarkResult, metric: str) -> bool:
    return result.summary[metric].count > 0


def best_run(
    results: Sequence[BenchmarkResult], metric: str, stat: str, *, allow_errors: bool = False
) -> BenchmarkResult:
    """See `Comparison.best`."""
    check_stat(stat, results)
    if not any(metric in result.summary for result in results):
        known = ", ".join(dict.fromkeys(name for result in results for name in result.summary)) or "none"
        raise ConfigurationError(f"no run has the metric {metric!r}; there is: {known}")
    found = candidates(results, metric, stat, allow_errors=allow_errors)
    if not found:
        raise ConfigurationError(f"no run has a score of {metric!r}: every question was left out or errored")
    sign = 1 if higher_wins(results, metric, stat) else -1
    winner = max(found, key=lambda result: sign * _known(result, metric, stat))
    passed_over = [
        result
        for result in candidates(results, metric, stat, allow_errors=True)
        if not _among(result, found) and sign * _known(result, metric, stat) > sign * _known(winner, metric, stat)
    ]
    _warn_about_errors(winner, passed_over, metric)
    return winner


def _warn_about_errors(winner: BenchmarkResult, passed_over: Sequence[BenchmarkResult], metric: str) -> None:
    for result in passed_over:
        warnings.warn(
            f"{result.name!r} has a better {metric} than {winner.name!r}, but {_errors(result)}; it is passed over, "
            "since the figures leave those out (allow_errors=True lets it win)",
            UserWarning,
            stacklevel=4,
        )
    if winner.status.errored:
        warnings.warn(
            f"{winner.name!r} is best by {metric}, but {_errors(winner)}; the figures leave those out",
            UserWarning,
            stacklevel=4,
        )


def _errors(result: BenchmarkResult) -> str:
    return f"{result.status.errored} of its {len(result.samples)} questions errored"


def pareto_front(
    results: Sequence[BenchmarkResult], quality: str, latency: str, stat: str, latency_stat: str
) -> list[BenchmarkResult]:
    """See `Comparison.pareto_front`."""
    check_stat(stat, results)
    check_stat(latency_stat, results)
    fast = candidates(results, latency, latency_stat, allow_errors=False)
    good = [result for result in candidates(results, quality, stat, allow_errors=False) if _among(result, fast)]
    if not good:
        raise ConfigurationError(f"no run has both {quality!r} and {latency!r}")
    up = 1 if higher_wins(results, quality, stat) else -1
    down = -1 if higher_wins(results, latency, latency_stat) else 1
    points = [
        (down * _known(result, latency, latency_stat), -up * _known(result, quality, stat), place)
        for place, result in enumerate(good)
    ]
    front = [point for point in points if not any(_dominates(other, point) for other in points)]
    return [good[place] for _, _, place in sorted(front)]


def _dominates(one: tuple[float, float, int], other: tuple[float, float, int]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one[:2] != other[:2]


def _among(result: BenchmarkResult, results: Sequence[BenchmarkResult]) -> bool:
    return any(result is other for other in results)


def _known(result: BenchmarkResult, metric: str, stat: str) -> float:
    value = figure(result, metric, stat)
    return 0.0 if value is None else float(value)
