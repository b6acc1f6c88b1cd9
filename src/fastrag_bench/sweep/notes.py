"""What a person should know before believing a sweep: settings without effect, unfair figures, saturated metrics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastrag_bench.metrics.fairness import compares_chunkers, follows_k
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.runs import Run

SATURATED = 0.98


def notes_before(runs: Sequence[Run]) -> list[str]:
    """What the configuration alone tells."""
    found = dict.fromkeys(note for run in runs for note in run.data.notes)
    return [*found, *_identical(runs), *_unfair(runs), *_following_k(runs), *_uncached(runs), *_parallel(runs)]


def notes_after(results: Sequence[BenchmarkResult]) -> list[str]:
    """What the numbers tell: a metric that is nearly perfect everywhere cannot choose between runs."""
    if len(results) < 2:
        return []
    names = [name for name, higher in results[0].higher_is_better.items() if higher]
    saturated = [name for name in names if all(_mean(result, name) >= SATURATED for result in results)]
    if not saturated:
        return []
    return [f"{', '.join(saturated)}: every run reaches {SATURATED} or more, so this cannot tell them apart"]


def varied(runs: Sequence[Run]) -> set[str]:
    """The top-level settings in which the runs differ."""
    seen: dict[str, set[str]] = {}
    for run in runs:
        for name, value in run.combination.resolved.items():
            seen.setdefault(name, set()).add(json.dumps(value, sort_keys=True, default=str))
    return {name for name, values in seen.items() if len(values) > 1}


def _identical(runs: Sequence[Run]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(run.identity, []).append(run.name)
    same = [names for names in groups.values() if len(names) > 1]
    notes = [
        f"the same pipeline under {len(names)} names, since what differs does not reach it: {_listed(names)}"
        for names in same[:3]
    ]
    if len(same) > 3:
        notes.append(f"so it is with {len(same) - 3} more pipelines; `identical_to` in each manifest tells")
    return notes


def _unfair(runs: Sequence[Run]) -> list[str]:
    if "chunker" not in varied(runs):
        return []
    judging = [metric.name for metric in runs[0].metrics if metric.needs_relevant_ids]
    if judging and all(run.unit == "document" for run in runs):
        return [
            "the gold names whole documents: every chunk of the right document counts as right, so small and large "
            "chunks can hardly be told apart; evidence as spans (doc#char=start,end) can"
        ]
    marked = [name for name in judging if not compares_chunkers(name)]
    return [f"not comparable across chunkers (ranks of chunks of other sizes): {', '.join(marked)}"] if marked else []


def _following_k(runs: Sequence[Run]) -> list[str]:
    names = [metric.name for metric in runs[0].metrics if follows_k(metric.name)]
    if "k" not in varied(runs) or not names:
        return []
    return [f"moves with k whatever the quality, so no k wins by it: {', '.join(names)}"]


def _uncached(runs: Sequence[Run]) -> list[str]:
    names = [run.name for run in runs if not run.pipeline.cached]
    return (
        [f"nothing of {_listed(names)} is kept for later: the source of some of its code cannot be read"]
        if names
        else []
    )


def _parallel(runs: Sequence[Run]) -> list[str]:
    config = runs[0].combination.config
    if config.execution.parallel_queries or config.max_concurrent > 1:
        return ["questions were asked at the same time: latency_ms is not that of a question asked alone"]
    return []


def _mean(result: BenchmarkResult, name: str) -> float:
    summary: Any = result.summary.get(name)
    return summary.mean if summary is not None and summary.count else 0.0


def _listed(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + more
