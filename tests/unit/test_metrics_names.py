"""A metric's name prints, parses, compares and hashes as the metric; sets of names; marks for tables."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
import yaml

from fastrag_bench import metrics
from fastrag_bench.contracts import BatchMetric, Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics import NDCG, Cost, PrecisionOmega, Recall, SpanRecall
from fastrag_bench.metrics.fairness import compares_chunkers, follows_k
from fastrag_bench.metrics.names import metric
from fastrag_bench.metrics.sets import SETS

CONF = Path(__file__).resolve().parents[2] / "conf" / "metrics"
NAMES = [
    *(
        stem + cut
        for stem in ("recall", "precision", "ndcg", "mrr", "hit", "success", "map", "all_hops")
        for cut in ("", "@10")
    ),
    *(
        stem + cut
        for stem in ("span_recall", "span_precision", "span_iou", "span_iou_set")
        for cut in ("", "@5", "@2000chars", "@500tokens")
    ),
    *(
        "recall@2000chars",
        "recall@500tokens",
        "r_precision",
        "precision_omega",
        "exact_match",
        "token_f1",
        "rouge_l",
        "contains",
    ),
    *("latency_ms", "total_tokens", "cost_usd", "context_tokens"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_prints_parses_compares_and_hashes(name: str) -> None:
    one, other = metric(name, unit="chunk"), metric(name, unit="chunk")
    assert (one.name, str(one), repr(one)) == (name, name, name)
    assert one == other and hash(one) == hash(other) and one is not other
    assert isinstance(one, Metric) and isinstance(one, BatchMetric)


def test_metrics_differ_where_their_names_or_units_do() -> None:
    assert len({metric(name) for name in NAMES}) == len(NAMES)
    assert metric("recall@5") == Recall(5) != Recall(5, unit="chunk")
    assert metric("recall@5") != metric("span_recall@5")
    assert (metric("ndcg@10"), metric("span_recall@300chars")) == (NDCG(10), SpanRecall(chars=300))
    assert Cost(1, 2) != Cost(2, 1)
    assert PrecisionOmega({"d": [(0, 1)]}) != PrecisionOmega()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("recal@5", "no metric is called 'recal@5'; did you mean 'recall@5'?"),
        ("nDCG@10", "no metric is called 'nDCG@10'; did you mean 'ndcg@10'?"),
        ("recal@2000chars", "did you mean 'recall@2000chars'?"),
        ("exactmatch@3", "did you mean 'exact_match'?"),
        ("zzzz", "no metric is called 'zzzz' (there is: recall, precision, ndcg, "),
        ("", "no metric is called ''"),
        ("latency_ms@5", "'latency_ms@5': latency_ms takes no cutoff"),
        (
            "ndcg@2000chars",
            "ndcg takes a cutoff in ranks, as ndcg@10; one in characters or tokens take recall, span_recall, ",
        ),
        ("recall@0", "'recall@0': recall: k is a whole number of at least 1 or None, not 0"),
        ("recall@05", "'recall@05': a cutoff is a whole number of at least 1"),
        ("recall@-1", "'recall@-1': a cutoff is a whole number of at least 1"),
        ("recall@", "'recall@': a cutoff is a whole number of at least 1"),
        ("recall@٥", "a cutoff is a whole number of at least 1"),
        ("recall@5\n", "a cutoff is a whole number of at least 1"),
        (" recall", "did you mean 'recall'?"),
    ],
)
def test_an_unknown_name_is_told_with_the_likeliest(name: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        metric(name)
    assert message in str(caught.value)
    assert caught.value.problems[0].path == "metrics"


def test_the_package_exports_every_metric_class() -> None:
    classes = {name for name, value in vars(metrics).items() if inspect.isclass(value)}
    assert classes == set(metrics.__all__)
    assert {type(metric(name)).__name__ for name in NAMES} == classes


def test_the_sets_are_those_of_the_configuration() -> None:
    found = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in CONF.glob("*.yaml")}
    assert found == {name: {"sets": {name: list(names)}} for name, names in SETS.items()}
    assert all(metric(name).name == name for names in SETS.values() for name in names)


def test_only_budgets_of_text_and_what_sees_no_chunks_compare_chunkers() -> None:
    assert [name for name in NAMES if compares_chunkers(name)] == [
        *(
            f"span_{stem}@{budget}"
            for stem in ("recall", "precision", "iou", "iou_set")
            for budget in ("2000chars", "500tokens")
        ),
        *("recall@2000chars", "recall@500tokens", "precision_omega", "exact_match", "token_f1", "rouge_l", "contains"),
        *("latency_ms", "total_tokens", "cost_usd", "context_tokens"),
    ]


def test_what_judges_the_chunks_handed_on_follows_k() -> None:
    assert [name for name in NAMES if follows_k(name)] == [
        *("recall", "precision", "ndcg", "mrr", "hit", "success", "map", "all_hops"),
        *("span_recall", "span_precision", "span_iou", "span_iou_set", "context_tokens"),
    ]
