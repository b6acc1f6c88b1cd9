"""Retrievers: what they search, and how two rankings become one."""

import numpy as np
import pytest

from fastrag_bench.contracts import Ranking
from fastrag_bench.retrievers.bm25 import Bm25Retriever
from fastrag_bench.retrievers.dense import DenseRetriever
from fastrag_bench.retrievers.hybrid import HybridRetriever


def ranking(**scores: float) -> Ranking:
    """`ranking(c3=2.0, c1=1.0)`: chunks in this order."""
    chunks = np.array([int(name[1:]) for name in scores], np.int64)
    return Ranking(chunks, np.array(list(scores.values()), np.float64))


def as_dict(result: Ranking) -> dict[int, float]:
    return dict(zip(result.chunks.tolist(), result.scores.tolist(), strict=True))


LEXICAL = ranking(c3=9.0, c1=5.0, c7=1.0)
DENSE = ranking(c1=0.8, c2=0.6, c3=0.0)
EMPTY = ranking()


def test_what_each_retriever_searches() -> None:
    assert Bm25Retriever.searches == ("lexical",)
    assert DenseRetriever.searches == ("dense",)
    assert HybridRetriever.searches == ("lexical", "dense")


@pytest.mark.parametrize("retriever", [Bm25Retriever(), DenseRetriever()])
def test_one_ranking_is_cut(retriever: Bm25Retriever | DenseRetriever) -> None:
    assert as_dict(retriever.combine([LEXICAL], 2)) == {3: 9.0, 1: 5.0}


def test_reciprocal_rank_fusion_adds_up_one_over_constant_plus_rank() -> None:
    fused = HybridRetriever(fusion="rrf").combine([LEXICAL, DENSE], 10)
    assert fused.chunks.tolist() == [1, 3, 2, 7]
    assert fused.scores.tolist() == pytest.approx([1 / 62 + 1 / 61, 1 / 61 + 1 / 63, 1 / 62, 1 / 63])


def test_the_rank_constant_and_the_weight_shift_it() -> None:
    fused = HybridRetriever(fusion="rrf", rank_constant=0, lexical_weight=0.75).combine([LEXICAL, DENSE], 2)
    assert as_dict(fused) == pytest.approx({3: 1.5 * 1 + 0.5 / 3, 1: 1.5 / 2 + 0.5 * 1})


def test_equal_fused_scores_stand_in_order_of_position() -> None:
    fused = HybridRetriever(fusion="rrf").combine([ranking(c9=2.0, c4=1.0), ranking(c4=2.0, c9=1.0)], 10)
    assert fused.chunks.tolist() == [4, 9]
    assert fused.scores[0] == fused.scores[1]


def test_weighted_fusion_with_minmax_gives_the_missing_the_lowest() -> None:
    """Lexical 1, .5, 0 for 3, 1, 7; dense 1, .75, 0 for 1, 2, 3."""
    fused = HybridRetriever(lexical_weight=0.25).combine([LEXICAL, DENSE], 10)
    expected = {1: 0.25 * 0.5 + 0.75, 2: 0.75 * 0.75, 3: 0.25, 7: 0.0}
    assert as_dict(fused) == pytest.approx(expected)
    assert fused.chunks.tolist() == [1, 2, 3, 7]


def test_weighted_fusion_with_zscore_gives_the_missing_the_lowest() -> None:
    """Lexical mean 5, deviation sqrt(32/3); dense 10, 6, 2 likewise mean 6, deviation sqrt(32/3)."""
    unit = 4 / (32 / 3) ** 0.5
    fused = HybridRetriever(normalization="zscore").combine([LEXICAL, ranking(c1=10.0, c2=6.0, c3=2.0)], 10)
    assert as_dict(fused) == pytest.approx({1: unit / 2, 2: -unit / 2, 3: 0.0, 7: -unit})


@pytest.mark.parametrize("normalization", ["minmax", "zscore"])
def test_a_single_hit_stands_one_unit_above_those_that_lack_it(normalization: str) -> None:
    retriever = HybridRetriever.model_validate({"normalization": normalization})
    dense = ranking(c1=0.9, c2=0.8, c5=0.7)
    without = as_dict(retriever.combine([EMPTY, dense], 3))
    hit = as_dict(retriever.combine([ranking(c5=3.0), dense], 3))
    assert (hit[5] - hit[1]) - (without[5] - without[1]) == pytest.approx(0.5)


@pytest.mark.parametrize("fusion", ["rrf", "weighted"])
def test_an_empty_ranking_leaves_the_other_as_it_is(fusion: str) -> None:
    retriever = HybridRetriever.model_validate({"fusion": fusion})
    assert retriever.combine([EMPTY, DENSE], 10).chunks.tolist() == [1, 2, 3]
    assert retriever.combine([LEXICAL, EMPTY], 2).chunks.tolist() == [3, 1]
    assert len(retriever.combine([EMPTY, EMPTY], 5)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_one_and_zero_keep_the_order_of_one_ranking(seed: int) -> None:
    random = np.random.default_rng(seed)
    lexical = Ranking.best(random.permutation(40)[:20], random.random(20), 20)
    dense = Ranking.best(random.permutation(40)[:20], random.random(20), 20)
    for fusion in ("rrf", "weighted"):
        for weight, first in ((1.0, lexical), (0.0, dense)):
            retriever = HybridRetriever.model_validate({"fusion": fusion, "lexical_weight": weight})
            fused = retriever.combine([lexical, dense], 19)
            assert fused.chunks.tolist() == first.chunks.tolist()[:19]
            assert np.isfinite(fused.scores).all()
