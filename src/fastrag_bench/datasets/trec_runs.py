"""Rankings made elsewhere as results of this project, so that they can be compared."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from fastrag_bench.datasets.reading import check_file
from fastrag_bench.datasets.trec_files import Grades, TrecRun, read_qrels, read_run
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance.arrays import Floats, Hits, hits_of
from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts
from fastrag_bench.types import DistributionSummary

MEASURES: dict[str, Callable[[Hits, int | None], Floats]] = {
    "recall": Hits.recall,
    "precision": Hits.precision,
    "ndcg": Hits.ndcg,
    "mrr": Hits.reciprocal_rank,
    "hit": Hits.hit,
    "success": Hits.hit,
    "map": Hits.average_precision,
    "all_hops": Hits.all_found,
    "r_precision": lambda hits, _: hits.r_precision(),
}
"""Name -> its figures for all topics; a cutoff is written as in `ndcg@10`."""

METRICS = ("ndcg@10", "recall@10", "recall@100", "precision@10", "mrr", "map")

_NAME = re.compile(r"([a-z_]+)(?:@([1-9][0-9]*))?\Z")

PathLike = str | os.PathLike[str]


def results_of_runs(
    qrels: PathLike, runs: Sequence[PathLike] | Mapping[str, PathLike], *, metrics: Sequence[str] = METRICS
) -> list[BenchmarkResult]:
    """One result for each run file, over the judged topics in the order of the qrels.

    Rankings stand in trec_eval's order. A judged topic that a run does not have scores 0, as with trec_eval's `-c`, so
    that all runs are compared over the same topics; a topic without any relevant document scores None. Topics that
    nobody judged are left out.

    Args:
        qrels: the file of judgements.
        runs: run files, named by their tags (or file names, where tags are equal); or names with their files.
        metrics: from `MEASURES`, with or without a cutoff.

    Raises:
        ConfigurationError: a file is missing or broken, a metric is unknown, or no topic of a run is judged.
    """
    measures = {name: _measure(name) for name in metrics}
    paths = {str(name): Path(path) for name, path in runs.items()} if isinstance(runs, Mapping) else None
    files = list(paths.values()) if paths is not None else [Path(path) for path in runs]
    for path in (Path(qrels), *files):
        check_file(path)
    grades = read_qrels(Path(qrels))
    read = [read_run(path) for path in files]
    names = list(paths) if paths is not None else _names(files, read)
    return [_result(name, path, run, grades, measures) for name, path, run in zip(names, files, read, strict=True)]


def _measure(name: str) -> Callable[[Hits], Floats]:
    parts = _NAME.match(name)
    if parts is None or parts[1] not in MEASURES or (parts[1] == "r_precision" and parts[2]):
        raise ConfigurationError(f"run files have no metric {name!r} (there is: {', '.join(MEASURES)}; as in ndcg@10)")
    measure, cutoff = MEASURES[parts[1]], None if parts[2] is None else int(parts[2])
    return lambda hits: measure(hits, cutoff)


def _names(files: Sequence[Path], runs: Sequence[TrecRun]) -> list[str]:
    tags = [run.tag for run in runs]
    names = tags if len(set(tags)) == len(tags) else [path.name for path in files]
    if len(set(names)) < len(names):
        raise ConfigurationError(
            f"two runs are called {max(names, key=names.count)!r}; give them names: {{name: file}}"
        )
    return names


def _result(
    name: str, path: Path, run: TrecRun, grades: Grades, measures: Mapping[str, Callable[[Hits], Floats]]
) -> BenchmarkResult:
    topics = list(grades)
    if not run.rankings.keys() & grades.keys():
        raise ConfigurationError(
            f"{path}: no topic of it is judged (topics: {next(iter(run.rankings))!r} ..., judged: {topics[0]!r} ...)"
        )
    hits = judged_hits(run, grades)
    figures = {metric: measure(hits).tolist() for metric, measure in measures.items()}
    known = (hits.evidence > 0).tolist()
    samples = [
        SampleResult(
            question=topic,
            status="successful" if known[number] else "incomplete",
            scores={metric: values[number] if known[number] else None for metric, values in figures.items()},
            retrieved_ids=[document for document, _ in run.rankings.get(topic, [])],
        )
        for number, topic in enumerate(topics)
    ]
    return BenchmarkResult(
        name=name,
        created_at=datetime.fromtimestamp(path.stat().st_mtime, UTC),
        status=StatusCounts.of(samples),
        summary={metric: DistributionSummary.of(sample.scores[metric] for sample in samples) for metric in measures},
        samples=samples,
        duration_s=0.0,
        higher_is_better=dict.fromkeys(measures, True),
    )


def judged_hits(run: TrecRun, grades: Grades) -> Hits:
    """The run's rankings against the judgements, topics in the order of the judgements."""
    numbers: dict[str, int] = {}
    rankings = [[document for document, _ in run.rankings.get(topic, [])] for topic in grades]
    ranked = np.full((len(rankings), max(map(len, rankings), default=0)), -1, dtype=np.int64)
    for row, documents in enumerate(rankings):
        ranked[row, : len(documents)] = [numbers.setdefault(document, len(numbers)) for document in documents]
    judged = [(row, name, grade) for row, each in enumerate(grades.values()) for name, grade in each.items()]
    question = np.array([row for row, _, _ in judged], dtype=np.int64)
    document = np.array([numbers.setdefault(name, len(numbers)) for _, name, _ in judged], dtype=np.int64)
    return hits_of(ranked, question, document, np.array([grade for _, _, grade in judged]))
