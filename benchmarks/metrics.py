"""Ranking metrics: ours against pytrec_eval, in turn in one run, in CPU time of one thread.

    python benchmarks/metrics.py

Recall and precision at 1, 5, 10, 100, nDCG at 10 and 100, MRR and MAP of rankings of 100, 8 judgements a query.
Ours starts from arrays; pytrec_eval is given its dictionaries ready, and once with the time to build them. The last
figures are those of a sweep: all retrieval and ranking metrics over the same rankings at three values of k. Times are
medians of the rounds; trust the ratios.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.metrics.arrays import hits_of
from fastrag_bench.metrics.names import metric
from fastrag_bench.metrics.sets import SETS
from fastrag_bench.types import Document, EvalSample, QueryOutcome

ROUNDS = 7
DEPTH = 100
CUTS = (1, 5, 10, 100)
MEASURES = {"recall.1,5,10,100", "P.1,5,10,100", "ndcg_cut.10,100", "recip_rank", "map"}
TREC = {
    **{f"recall@{k}": f"recall_{k}" for k in CUTS},
    **{f"precision@{k}": f"P_{k}" for k in CUTS},
    "ndcg@10": "ndcg_cut_10",
    "ndcg@100": "ndcg_cut_100",
    "mrr": "recip_rank",
    "map": "map",
}

Arrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def random_arrays(queries: int) -> Arrays:
    """Rankings [queries, DEPTH], and judgements (query, document, grade 1 to 3); three in five are found."""
    generator = np.random.default_rng(0)
    ranked = generator.integers(0, 10_000, (queries, DEPTH)) * DEPTH + generator.permutation(DEPTH)
    query = np.repeat(np.arange(queries), generator.integers(1, 16, queries))
    place = np.minimum((generator.pareto(0.8, len(query)) * 4).astype(np.int64), DEPTH - 1)
    missed = 10_000 * DEPTH + np.arange(len(query))
    document = np.where(generator.random(len(query)) < 0.6, ranked[query, place], missed)
    _, first = np.unique(np.stack([query, document]), axis=1, return_index=True)
    return ranked, query[first], document[first], generator.integers(1, 4, len(first))


def dictionaries(arrays: Arrays) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """What pytrec_eval takes: scores and grades by query and document."""
    ranked, query, document, grade = arrays
    run = {
        f"q{number}": {str(name): float(DEPTH - place) for place, name in enumerate(row)}
        for number, row in enumerate(ranked.tolist())
    }
    qrels: dict[str, dict[str, int]] = {}
    for number, name, value in zip(query.tolist(), document.tolist(), grade.tolist(), strict=True):
        qrels.setdefault(f"q{number}", {})[str(name)] = value
    return run, qrels


def figures(arrays: Arrays) -> dict[str, NDArray[np.float64]]:
    """All measures of all queries, ours."""
    hits = hits_of(*arrays)
    found = {f"recall@{k}": hits.recall(k) for k in CUTS} | {f"precision@{k}": hits.precision(k) for k in CUTS}
    found |= {f"ndcg@{k}": hits.ndcg(k) for k in (10, 100)}
    return found | {"mrr": hits.reciprocal_rank(), "map": hits.average_precision()}


def median_seconds(contestants: dict[str, Callable[[], object]]) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            began = time.process_time()
            run()
            seconds[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in seconds.items()}


def compare(queries: int) -> None:
    import pytrec_eval

    arrays = random_arrays(queries)
    run, qrels = dictionaries(arrays)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    theirs, ours = evaluator.evaluate(run), figures(arrays)
    spread = max(
        abs(float(values[number]) - theirs[f"q{number}"][TREC[name]])
        for name, values in ours.items()
        for number in range(queries)
    )
    print(f"{queries} queries: the largest difference of {len(ours) * queries} figures is {spread:.1e}")
    contestants: dict[str, Callable[[], Any]] = {
        "ours, from arrays": lambda: figures(arrays),
        "pytrec_eval, dictionaries ready": lambda: evaluator.evaluate(run),
        "building the dictionaries": lambda: dictionaries(arrays),
    }
    seconds = median_seconds(contestants)
    seconds["pytrec_eval, from arrays"] = sum(list(seconds.values())[1:])
    for name, value in seconds.items():
        print(f"  {name:34} {value * 1000:8.2f} ms {value / seconds['ours, from arrays']:7.1f} x ours")


def sweep(queries: int) -> None:
    """Passages instead of arrays: judged at the first k, remembered at the others."""
    ranked, query, document, grade = random_arrays(queries)
    rankings = [[Document("", {"doc_id": str(name)}, id=f"{name}#char=0,9") for name in row] for row in ranked.tolist()]
    grades: list[dict[str, int]] = [{} for _ in rankings]
    for number, name, value in zip(query.tolist(), document.tolist(), grade.tolist(), strict=True):
        grades[number][str(name)] = value
    metrics = [metric(name, unit="document") for name in dict.fromkeys(SETS["retrieval"] + SETS["ranking"])]
    for k in (3, 5, 10):
        samples = [EvalSample("", relevant_ids=list(each), metadata={"relevance_grades": each}) for each in grades]
        outcomes = [QueryOutcome("", ranking[:k], 0.0, ranking=ranking) for ranking in rankings]
        began = time.process_time()
        for each in metrics:
            each.score_all(samples, outcomes)
        print(f"  {len(metrics)} metrics of {queries} outcomes, k={k}: {(time.process_time() - began) * 1000:.0f} ms")


def main() -> None:
    for queries in (1_000, 10_000):
        compare(queries)
    print("a sweep over k:")
    sweep(1_000)


if __name__ == "__main__":
    main()
