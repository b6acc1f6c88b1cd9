"""Budgets of text in tokens, both IoU of the chunking study, R-precision and success."""

from __future__ import annotations

from typing import Any

import pytest

from fastrag_bench.metrics import Recall, RPrecision, SpanIoU, SpanIoUSet, SpanPrecision, Success
from fastrag_bench.metrics.fairness import compares_chunkers, follows_k
from fastrag_bench.metrics.names import metric
from fastrag_bench.types import Document, EvalSample, QueryOutcome

TEXT = "one two three four five six seven eight nine ten"  # each word is one word piece


def passage(start: int, end: int, document: str = "d") -> Document:
    return Document(
        TEXT[start:end], {"doc_id": document, "start": start, "end": end}, id=f"{document}#char={start},{end}"
    )


def scored(kind: Any, sample: EvalSample, *ranking: Document) -> float | None:
    (score,) = kind.score_all([sample], [QueryOutcome("", list(ranking), 0.0)])
    return score  # type: ignore[no-any-return]


THREE_TO_SIX = EvalSample("?", relevant_ids=["d#char=8,27"])  # "three four five six"


@pytest.mark.parametrize(("tokens", "recall"), [(3, 0.0), (4, 1.0), (9, 1.0)])
def test_evidence_is_found_when_half_of_it_is_read(tokens: int, recall: float) -> None:
    """Its half ends in "four" (the 10th character), which is the fourth token."""
    assert scored(Recall(tokens=tokens), THREE_TO_SIX, passage(0, len(TEXT))) == recall


def test_passages_before_the_evidence_use_up_the_budget() -> None:
    ranking = passage(28, len(TEXT)), passage(8, 27)
    assert [scored(Recall(tokens=tokens), THREE_TO_SIX, *ranking) for tokens in (5, 6)] == [0.0, 1.0]
    assert scored(Recall(tokens=5), THREE_TO_SIX) == 0.0


def test_precision_and_iou_at_a_budget_of_tokens() -> None:
    """Of the first four tokens, "one two three four" (18 characters), "three four" is gold (10 of its 19)."""
    whole = passage(0, len(TEXT))
    assert scored(SpanPrecision(tokens=4), THREE_TO_SIX, whole) == pytest.approx(10 / 18)
    assert scored(SpanIoU(tokens=4), THREE_TO_SIX, whole) == pytest.approx(10 / 27)
    assert scored(SpanPrecision(tokens=100), THREE_TO_SIX, whole) == pytest.approx(19 / 48)


def test_text_that_is_retrieved_twice_counts_twice_in_one_iou_and_once_in_the_other() -> None:
    twice = passage(8, 27), passage(14, 27)
    assert scored(SpanIoU(), THREE_TO_SIX, *twice) == pytest.approx(19 / 32)
    assert scored(SpanIoUSet(), THREE_TO_SIX, *twice) == 1.0
    elsewhere = Document(TEXT, id="x"), Document(TEXT, id="x")
    assert scored(SpanIoUSet(), THREE_TO_SIX, *elsewhere) == 0.0


def test_r_precision_looks_at_as_many_ranks_as_there_is_evidence() -> None:
    sample = EvalSample("?", relevant_ids=["a", "b"])
    documents = [Document("x", id=name) for name in ("a", "x", "b")]
    assert scored(RPrecision(), sample, *documents) == 0.5
    assert scored(RPrecision(), sample) == 0.0
    assert scored(RPrecision(), EvalSample("?"), *documents) is None


def test_success_is_hit_by_another_name() -> None:
    sample = EvalSample("?", relevant_ids=["b"])
    documents = [Document("x", id=name) for name in ("a", "b")]
    assert [scored(Success(k), sample, *documents) for k in (1, 2)] == [0.0, 1.0]


def test_budgets_compare_chunkers_and_ranks_do_not() -> None:
    fair = ["recall@500tokens", "span_precision@500tokens", "span_iou_set@2000chars", "precision_omega"]
    unfair = ["r_precision", "success@5", "span_iou_set", "span_iou@5"]
    assert all(map(compares_chunkers, fair))
    assert not any(map(compares_chunkers, unfair))
    assert not follows_k("r_precision")


def test_a_cutoff_is_given_once() -> None:
    with pytest.raises(ValueError, match="cut at k=5 passages or at tokens=9 tokens, not at both"):
        Recall(5, tokens=9)
    with pytest.raises(ValueError, match="r_precision takes no cutoff"):
        metric("r_precision@5")


def test_grades_below_zero_are_not_relevant_and_cost_nothing() -> None:
    sample = EvalSample("?", relevant_ids=["a", "b"], metadata={"relevance_grades": {"a": 1, "b": -2}})
    documents = [Document("x", id=name) for name in ("b", "a")]
    figures = {name: scored(metric(name), sample, *documents) for name in ("recall@1", "recall@2", "mrr", "ndcg@2")}
    assert figures == {"recall@1": 0.0, "recall@2": 1.0, "mrr": 0.5, "ndcg@2": pytest.approx(1 / 1.584962500721156)}
