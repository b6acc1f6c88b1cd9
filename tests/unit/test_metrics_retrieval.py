"""Retrieval metrics: trec_eval's values, chunks and spans by hand, and what holds for every ranking."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from fastrag_bench.contracts import BatchMetric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics import MAP, MRR, NDCG, AllHops, HitRate, Precision, Recall
from fastrag_bench.metrics import judging as judging_module
from fastrag_bench.metrics.arrays import Hits, hits_of
from fastrag_bench.metrics.names import metric
from fastrag_bench.metrics.retrieval import RetrievalMetric
from fastrag_bench.types import Document, EvalSample, QueryOutcome

FAMILY = (Recall, Precision, NDCG, MRR, HitRate, MAP, AllHops)
SECOND = 1 / math.log2(3)
"""What rank 2 gains."""


def sample(*ids: str, **metadata: Any) -> EvalSample:
    return EvalSample("q", relevant_ids=list(ids), metadata=metadata)


def documents(*ids: str) -> list[Document]:
    return [Document("text", id=name) for name in ids]


def chunk(document: str, start: int, end: int) -> Document:
    place = {"doc_id": document, "start": start, "end": end}
    return Document("x" * (end - start), place, id=f"{document}#char={start},{end}")


def outcome(sources: list[Document], ranking: list[Document] | None = None) -> QueryOutcome:
    return QueryOutcome("", sources, 1.0, ranking=ranking)


def score(name: str, gold: EvalSample, sources: list[Document], *, unit: Any = "auto") -> float | None:
    return asyncio.run(metric(name, unit=unit).score(gold, outcome(sources)))


# ----- trec_eval's values


def random_lists(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Judgements with grades 0 to 3, and rankings of 0 to 30 of 40 documents."""
    generator = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(40)]
    qrels, run = {}, {}
    for number in range(20):
        judged = generator.choice(names, generator.integers(1, 12), replace=False)
        grades = generator.integers(0, 4, len(judged))
        grades[0] = max(1, grades[0])
        qrels[f"q{number}"] = {str(name): int(grade) for name, grade in zip(judged, grades, strict=True)}
        run[f"q{number}"] = [str(name) for name in generator.permutation(names)[: generator.integers(0, 31)]]
    return qrels, run


TREC = {
    **{
        f"{ours}@{k}": f"{theirs}_{k}"
        for ours, theirs in (("recall", "recall"), ("precision", "P"))
        for k in (1, 5, 10)
    },
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (1, 5, 10)},
    **{f"map@{k}": f"map_cut_{k}" for k in (1, 5, 10)},
    **{f"hit@{k}": f"success_{k}" for k in (1, 5, 10)},
    "ndcg": "ndcg",
    "map": "map",
    "mrr": "recip_rank",
    "recall": "set_recall",
    "precision": "set_P",
}


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_trec_eval(seed: int) -> None:
    qrels, run = random_lists(seed)
    measures = {"recall.1,5,10", "P.1,5,10", "ndcg_cut.1,5,10", "map_cut.1,5,10", "success.1,5,10"}
    measures |= {"ndcg", "map", "recip_rank", "set_recall", "set_P"}
    scored = {query: {name: float(-place) for place, name in enumerate(ranking)} for query, ranking in run.items()}
    expected = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(scored)
    samples = [
        sample(*(name for name, grade in grades.items() if grade), relevance_grades=grades) for grades in qrels.values()
    ]
    outcomes = [outcome(documents(*ranking)) for ranking in run.values()]
    for ours, theirs in TREC.items():
        figures = metric(ours).score_all(samples, outcomes)
        assert figures == pytest.approx([expected[query][theirs] for query in qrels], abs=1e-9), ours


def test_the_array_core_gives_the_same_values() -> None:
    qrels, run = random_lists(9)
    numbers = {f"d{number}": number for number in range(40)}
    ranked = np.full((len(run), 30), -1)
    for row, ranking in enumerate(run.values()):
        ranked[row, : len(ranking)] = [numbers[name] for name in ranking]
    triples = [(row, numbers[name], grade) for row, each in enumerate(qrels.values()) for name, grade in each.items()]
    hits = hits_of(ranked, *(np.array(column) for column in zip(*triples, strict=True)))
    samples = [sample(*grades, relevance_grades=grades) for grades in qrels.values()]
    outcomes = [outcome(documents(*ranking)) for ranking in run.values()]
    for k in (None, 1, 5, 10, 100):
        for kind, figures in zip(FAMILY, figures_of(hits, k), strict=True):
            assert figures.tolist() == kind(k).score_all(samples, outcomes), (kind, k)


