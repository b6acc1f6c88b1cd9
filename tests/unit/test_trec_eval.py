"""trec_eval's own test folder: its rankings, judgements and the figures it prints for each topic."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastrag_bench.metrics.names import metric
from fastrag_bench.types import Document, EvalSample, QueryOutcome

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "trec_eval_tests"
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = {
    **{f"recall_{k}": f"recall@{k}" for k in CUTS},
    **{f"P_{k}": f"precision@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"map@{k}" for k in CUTS},
    **{f"success_{k}": f"success@{k}" for k in (1, 5, 10)},
    "Rprec": "r_precision",
    "map": "map",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "set_P": "precision",
    "set_recall": "recall",
}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="trec_eval's test folder is not here")


def rows(name: str) -> Iterator[list[str]]:
    path = FOLDER / name
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    return (line.split() for line in text.splitlines() if line.strip())


def questions(qrels: str, *, level: int = 1) -> dict[str, EvalSample]:
    grades: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in rows(qrels):
        grades.setdefault(topic, {})[document] = int(grade) if int(grade) >= level else 0
    return {topic: EvalSample(topic, [], list(each), {"relevance_grades": each}) for topic, each in grades.items()}


def rankings(results: str) -> dict[str, QueryOutcome]:
    """Rankings in trec_eval's order: score descending, then document number descending."""
    scored: dict[str, list[tuple[float, str]]] = {}
    for topic, _, document, _, score, _ in rows(results):
        scored.setdefault(topic, []).append((float(score), document))
    ordered = {topic: sorted(each, reverse=True) for topic, each in scored.items()}
    return {
        topic: QueryOutcome("", [Document("", id=document) for _, document in each], 0.0)
        for topic, each in ordered.items()
    }


def printed(name: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for measure, topic, value in rows(name):
        if measure in MEASURES and topic != "all":
            found.setdefault(topic, {})[MEASURES[measure]] = float(value)
    return found


@pytest.mark.parametrize(
    ("qrels", "results", "output", "level"),
    [
        ("qrels.test.gz", "results.test.gz", "out.test.aq", 1),
        ("qrels.rel_level.gz", "results.test.gz", "out.test.aql", 2),
    ],
)
def test_every_topic_has_the_printed_figures(qrels: str, results: str, output: str, level: int) -> None:
    """With `-l 2` a document is relevant from grade 2; nDCG looks at the grades themselves."""
    outcomes, expected = rankings(results), printed(output)
    graded, samples = questions(qrels), questions(qrels, level=level)
    assert sorted(expected) == ["301", "302", "303"]
    for topic, figures in expected.items():
        assert set(figures) == set(MEASURES.values())
        for name, value in figures.items():
            sample = (graded if name.startswith("ndcg") else samples)[topic]
            (score,) = metric(name).score_all([sample], [outcomes[topic]])
            assert score == pytest.approx(value, abs=5.1e-5), (topic, name)
