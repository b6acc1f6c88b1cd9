"""The table of a comparison, before it is written in any format."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastrag_bench.comparison.choosing import candidates
from fastrag_bench.comparison.stats import figure, higher_wins
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult

Value = str | int | float | None
Extra = Mapping[str, Mapping[str, Value]]
"""Columns of the caller's own: by column, then by run name."""


@dataclass(frozen=True)
class Failure:
    """A run that has no result: it is a row with a reason, so that nothing disappears from a table."""

    name: str
    reason: str
    traceback: str = ""


@dataclass(frozen=True)
class Table:
    """A header and rows of equally many values; `best` holds the (row, column) of the best values."""

    header: list[str]
    rows: list[list[Value]]
    best: frozenset[tuple[int, int]] = frozenset()


def metric_names(results: Sequence[BenchmarkResult]) -> list[str]:
    """The union of the runs' metrics, in order of first appearance."""
    return list(dict.fromkeys(name for result in results for name in result.summary))


def heading(metric: str, stat: str) -> str:
    """A column's header: the metric, and the statistic unless it is the mean."""
    return metric if stat == "mean" else f"{metric} {stat}"


def build_table(
    results: Sequence[BenchmarkResult],
    stat: str,
    *,
    failures: Sequence[Failure] = (),
    extra: Extra | None = None,
    counts: bool = False,
    mark_best: bool = False,
    also: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """A row for each run, then one for each failure.

    `also` gives, for a run, the other names of its pipeline; they stand in its row.

    The columns: run, each metric, the caller's own, the counts of questions by status (when asked for, and always when
    a question errored or is incomplete), and the reason where runs failed.
    """
    metrics = metric_names(results)
    extra = extra or {}
    with_counts = counts or partly_scored(results)
    rows: list[list[Value]] = []
    for name, result in zip(display_names(results), results, strict=True):
        own = [extra[column].get(result.name) for column in extra]
        shown = " = ".join([name, *_few((also or {}).get(result.name, ()))])
        rows.append([shown, *(figure(result, metric, stat) for metric in metrics), *own])
    for failure in failures:
        own = [extra[column].get(failure.name) for column in extra]
        rows.append([failure.name, *[None] * len(metrics), *own])
    header = ["run", *(heading(metric, stat) for metric in metrics), *extra]
    if with_counts:
        header += ["successful", "errored", "incomplete"]
        _append(rows, [[*vars(result.status).values()] for result in results], [None] * 3)
    if failures:
        header.append("failure")
        _append(rows, [[None] for _ in results], None)
        for row, failure in zip(rows[len(results) :], failures, strict=True):
            row.append(failure.reason)
    return Table(header, rows, _best_cells(results, metrics, stat) if mark_best else frozenset())


def partly_scored(results: Sequence[BenchmarkResult]) -> bool:
    """Whether some question errored, or has a score in one run that it lacks in another.

    A metric that a question has under no run is not applicable to it and makes no run partial; of a single run that
    cannot be told.
    """
    if any(result.status.errored for result in results):
        return True
    if len(results) < 2:
        return any(result.status.incomplete for result in results)
    lacking = [
        {(sample.question, name) for sample in result.samples for name, score in sample.scores.items() if score is None}
        for result in results
    ]
    return any(each != lacking[0] for each in lacking)


def _few(names: Sequence[str], most: int = 3) -> list[str]:
    return [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]


def _append(rows: list[list[Value]], values: Sequence[list[Value]], rest: list[Value] | None) -> None:
    for row, value in zip(rows, values, strict=False):
        row.extend(value)
    for row in rows[len(values) :]:
        row.extend(rest or [])


def _best_cells(results: Sequence[BenchmarkResult], metrics: Sequence[str], stat: str) -> frozenset[tuple[int, int]]:
    """Equal best values are all marked; a run with errors is not, unless all have some."""
    cells: set[tuple[int, int]] = set()
    for column, metric in enumerate(metrics, start=1):
        chosen = {id(result) for result in candidates(results, metric, stat, allow_errors=False)}
        values = {row: figure(result, metric, stat) for row, result in enumerate(results) if id(result) in chosen}
        try:
            up = higher_wins(results, metric, stat, warn=False)
        except ConfigurationError:
            continue
        known = [value for value in values.values() if value is not None]
        if len(known) > 1:
            top = max(known) if up else min(known)
            cells |= {(row, column) for row, value in values.items() if value == top}
    return frozenset(cells)


def display_names(results: Sequence[BenchmarkResult]) -> list[str]:
    """The runs' names; those that stand twice also say when they began, and are numbered if that is equal too."""
    counted = Counter(result.name for result in results)
    names = [
        f"{result.name} ({result.created_at.isoformat(timespec='seconds')})"
        if counted[result.name] > 1
        else result.name
        for result in results
    ]
    again = Counter(names)
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        if again[name] > 1:
            seen[name] += 1
            names[place] = f"{name} #{seen[name]}"
    return names


def warn_about_pairs(results: Sequence[BenchmarkResult]) -> None:
    """Warn about names that stand twice and about runs on different questions."""
    twice = [name for name, count in Counter(result.name for result in results).items() if count > 1]
    if twice:
        warnings.warn(
            f"several runs are called {', '.join(map(repr, twice))}; their rows also say when they began",
            UserWarning,
            stacklevel=4,
        )
    different = different_questions(results)
    if different:
        warnings.warn(
            f"{', '.join(map(repr, different))}: other questions than {results[0].name!r}; the rows cannot be compared",
            UserWarning,
            stacklevel=4,
        )


def different_questions(results: Sequence[BenchmarkResult]) -> list[str]:
    """The names of the runs whose questions are not those of the first."""
    if not results:
        return []
    first = [sample.question for sample in results[0].samples]
    return [result.name for result in results[1:] if [sample.question for sample in result.samples] != first]


def question_sets(results: Sequence[BenchmarkResult]) -> list[list[int]]:
    """The places of runs that were asked the same questions, in order of first appearance."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, result in enumerate(results):
        groups.setdefault(tuple(sorted(sample.question for sample in result.samples)), []).append(place)
    return list(groups.values())