def figures_of(hits: Hits, k: int | None) -> list[np.ndarray[Any, Any]]:
    return [
        *(hits.recall(k), hits.precision(k), hits.ndcg(k), hits.reciprocal_rank(k)),
        *(hits.hit(k), hits.average_precision(k), hits.all_found(k)),
    ]


def test_the_array_core_takes_judgements_in_any_order_and_empty_rankings() -> None:
    ranked = np.array([[7, 7, 3], [5, -1, -1], [-1, -1, -1]])
    hits = hits_of(ranked, np.array([2, 1, 0, 0]), np.array([7, 5, 3, 7]))
    assert hits.recall(2).tolist() == [0.5, 1.0, 0.0]
    assert hits.precision().tolist() == [2 / 3, 1.0, 0.0]
    assert hits.reciprocal_rank().tolist() == [1.0, 1.0, 0.0]
    assert hits_of(np.empty((2, 0), dtype=np.int64), np.array([0]), np.array([1])).ndcg(10).tolist() == [0.0, 0.0]


def test_large_and_fractional_grades_are_ranked_right() -> None:
    grades = {"a": 1.5, "b": 5_000_000, "c": 1}
    gold = sample("a", "b", "c", relevance_grades=grades)
    assert score("ndcg", gold, documents("b", "a", "c")) == 1.0
    ideal = 5_000_000 + 1.5 * SECOND
    assert score("ndcg@2", gold, documents("a", "b")) == pytest.approx((1.5 + 5_000_000 * SECOND) / ideal)


# ----- by hand


def test_what_each_measure_says_of_one_ranking() -> None:
    gold, ranking = sample("b", "d", "z"), documents("a", "b", "c", "d")
    assert score("recall", gold, ranking) == 2 / 3
    assert score("recall@2", gold, ranking) == 1 / 3
    assert score("precision", gold, ranking) == 2 / 4
    assert score("precision@10", gold, ranking) == 2 / 10
    assert score("mrr", gold, ranking) == 1 / 2
    assert score("mrr@1", gold, ranking) == 0.0
    assert score("hit@1", gold, ranking) == 0.0
    assert score("hit@2", gold, ranking) == 1.0
    assert score("map", gold, ranking) == (1 / 2 + 2 / 4) / 3
    assert score("all_hops@4", gold, ranking) == 0.0
    assert score("all_hops", sample("b", "d"), ranking) == 1.0
    assert score("ndcg", gold, ranking) == pytest.approx((SECOND + 1 / math.log2(5)) / (1 + SECOND + 1 / 2))
    assert score("ndcg@2", gold, ranking) == pytest.approx(SECOND / (1 + SECOND))


def test_gain_is_linear_in_the_grade() -> None:
    gold = sample("a", "b", relevance_grades={"a": 3, "b": 1})
    assert score("ndcg", gold, documents("b", "a")) == pytest.approx((1 + 3 * SECOND) / (3 + SECOND))


@pytest.mark.parametrize("kind", FAMILY)
def test_no_ids_is_none_and_no_result_is_zero(kind: type[RetrievalMetric]) -> None:
    for k in (None, 5):
        assert kind(k).score_all([sample(), sample("a")], [outcome(documents("a")), outcome([])]) == [None, 0.0]
        assert kind(k).score_all([sample("a", relevance_grades={"a": 0})], [outcome(documents("a"))]) == [None]
    assert kind().score_all([], []) == []


def test_without_a_cutoff_what_was_handed_on_is_judged_with_one_the_ranking() -> None:
    ranking = documents("x", "y", "a", "b")
    cut = outcome(ranking[:3], ranking)
    gold = sample("a", "b")
    figures = {
        name: metric(name).score_all([gold], [cut])[0] for name in ("recall", "recall@4", "recall@2", "precision")
    }
    assert figures == {"recall": 0.5, "recall@4": 1.0, "recall@2": 0.0, "precision": 1 / 3}


def test_sources_that_are_no_head_of_the_ranking_are_judged_for_themselves() -> None:
    built = outcome(documents("b"), documents("x", "a", "b"))
    assert metric("mrr").score_all([sample("b")], [built]) == [1.0]
    assert metric("mrr@10").score_all([sample("b")], [built]) == [1 / 3]


def test_a_budget_of_text_cuts_the_last_passage_and_pays_overlap_twice() -> None:
    gold = sample("d#char=300,400", "e#char=0,100")
    ranking = [chunk("d", 0, 200), chunk("d", 100, 400), chunk("e", 0, 100)]
    assert score("recall@449chars", gold, ranking) == 0.0
    assert score("recall@450chars", gold, ranking) == 0.5
    assert score("recall@549chars", gold, ranking) == 0.5
    assert score("recall@550chars", gold, ranking) == 1.0


