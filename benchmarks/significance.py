"""The error rates that the statistics of a comparison really have, and what they cost beside scipy.

    python benchmarks/significance.py [--simulations 1000] [--speed]

Equal pipelines on 150 questions over 40 documents: whatever is called different is an error. Scores have what makes
real ones awkward: steps of a quarter, many zeros and ones, documents that suit one pipeline more than another.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.comparison.matrix import ScoreMatrix
from fastrag_bench.comparison.paired import clustered_error
from fastrag_bench.comparison.resampling import cluster_sums, flip_p, intervals
from fastrag_bench.comparison.standing import all_pairs_p

QUESTIONS, DOCUMENTS = 150, 40


def equal_runs(generator: np.random.Generator, runs: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores of pipelines that do not differ, and the document of each question."""
    documents = generator.choice(DOCUMENTS, QUESTIONS, p=generator.dirichlet(np.full(DOCUMENTS, 3.0)))
    easy = generator.normal(0.3, 0.6, DOCUMENTS)[documents] + generator.normal(0, 0.8, QUESTIONS)
    suits = generator.normal(0, 0.4, (runs, DOCUMENTS))[:, documents]
    latent = easy + suits + generator.normal(0, 0.7, (runs, QUESTIONS))
    return np.clip(np.round(4 / (1 + np.exp(-1.8 * latent))) / 4, 0, 1), np.unique(documents, return_inverse=True)[1]


def true_mean(seed: int = 99) -> float:
    generator = np.random.default_rng(seed)
    return float(np.mean([equal_runs(generator, 4)[0].mean() for _ in range(20_000)]))


def simulate(runs: int, simulations: int, resamples: int, truth: float) -> None:
    generator = np.random.default_rng(runs)
    own, pair, student, raw, naive, family, group = [], [], [], [], [], [], []
    for number in range(simulations):
        scores, labels = equal_runs(generator, runs)
        known = np.ones_like(scores, dtype=bool)
        matrix = ScoreMatrix(
            "m", tuple(map(str, range(runs))), tuple((str(q), 1) for q in range(QUESTIONS)), scores, known, labels
        )
        alone = cluster_sums(scores[:1], known[:1], labels)
        apart = cluster_sums(scores[:1] - scores[1:2], known[:1], labels)
        ends = intervals(alone, resamples=resamples, seed=number, confidence=0.95)[0]
        own.append(ends[0] <= truth <= ends[1])
        ends = intervals(apart, resamples=resamples, seed=number, confidence=0.95)[0]
        pair.append(ends[0] <= 0 <= ends[1])
        student.append(abs(apart.estimates[0]) <= 2.023 * clustered_error(apart)[0])
        raw.append(flip_p(apart, resamples=resamples, seed=number)[0][0] <= 0.05)
        single = cluster_sums(scores[:1] - scores[1:2], known[:1], np.arange(QUESTIONS))
        naive.append(flip_p(single, resamples=resamples, seed=number)[0][0] <= 0.05)
        p = all_pairs_p(matrix, resamples=resamples, seed=number)
        family.append(p.min() <= 0.05)
        group.append(p[scores.mean(axis=1).argmax()].min() <= 0.05)
    print(f"{runs} equal runs, {simulations} simulations, {resamples} resamples")
    print(f"  95 % interval of a run's mean covers the truth       {np.mean(own):.3f}")
    print(f"  95 % interval of a difference covers 0               {np.mean(pair):.3f}")
    print(f"  cluster-robust t interval covers 0                   {np.mean(student):.3f}")
    print(f"  sign flips by document, p <= .05                     {np.mean(raw):.3f}")
    print(f"  sign flips by question, p <= .05 (wrong here)        {np.mean(naive):.3f}")
    print(f"  max-T over all pairs calls any pair different        {np.mean(family):.3f}")
    print(f"  any run leaves 'not distinguishable from the best'   {np.mean(group):.3f}", flush=True)


def speed() -> None:
    from scipy.stats import permutation_test

    generator = np.random.default_rng(0)
    base = generator.random((10, 1_000))
    one, other = np.triu_indices(10, 1)
    values = base[one] - base[other]
    known = np.ones_like(values, dtype=bool)
    began = time.process_time()
    ours, _ = flip_p(cluster_sums(values, known, np.arange(1_000)), resamples=10_000, seed=0)
    mine = time.process_time() - began
    began = time.process_time()
    theirs = [
        permutation_test((row,), np.mean, permutation_type="samples", n_resamples=10_000, vectorized=True, rng=1).pvalue
        for row in values
    ]
    scipys = time.process_time() - began
    print(f"45 pairs x 1,000 questions x 10,000 resamples: {mine:.3f} CPU s, scipy {scipys:.2f}: {scipys / mine:.0f}x")
    print(f"  largest difference of p: {np.abs(ours - np.array(theirs)).max():.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--resamples", type=int, default=2_000)
    parser.add_argument("--speed", action="store_true", help="only the comparison with scipy")
    arguments = parser.parse_args()
    if not arguments.speed:
        truth = true_mean()
        for runs in (24, 120):
            simulate(runs, arguments.simulations, arguments.resamples, truth)
    speed()


if __name__ == "__main__":
    main()
