"""Ranking measures from arrays: every figure of every question at once, from the few hits and not from the rankings.

Definitions are those of trec_eval (Buckley), with linear gain for nDCG (Jarvelin and Kekalainen 2002). Cutoffs are
ranks; a cutoff of None takes all that was returned. The order of a ranking is its order: nothing is sorted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Hits:
    """The evidence of `n` questions and where it stands. All arrays are in order of question.

    `rank` is 1-based, 0 where evidence never turns up. Evidence that several ranks could be credited for is credited
    once, at the first.
    """

    n: int
    question: Ints
    """[evidence] the question of each piece of evidence."""
    rank: Ints
    """[evidence] where it is credited."""
    gain: Floats
    """[evidence] its grade."""
    relevant_question: Ints
    """[relevant] the question of each relevant unit in a ranking."""
    relevant_rank: Ints
    """[relevant] its rank."""
    returned: Ints
    """[n] how many units each ranking has."""

    @cached_property
    def evidence(self) -> Ints:
        """[n] pieces of evidence of each question."""
        return np.bincount(self.question, minlength=self.n).astype(np.int64)

    def recall(self, k: int | None = None) -> Floats:
        """[n] found evidence / all evidence; NaN without evidence."""
        found = np.bincount(self.question[_within(self.rank, k)], minlength=self.n)
        return _ratio(found, self.evidence)

    def all_found(self, k: int | None = None) -> Floats:
        """[n] 1 where all evidence is found."""
        recall = self.recall(k)
        return np.where(np.isnan(recall), np.nan, (recall == 1.0).astype(np.float64))

    def precision(self, k: int | None = None) -> Floats:
        """[n] relevant units / k, or / returned without k; NaN without evidence, 0 for an empty ranking."""
        hits = np.bincount(self.relevant_question[_within(self.relevant_rank, k)], minlength=self.n)
        divisor = self.returned if k is None else np.full(self.n, k)
        return self._judged(_ratio(hits, np.maximum(divisor, 1)))

    def reciprocal_rank(self, k: int | None = None) -> Floats:
        """[n] 1 / rank of the first relevant unit, 0 if there is none."""
        first = np.full(self.n, np.iinfo(np.int64).max)
        kept = _within(self.relevant_rank, k)
        np.minimum.at(first, self.relevant_question[kept], self.relevant_rank[kept])
        return self._judged(np.where(first == np.iinfo(np.int64).max, 0.0, 1.0 / first))

    def hit(self, k: int | None = None) -> Floats:
        """[n] 1 where some relevant unit is within k."""
        return np.where(np.isnan(rank := self.reciprocal_rank(k)), np.nan, (rank > 0).astype(np.float64))

    def average_precision(self, k: int | None = None) -> Floats:
        """[n] mean over all evidence of the precision at its rank, 0 for what is not found.

        The precision counts ranks that were credited, so evidence that shares a rank never makes it exceed 1.
        """
        question, rank, _ = self._credited(k)
        new = _firsts(question, rank)
        counted = np.concatenate([[0], np.cumsum(new)])
        before = counted[np.searchsorted(question, np.arange(self.n))]
        hits = counted[1:] - before[question]
        total = np.bincount(question, weights=hits / rank, minlength=self.n)
        return _ratio(total, self.evidence)

    def ndcg(self, k: int | None = None) -> Floats:
        """[n] discounted gain at k / that of the best possible ranking of ALL evidence, cut at k."""
        question, rank, order = self._credited(k)
        gain = self.gain[order]
        best = np.lexsort((-gain, rank, question))
        question, rank, gain = question[best], rank[best], gain[best]
        kept = _firsts(question, rank)
        discounted = gain[kept] / np.log2(rank[kept] + 1.0)
        return _ratio(np.bincount(question[kept], weights=discounted, minlength=self.n), self._ideal(k))

    def _ideal(self, k: int | None) -> Floats:
        order = np.lexsort((-self.gain, self.question))
        start = np.concatenate([[0], np.cumsum(self.evidence)])[self.question[order]]
        place = np.arange(len(order)) - start
        kept = slice(None) if k is None else place < k
        gains = self.gain[order][kept] / np.log2(place[kept] + 2.0)
        ideal: Floats = np.bincount(self.question[order][kept], weights=gains, minlength=self.n).astype(np.float64)
        return ideal

    def _credited(self, k: int | None) -> tuple[Ints, Ints, Ints]:
        """Questions, ranks and places of the evidence found within k, in order of question and rank."""
        kept = np.flatnonzero(_within(self.rank, k))
        order = kept[np.lexsort((self.rank[kept], self.question[kept]))]
        return self.question[order], self.rank[order], order

    def _judged(self, figures: Floats) -> Floats:
        return np.where(self.evidence == 0, np.nan, figures)


def hits_of(ranked: Ints, judged_question: Ints, judged_document: Ints, grade: NDArray[Any] | None = None) -> Hits:
    """Hits of rankings of document numbers.

    Args:
        ranked: [questions, depth] document numbers, best first, negative where a ranking ends. A document that comes
            twice counts at its first rank.
        judged_question: [judgements] row of `ranked`.
        judged_document: [judgements] document number, each at most once for a question.
        grade: [judgements] grades; below 1 is not relevant. None: all are 1.
    """
    grades = np.ones(len(judged_question)) if grade is None else np.asarray(grade, dtype=np.float64)
    order = np.flatnonzero(grades >= 1)
    order = order[np.argsort(judged_question[order], kind="stable")]
    question, document = judged_question[order].astype(np.int64), judged_document[order]
    rank = _first_places(ranked, question, document)
    found = rank > 0
    returned = (ranked >= 0).sum(axis=1)
    return Hits(len(ranked), question, rank, grades[order], question[found], rank[found], returned)


def _first_places(ranked: Ints, question: Ints, document: Ints, block: int = 65_536) -> Ints:
    """1-based place of each judged document in its question's row, 0 if it is not there."""
    rank = np.zeros(len(question), dtype=np.int64)
    for start in range(0, len(question), block):
        part = slice(start, start + block)
        same = ranked[question[part]] == document[part, None]
        first = same.argmax(axis=1)
        rank[part] = np.where(same[np.arange(len(first)), first], first + 1, 0)
    return rank


def _within(rank: Ints, k: int | None) -> NDArray[np.bool_]:
    return rank > 0 if k is None else (rank > 0) & (rank <= k)


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / np.where(whole == 0, 1, whole)).astype(np.float64)


def _firsts(question: Ints, rank: Ints) -> NDArray[np.bool_]:
    """Where a new (question, rank) begins in sorted arrays."""
    new = np.ones(len(question), dtype=bool)
    new[1:] = (question[1:] != question[:-1]) | (rank[1:] != rank[:-1])
    return new