def test_a_budget_judges_the_ranking_whatever_was_handed_on() -> None:
    ranking = [chunk("d", 0, 100), chunk("e", 0, 100)]
    cut = outcome(ranking[:1], ranking)
    assert Recall(chars=150).score_all([sample("e#char=0,100")], [cut]) == [1.0]


def test_documents_are_collapsed_before_the_cut() -> None:
    ranking = [chunk("a", 0, 5), chunk("a", 5, 9), chunk("b", 0, 5), chunk("a", 9, 12)]
    gold = sample("b")
    assert score("recall@2", gold, ranking) == 1.0
    assert score("mrr", gold, ranking) == 1 / 2
    assert score("precision", gold, ranking) == 1 / 2
    assert score("precision@1", sample("a"), ranking) == 1.0
    assert score("precision@3", sample("a"), ranking) == 1 / 3


def test_the_unit_can_be_said() -> None:
    ranking = [chunk("a", 0, 5), chunk("a", 5, 9), chunk("b", 0, 5)]
    assert score("mrr", sample("b"), ranking, unit="chunk") == 1 / 3
    assert score("precision@2", sample("a"), ranking, unit="chunk") == 1.0
    assert score("mrr", sample("b#char=0,5"), ranking, unit="document") == 1 / 2


def test_a_chunk_that_is_found_again_gains_once() -> None:
    ranking = [Document("x", {"doc_id": "d"}, id="c1")] * 3
    figures = {name: score(name, sample("c1", "c2"), ranking, unit="chunk") for name in ("recall", "precision", "map")}
    assert figures == {"recall": 0.5, "precision": 1 / 3, "map": 0.5}
    assert score("ndcg", sample("c1", "c2"), ranking, unit="chunk") == pytest.approx(1 / (1 + SECOND))


def test_a_group_is_satisfied_by_one_of_its_alternatives() -> None:
    gold = sample("a", "b", "c", relevance_groups=[["a", "b"]])
    assert score("recall", gold, documents("b", "c")) == 1.0
    assert score("recall", gold, documents("a", "b")) == 0.5
    assert score("precision", gold, documents("a", "b")) == 1.0
    assert score("ndcg", gold, documents("a", "b")) == pytest.approx(1 / (1 + SECOND))
    assert score("map", gold, documents("a", "b", "c")) == (1 + 2 / 3) / 2


def test_a_chunk_with_two_pieces_of_evidence_gains_once_at_its_rank() -> None:
    gold = sample("d#char=0,10", "d#char=20,30", relevance_grades={"d#char=20,30": 2})
    ranking = [chunk("d", 0, 40)]
    assert score("recall@1", gold, ranking) == 1.0
    assert score("all_hops@1", gold, ranking) == 1.0
    assert score("ndcg@1", gold, ranking) == 1.0
    assert score("ndcg", gold, ranking) == pytest.approx(2 / (2 + SECOND))
    assert score("map", gold, ranking) == 1 / 2


def test_a_long_span_needs_several_chunks_for_recall_but_not_for_precision() -> None:
    gold = sample("d#char=0,100")
    ranking = [chunk("d", 0, 30), chunk("e", 0, 30), chunk("d", 30, 60)]
    assert [score(f"recall@{k}", gold, ranking) for k in (1, 2, 3)] == [0.0, 0.0, 1.0]
    assert score("precision", gold, ranking) == 2 / 3
    assert score("mrr", gold, ranking) == 1.0
    assert score("ndcg", gold, ranking) == 1.0


# ----- what holds for every ranking

NAMES = [f"{kind.stem}{cut}" for kind in FAMILY for cut in ("", "@1", "@3", "@20")] + [
    "recall@1chars",
    "recall@40chars",
]
PASSAGES = st.builds(
    lambda document, start, size, kind: {
        "chunk": chunk(document, start, start + size),
        "bare": Document("x" * size, id=document),
        "nameless": Document("x" * size),
        "numbered": Document("x" * size, {"doc_id": document}, id=f"c{start}"),
    }[kind],
    st.sampled_from("abc"),
    st.integers(0, 20),
    st.integers(1, 12),
    st.sampled_from(["chunk", "chunk", "chunk", "bare", "nameless", "numbered"]),
)
IDS = st.one_of(
    st.sampled_from(["a", "b", "c", "c1", "c2", "zzz"]),
    st.builds("{}#char={},{}".format, st.sampled_from("abc"), st.integers(0, 9), st.integers(10, 30)),
)


