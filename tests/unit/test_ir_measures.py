"""Equal to ir_measures on generated rankings: ties, repeats, empty and missing topics, grades."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fastrag_bench.datasets.trec_files import TrecRun, read_run
from fastrag_bench.metrics.names import metric
from fastrag_bench.types import Document, EvalSample, QueryOutcome

ir_measures = pytest.importorskip("ir_measures")

NAMES = {
    **{f"recall@{k}": f"R@{k}" for k in (1, 3, 10, 100)},
    **{f"precision@{k}": f"P@{k}" for k in (1, 3, 10, 100)},
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (1, 3, 10, 100)},
    **{f"success@{k}": f"Success@{k}" for k in (1, 3, 10)},
    **{f"map@{k}": f"AP@{k}" for k in (3, 100)},
    "ndcg": "nDCG",
    "map": "AP",
    "mrr": "RR",
    "r_precision": "Rprec",
}


def generated(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and scores of 12 topics; scores are few, so that many tie.

    No grade is below 0: pytrec_eval reads memory that is not its own there and at times never comes back.
    """
    draw = random.Random(seed)
    documents = [f"d{number}" for number in range(60)]
    qrels, scores = {}, {}
    for topic in map(str, range(12)):
        judged = draw.sample(documents, draw.randint(1, 12))
        qrels[topic] = {name: draw.choice([0, 0, 0, 1, 1, 2, 3]) for name in judged}
        if draw.random() > 0.15:
            ranked = draw.sample(documents, draw.choice([1, 5, 30, 60]))
            scores[topic] = {name: draw.randint(0, 6) / 4 for name in ranked}
    return qrels, scores


def run_of(scores: dict[str, dict[str, float]], path: Path) -> TrecRun:
    rows = [f"{topic} Q0 {name} 0 {score} t" for topic, each in scores.items() for name, score in each.items()]
    path.write_text("\n".join(rows), encoding="utf-8")
    return read_run(path)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(25))
def test_every_topic_of_every_measure(seed: int, tmp_path: Path) -> None:
    qrels, scores = generated(seed)
    rankings = run_of(scores, tmp_path / "run").rankings
    theirs = {
        (str(found.measure), found.query_id): found.value
        for found in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in NAMES.values()], qrels, scores)
    }
    for topic, grades in qrels.items():
        sample = EvalSample(topic, [], list(grades), {"relevance_grades": grades})
        ranked = [Document("", id=name) for name, _ in rankings.get(topic, [])]
        again = [document for document in ranked for _ in range(random.Random(seed).randint(1, 2))]
        for name, foreign in NAMES.items():
            kind = metric(name, unit="document")
            once, repeated = (kind.score_all([sample], [QueryOutcome("", each, 0.0)])[0] for each in (ranked, again))
            assert once == repeated, f"{name}: a document that comes twice counts once"
            if not any(grade > 0 for grade in grades.values()):
                assert once is None
            else:
                assert once == pytest.approx(theirs.get((foreign, topic), 0.0), abs=1e-9), (topic, name)
