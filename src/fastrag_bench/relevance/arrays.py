"""Ranking measures from arrays: every figure of every question at once, from the few hits and not from the rankings.

Definitions are those of trec_eval (Buckley), with linear gain for nDCG (Jarvelin and Kekalainen 2002). Cutoffs are
ranks; a cutoff of None takes all that was returned. The order of a ranking is its order: nothing is sorted again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


LARGEST_GRADE = 1_000_000
"""Larger ones are right, too, but slower."""


class Credits(NamedTuple):
    """What ranks gain: at most one credit for each (question, rank), in that order."""

    question: Ints
    rank: Ints
    gain: Floats
    """Its grade / log2(rank + 1)."""
    precision: Floats
    """Credits of the question up to this rank / rank."""


@dataclass(frozen=True)
class Hits:
    """The evidence of `n` questions and where it stands. All arrays are in order of question.

    `rank` is 1-based, 0 where evidence never turns up. Evidence that several ranks could be credited for is credited
    once, at the first. Every figure is 0 for a question without evidence, which `evidence` tells.
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
        return self._count(self.question)

    def recall(self, k: int | None = None) -> Floats:
        """[n] found evidence / all evidence."""
        return self._share(self._count(self.question[_within(self.rank, k)]))

    def all_found(self, k: int | None = None) -> Floats:
        """[n] 1 where all evidence is found."""
        return np.where(self.recall(k) == 1.0, 1.0, 0.0)

    def precision(self, k: int | None = None) -> Floats:
        """[n] relevant units / k, or / returned without k; 0 for an empty ranking."""
        hits = self._relevant(k)
        share: Floats = hits / (np.maximum(self.returned, 1) if k is None else k)
        return share

    def r_precision(self) -> Floats:
        """[n] relevant units in the first R ranks / R, where R is the number of pieces of evidence."""
        within = self.relevant_rank <= self.evidence[self.relevant_question]
        return self._share(self._count(self.relevant_question[within]))

    def hit(self, k: int | None = None) -> Floats:
        """[n] 1 where some relevant unit is within k."""
        return np.where(self._relevant(k) > 0, 1.0, 0.0)

    def reciprocal_rank(self, k: int | None = None) -> Floats:
        """[n] 1 / rank of the first relevant unit, 0 if there is none."""
        first = self._first_relevant
        return np.where(_within(first, k), 1.0 / np.maximum(first, 1), 0.0)

    def average_precision(self, k: int | None = None) -> Floats:
        """[n] mean over all evidence of the precision at its rank, 0 for what is not found.

        The precision counts ranks that were credited, so evidence that shares a rank never makes it exceed 1.
        """
        return self._share(self._sum(self._credits, self._credits.precision, k))

    def ndcg(self, k: int | None = None) -> Floats:
        """[n] discounted gain at k / that of the best possible ranking of ALL evidence, cut at k."""
        ideal = self._sum(self._ideal, self._ideal.gain, k)
        share = self._sum(self._credits, self._credits.gain, k) / np.where(ideal == 0.0, 1.0, ideal)
        return np.minimum(share, 1.0)  # sums in another order can differ in the last bit

    def _relevant(self, k: int | None) -> Ints:
        return self._count(self.relevant_question[_within(self.relevant_rank, k)])

    @cached_property
    def _first_relevant(self) -> Ints:
        order = np.argsort(self.relevant_rank, kind="stable")[::-1]
        first = np.zeros(self.n, dtype=np.int64)
        first[self.relevant_question[order]] = self.relevant_rank[order]
        return first

    @cached_property
    def _credits(self) -> Credits:
        found = self.rank > 0
        return _credits(self.question[found], self.rank[found], self.gain[found])

    @cached_property
    def _ideal(self) -> Credits:
        gain = self.gain[_by_gain(self.question, self.gain)]
        return _priced(self.question, _places(self.question), gain)

    def _count(self, question: Ints) -> Ints:
        return np.bincount(question, minlength=self.n)

    def _share(self, part: NDArray[Any]) -> Floats:
        return part / np.maximum(self.evidence, 1)

    def _sum(self, credits: Credits, weights: Floats, k: int | None) -> Floats:
        kept = slice(None) if k is None else credits.rank <= k
        sums: Floats = np.bincount(credits.question[kept], weights=weights[kept], minlength=self.n).astype(np.float64)
        return sums