@st.composite
def questions(draw: st.DrawFn) -> tuple[EvalSample, QueryOutcome]:
    ids = draw(st.lists(IDS, max_size=5))
    grades = {name: draw(st.integers(0, 3)) for name in ids if draw(st.booleans())}
    groups = [ids[:2]] if draw(st.booleans()) else []
    ranking = draw(st.lists(PASSAGES, max_size=8))
    k = draw(st.integers(0, 8))
    given = sample(*ids, relevance_grades=grades, relevance_groups=groups)
    return given, outcome(ranking[:k], ranking if draw(st.booleans()) else None)


@settings(max_examples=60, deadline=None)
@given(st.lists(questions(), max_size=6), st.sampled_from(["auto", "document", "chunk"]))
def test_scores_are_bounded_and_the_batch_is_equal_to_the_bit(
    cases: list[tuple[EvalSample, QueryOutcome]], unit: Any
) -> None:
    async def one_by_one(name: str) -> list[float | None]:
        return [await metric(name, unit=unit).score(*case) for case in cases]

    for name in NAMES:
        judge = metric(name, unit=unit)
        assert isinstance(judge, BatchMetric)
        scores = judge.score_all([case[0] for case in cases], [case[1] for case in cases])
        assert scores == asyncio.run(one_by_one(name)), name
        assert all(value is None or (type(value) is float and 0.0 <= value <= 1.0) for value in scores), name


@settings(max_examples=60, deadline=None)
@given(questions(), st.sampled_from(["auto", "document", "chunk"]))
def test_recall_never_falls_as_more_is_looked_at(case: tuple[EvalSample, QueryOutcome], unit: Any) -> None:
    for names in ([f"recall@{k}" for k in range(1, 10)], [f"recall@{chars}chars" for chars in range(1, 100, 7)]):
        scores = [metric(name, unit=unit).score_all([case[0]], [case[1]])[0] for name in names]
        assert all(score is None for score in scores) or scores == sorted(scores)  # type: ignore[type-var]


@settings(max_examples=60, deadline=None)
@given(questions(), st.sampled_from(["document", "chunk"]))
def test_a_head_of_a_ranking_is_judged_as_if_it_stood_alone(case: tuple[EvalSample, QueryOutcome], unit: Any) -> None:
    gold, whole = case
    for kind in FAMILY:
        for k in range(len(whole.ranked) + 1):
            cut = outcome(whole.ranked[:k], whole.ranked)
            alone = outcome([*whole.ranked[:k]])
            assert kind(unit=unit).score_all([gold], [cut]) == kind(unit=unit).score_all([gold], [alone])


# ----- each ranking is judged once


def test_a_sweep_over_k_judges_each_ranking_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counting(*arguments: Any) -> Any:
        calls.append(arguments)
        return judge(*arguments)

    judge = judging_module.judge
    monkeypatch.setattr(judging_module, "judge", counting)
    rankings = [documents("a", "b", "c"), documents("c", "b", "a")]
    for k in (1, 2, 3):
        samples = [sample("a"), sample("b")]
        outcomes = [outcome(ranking[:k], ranking) for ranking in rankings]
        for name in ("recall", "ndcg@10", "recall@2000chars", "mrr"):
            metric(name).score_all(samples, outcomes)
    assert len(calls) == 2


def test_a_ranking_that_changed_is_judged_anew() -> None:
    gold, ranking = sample("b"), documents("a")
    changing = outcome(ranking)
    assert MRR().score_all([gold], [changing]) == [0.0]
    ranking.append(Document("text", id="b"))
    assert MRR().score_all([gold], [changing]) == [0.5]
    ranking[:] = documents("b", "a")
    assert MRR().score_all([sample("b")], [outcome(ranking)]) == [1.0]
    gold.relevant_ids[:] = ["a"]
    assert MRR().score_all([gold], [changing]) == [0.5]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_module, "REMEMBERED_PASSAGES", 10)
    memory = judging_module._Memory()
    rankings = [documents("a", "b", "c") for _ in range(9)]
    gold = judging_module.gold_of(sample("a"))
    for ranking in rankings:
        assert memory.judged(gold, ranking, None).credit_rank == (1,)
    assert len(memory._known) == 3


# ----- construction


@pytest.mark.parametrize("k", [0, -1, True, 2.5, "5"])
def test_a_cutoff_is_a_whole_number_of_at_least_one(k: Any) -> None:
    with pytest.raises(ConfigurationError, match="recall: k is a whole number of at least 1 or None, not"):
        Recall(k)
    with pytest.raises(ConfigurationError, match="recall: chars is a whole number of at least 1 or None, not"):
        Recall(chars=k)


def test_two_cutoffs_and_unknown_units_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="at k=5 passages or at chars=100 characters, not at both"):
        Recall(5, chars=100)
    with pytest.raises(ConfigurationError, match="ndcg: unit is auto, document or chunk, not 'page'"):
        NDCG(10, unit="page")  # type: ignore[arg-type]
