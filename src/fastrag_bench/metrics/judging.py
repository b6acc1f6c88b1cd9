"""Outcomes as hits: each ranking is judged once, however many metrics and however many cuts look at it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from threading import Lock
from typing import NamedTuple

import numpy as np

from fastrag_bench.metrics.arrays import Floats, Hits, Ints
from fastrag_bench.metrics.budget import found_within
from fastrag_bench.relevance import Gold, Judged, Unit, gold_of, judge
from fastrag_bench.types import Document, EvalSample, QueryOutcome

REMEMBERED_PASSAGES = 400_000
"""So many passages are kept alive by the judgements of the rankings they stand in."""


class _Known(NamedTuple):
    ranking: list[Document]
    passages: tuple[Document, ...]
    judged: Judged


class _Memory:
    """Judgements by the identity of the ranking and the content of the gold, the latest ones.

    A ranking that was changed since, or is another list with the same address, is seen: its passages are compared.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, Gold, Unit | None], _Known] = OrderedDict()
        self._passages = 0
        self._lock = Lock()

    def judged(self, gold: Gold, ranking: list[Document], unit: Unit | None) -> Judged:
        key = (id(ranking), gold, unit)
        known = self._known.get(key)
        if known is not None and _same(known.passages, ranking):
            return known.judged
        found = _Known(ranking, tuple(ranking), judge(gold, ranking, unit))
        with self._lock:
            self._remember(key, found)
        return found.judged

    def _remember(self, key: tuple[int, Gold, Unit | None], found: _Known) -> None:
        former = self._known.pop(key, None)
        self._passages += len(found.passages) - (0 if former is None else len(former.passages))
        self._known[key] = found
        while self._passages > REMEMBERED_PASSAGES and len(self._known) > 1:
            self._passages -= len(self._known.popitem(last=False)[1].passages)


_MEMORY = _Memory()


@dataclass(frozen=True)
class Batch:
    """The judged outcomes of some samples, and the depth of what each handed on."""

    ranked: tuple[Judged, ...]
    """Each whole ranking."""
    handed_on: tuple[Judged, ...]
    """The judgement that `sources` are a prefix of: the whole ranking's wherever they are the head of it."""
    depth: Ints
    """[n] passages in `sources`."""
    rankings: tuple[list[Document], ...]
    """Each whole ranking's passages."""

    @classmethod
    def of(cls, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome], unit: Unit | None) -> Batch:
        """Judge each outcome; judgements are shared between cuts of one ranking."""
        ranked, handed_on = [], []
        for sample, outcome in zip(samples, outcomes, strict=True):
            gold = gold_of(sample)
            whole = _MEMORY.judged(gold, outcome.ranked, unit)
            ranked.append(whole)
            is_head = outcome.ranking is None or _same(outcome.sources, outcome.ranking[: len(outcome.sources)])
            handed_on.append(whole if is_head else _MEMORY.judged(gold, outcome.sources, unit))
        depth = _array(len(outcome.sources) for outcome in outcomes)
        return cls(tuple(ranked), tuple(handed_on), depth, tuple(outcome.ranked for outcome in outcomes))

    @cached_property
    def measurable(self) -> list[bool]:
        """[n] whether there is any evidence to find."""
        return [bool(judged.gains) for judged in self.ranked]

    @cached_property
    def ranked_credits(self) -> Hits:
        """Hits over whole rankings, credited by single passages."""
        return _stack(self.ranked, "credit", None)

    @cached_property
    def ranked_finds(self) -> Hits:
        """Hits over whole rankings, found by passages together."""
        return _stack(self.ranked, "found", None)

    @cached_property
    def handed_credits(self) -> Hits:
        """As `ranked_credits`, for what was handed on."""
        return _stack(self.handed_on, "credit", self.depth)

    @cached_property
    def handed_finds(self) -> Hits:
        """As `ranked_finds`, for what was handed on."""
        return _stack(self.handed_on, "found", self.depth)

    def recall_at_chars(self, budget: int) -> Floats:
        """[n] evidence found within so many characters of the ranking / all evidence; 0 without evidence."""
        return self._share(sum(0 < chars <= budget for chars in judged.found_chars) for judged in self.ranked)

    def recall_at_tokens(self, budget: int) -> Floats:
        """[n] as `recall_at_chars`, for a budget in tokens."""
        return self._share(
            found_within(judged, ranking, budget) for judged, ranking in zip(self.ranked, self.rankings, strict=True)
        )

    def _share(self, found: Iterable[int]) -> Floats:
        return _array(found) / np.maximum(_array(len(judged.gains) for judged in self.ranked), 1)


def _stack(judged: Sequence[Judged], kind: str, depth: Ints | None) -> Hits:
    """One `Hits` of many judgements; with a depth, what stands below that position is not there."""
    numbers = np.arange(len(judged))
    question = np.repeat(numbers, _array(len(each.gains) for each in judged))
    rank = _flat(getattr(each, f"{kind}_rank") for each in judged)
    relevant_question = np.repeat(numbers, _array(len(each.relevant_rank) for each in judged))
    relevant_rank = _flat(each.relevant_rank for each in judged)
    returned = _array(each.units[-1] for each in judged)
    if depth is not None:
        position = _flat(getattr(each, f"{kind}_position") for each in judged)
        rank = np.where(position <= depth[question], rank, 0)
        inside = _flat(each.relevant_position for each in judged) <= depth[relevant_question]
        relevant_question, relevant_rank = relevant_question[inside], relevant_rank[inside]
        returned = _array(each.units[cut] for each, cut in zip(judged, depth.tolist(), strict=True))
    gains = np.array([gain for each in judged for gain in each.gains], dtype=np.float64)
    return Hits(len(judged), question, rank, gains, relevant_question, relevant_rank, returned)


def _flat(rows: Iterable[Sequence[int]]) -> Ints:
    return _array(value for row in rows for value in row)


def _array(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


class _Last(NamedTuple):
    samples: tuple[EvalSample, ...]
    outcomes: tuple[QueryOutcome, ...]
    lengths: list[int]
    unit: Unit | None
    batch: Batch


_LAST: list[_Last] = []
"""The last few batches: a benchmark asks every metric about the same outcomes."""


def batch_of(samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome], unit: Unit | None) -> Batch:
    """The batch of these outcomes; the last ones are not judged again unless a ranking became longer or shorter."""
    if len(samples) == 1:
        return Batch.of(samples, outcomes, unit)
    lengths = [length for outcome in outcomes for length in (len(outcome.sources), len(outcome.ranked))]
    for last in _LAST:
        alike = last.unit == unit and last.lengths == lengths
        if alike and _same(last.samples, samples) and _same(last.outcomes, outcomes):
            return last.batch
    batch = Batch.of(samples, outcomes, unit)
    _LAST[:] = [_Last(tuple(samples), tuple(outcomes), lengths, unit, batch), *_LAST[:1]]
    return batch
