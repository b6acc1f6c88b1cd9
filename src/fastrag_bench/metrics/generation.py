"""Answer metrics that need no model: the best score over the expected answers, None where none is expected."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from fastrag_bench.contracts import Metric
from fastrag_bench.metrics.text import squad_words, words
from fastrag_bench.types import EvalSample, QueryOutcome


class AnswerMetric(Metric):
    """Compares the answer with each expected answer and keeps the best."""

    needs_answer: ClassVar[bool] = True
    stem: ClassVar[str]

    @property
    def name(self) -> str:
        """The column."""
        return self.stem

    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """The best over the expected answers."""
        return self.score_all([sample], [outcome])[0]

    def score_all(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]) -> list[float | None]:
        """A score for each pair; no figure depends on the others."""
        return [
            max((self.compare(outcome.answer, expected) for expected in sample.expected_answers), default=None)
            for sample, outcome in zip(samples, outcomes, strict=True)
        ]

    @abstractmethod
    def compare(self, answer: str, expected: str) -> float:
        """How well one answer meets one expected answer, from 0 to 1."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return self.name


class ExactMatch(AnswerMetric):
    """1 where the words are the same after SQuAD's normalisation (Rajpurkar et al. 2016)."""

    stem: ClassVar[str] = "exact_match"

    def compare(self, answer: str, expected: str) -> float:
        """1 or 0."""
        return float(squad_words(answer) == squad_words(expected))


class TokenF1(AnswerMetric):
    """F1 of the words shared, each as often as both have it, after SQuAD's normalisation."""

    stem: ClassVar[str] = "token_f1"

    def compare(self, answer: str, expected: str) -> float:
        """From 0 to 1."""
        found, wanted = squad_words(answer), squad_words(expected)
        if not found or not wanted:
            return float(found == wanted)
        shared = sum((Counter(found) & Counter(wanted)).values())
        return _f1(shared, len(found), len(wanted))


class RougeL(AnswerMetric):
    """F1 of the longest common subsequence of words (Lin 2004), without stemming."""

    stem: ClassVar[str] = "rouge_l"

    def compare(self, answer: str, expected: str) -> float:
        """From 0 to 1."""
        found, wanted = words(answer) or answer.split(), words(expected) or expected.split()
        if not found or not wanted:
            return float(found == wanted)
        return _f1(_common_length(found, wanted), len(found), len(wanted))


class Contains(AnswerMetric):
    """1 where the expected answer stands in the answer, word for word, after SQuAD's normalisation."""

    stem: ClassVar[str] = "contains"

    def compare(self, answer: str, expected: str) -> float:
        """1 or 0."""
        found, wanted = squad_words(answer), squad_words(expected)
        if not wanted:
            return float(not found)
        places = range(len(found) - len(wanted) + 1)
        return float(any(found[place : place + len(wanted)] == wanted for place in places))


def _f1(shared: int, found: int, wanted: int) -> float:
    """The harmonic mean of shared / found and shared / wanted, in the order of operations that rouge-score has."""
    if not shared:
        return 0.0
    precision, recall = shared / found, shared / wanted
    return 2 * precision * recall / (precision + recall)


def _common_length(one: Sequence[str], two: Sequence[str]) -> int:
    """The length of the longest common subsequence, with one bit a word (Hyyro 2004)."""
    places: dict[str, int] = {}
    for number, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << number
    full = (1 << len(one)) - 1
    row = full
    for word in two:
        matches = row & places.get(word, 0)
        row = ((row + matches) | (row - matches)) & full
    return len(one) - row.bit_count()