def hits_of(ranked: Ints, judged_question: Ints, judged_document: Ints, grade: NDArray[Any] | None = None) -> Hits:
    """Hits of rankings of document numbers.

    Args:
        ranked: [questions, depth] document numbers, best first, negative where a ranking ends. A document that comes
            twice counts at its first rank.
        judged_question: [judgements] row of `ranked`.
        judged_document: [judgements] document number, not negative, each at most once for a question.
        grade: [judgements] grades; below 1 is not relevant. None: all are 1.
    """
    grades = np.ones(len(judged_question)) if grade is None else np.asarray(grade, dtype=np.float64)
    order = np.flatnonzero(grades >= 1)
    if np.any(np.diff(judged_question) < 0):
        order = order[np.argsort(judged_question[order], kind="stable")]
    question, document = judged_question[order].astype(np.int64), judged_document[order]
    rank = _first_places(ranked, question, document)
    found = rank > 0
    returned = np.count_nonzero(ranked >= 0, axis=1)
    return Hits(len(ranked), question, rank, grades[order], question[found], rank[found], returned)


def _first_places(ranked: Ints, question: Ints, document: Ints, block: int = 2048) -> Ints:
    """1-based place of each judged document in its question's row, 0 if it is not there."""
    rank = np.zeros(len(question), dtype=np.int64)
    if not ranked.size:
        return rank
    for start in range(0, len(question), block):
        part = slice(start, start + block)
        same = ranked[question[part]] == document[part, None]
        first = same.argmax(axis=1)
        rank[part] = np.where(same[np.arange(len(first)), first], first + 1, 0)
    return rank


def _credits(question: Ints, rank: Ints, gain: Floats) -> Credits:
    """Found evidence as credits; where several pieces share a rank, the one of most gain."""
    order = np.argsort(question * (rank.max(initial=0) + 1) + rank)
    new = _firsts(question[order], rank[order])
    if not new.all():
        order = np.lexsort((-gain, rank, question))[new]
    return _priced(question[order], rank[order], gain[order])


def _priced(question: Ints, rank: Ints, gain: Floats) -> Credits:
    return Credits(question, rank, gain / _logarithms(rank), _places(question) / rank)


def _firsts(question: Ints, rank: Ints) -> NDArray[np.bool_]:
    """Where a new (question, rank) begins in sorted arrays."""
    new = np.ones(len(question), dtype=bool)
    new[1:] = (question[1:] != question[:-1]) | (rank[1:] != rank[:-1])
    return new


def _by_gain(question: Ints, gain: Floats) -> Ints:
    """The order by question, then falling gain; whole grades are sorted as one number with the question."""
    whole = np.minimum(gain, LARGEST_GRADE).astype(np.int64)
    if np.array_equal(whole, gain):
        return np.argsort(question * (whole.max(initial=0) + 1) - whole)
    return np.lexsort((-gain, question))


def _places(question: Ints) -> Ints:
    """1-based place of each entry among those of its question; the array is sorted."""
    start = np.flatnonzero(np.diff(question, prepend=-1))
    sizes = np.diff(start, append=len(question))
    return np.arange(1, len(question) + 1) - np.repeat(start, sizes)


def _logarithms(rank: Ints) -> Floats:
    """log2(rank + 1), the same for a rank whatever stands around it."""
    return _table(int(rank.max(initial=0)).bit_length())[rank]


@lru_cache
def _table(bits: int) -> Floats:
    return np.array([math.log2(rank + 1) for rank in range(1 << bits)])


def _within(rank: Ints, k: int | None) -> NDArray[np.bool_]:
    return rank > 0 if k is None else (rank > 0) & (rank <= k)
