"""Outcomes as hits: each ranking is judged once, however many metrics and however many cuts look at it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastrag_bench.metrics.arrays import Floats, Hits, Ints
from fastrag_bench.relevance import Gold, Judged, Unit, gold_of, judge
from fastrag_bench.types import Document, EvalSample, QueryOutcome

REMEMBERED = 20_000


class _Memory:
    """Judgements of the last few thousand (sample, ranking) pairs, known by identity; both are kept alive."""

    def __init__(self) -> None:
        self._gold: OrderedDict[int, tuple[EvalSample, Gold]] = OrderedDict()
        self._judged: OrderedDict[tuple[int, int, Unit | None], tuple[Any, Any, int, Judged]] = OrderedDict()

    def gold(self, sample: EvalSample) -> Gold:
        held = self._gold.get(id(sample))
        if held is None:
            held = self._gold[id(sample)] = (sample, gold_of(sample))
            _shorten(self._gold)
        return held[1]

    def judged(self, sample: EvalSample, ranking: list[Document], unit: Unit | None) -> Judged:
        key = (id(sample), id(ranking), unit)
        held = self._judged.get(key)
        if held is None or held[2] != len(ranking):
            found = judge(self.gold(sample), ranking, unit)
            held = self._judged[key] = (sample, ranking, len(ranking), found)
            _shorten(self._judged)
        return held[3]


def _shorten(table: OrderedDict[Any, Any]) -> None:
    while len(table) > REMEMBERED:
        table.popitem(last=False)


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

    @classmethod
    def of(cls, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome], unit: Unit | None) -> Batch:
        """Judge each outcome; judgements are shared between cuts of one ranking."""
        ranked, handed_on = [], []
        for sample, outcome in zip(samples, outcomes, strict=True):
            whole = _MEMORY.judged(sample, outcome.ranked, unit)
            ranked.append(whole)
            is_head = outcome.ranking is None or _is_head(outcome.sources, outcome.ranking)
            handed_on.append(whole if is_head else _MEMORY.judged(sample, outcome.sources, unit))
        depth = np.array([len(outcome.sources) for outcome in outcomes], dtype=np.int64)
        return cls(tuple(ranked), tuple(handed_on), depth)

    @cached_property
    def rank_hits(self) -> Hits:
        """Hits over whole rankings, credited by single passages."""
        return _stack(self.ranked, "credit", None)

    @cached_property
    def found_hits(self) -> Hits:
        """Hits over whole rankings, found by passages together."""
        return _stack(self.ranked, "found", None)

    @cached_property
    def handed_rank_hits(self) -> Hits:
        """As `rank_hits`, for what was handed on."""
        return _stack(self.handed_on, "credit", self.depth)

    @cached_property
    def handed_found_hits(self) -> Hits:
        """As `found_hits`, for what was handed on."""
        return _stack(self.handed_on, "found", self.depth)

    def recall_at_chars(self, budget: int) -> Floats:
        """[n] evidence found within so many characters of the ranking / all evidence; NaN without evidence."""
        counts = [len(judged.gains) for judged in self.ranked]
        found = [sum(0 < chars <= budget for chars in judged.found_chars) for judged in self.ranked]
        return np.array([hits / count if count else np.nan for hits, count in zip(found, counts, strict=True)])


def _is_head(sources: list[Document], ranking: list[Document]) -> bool:
    return len(sources) <= len(ranking) and all(map(_same, sources, ranking))


def _same(one: Document, other: Document) -> bool:
    return one is other


def _stack(judged: Sequence[Judged], kind: str, depth: Ints | None) -> Hits:
    """One `Hits` of many judgements; with a depth, what stands below that position is not there."""
    counts = [len(each.gains) for each in judged]
    rank = _flat([getattr(each, f"{kind}_rank") for each in judged])
    question = np.repeat(np.arange(len(judged)), counts)
    relevant_question = np.repeat(np.arange(len(judged)), [len(each.relevant_rank) for each in judged])
    relevant_rank = _flat([each.relevant_rank for each in judged])
    returned = [each.units[-1] for each in judged]
    if depth is not None:
        position = _flat([getattr(each, f"{kind}_position") for each in judged])
        rank = np.where(position <= depth[question], rank, 0)
        inside = _flat([each.relevant_position for each in judged]) <= depth[relevant_question]
        relevant_question, relevant_rank = relevant_question[inside], relevant_rank[inside]
        returned = [each.units[cut] for each, cut in zip(judged, depth.tolist(), strict=True)]
    gains = np.array([gain for each in judged for gain in each.gains], dtype=np.float64)
    return Hits(
        len(judged), question, rank, gains, relevant_question, relevant_rank, np.array(returned, dtype=np.int64)
    )


def _flat(rows: Sequence[Sequence[int]]) -> Ints:
    return np.array([value for row in rows for value in row], dtype=np.int64)


class _Last:
    """The batch of the lists that were judged last: a benchmark asks every metric about the same two lists."""

    def __init__(self) -> None:
        self._held: list[tuple[Any, Any, Unit | None, Batch]] = []

    def of(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome], unit: Unit | None) -> Batch:
        for held in self._held:
            if held[0] is samples and held[1] is outcomes and held[2] == unit:
                return held[3]
        batch = Batch.of(samples, outcomes, unit)
        self._held = [(samples, outcomes, unit, batch), *self._held[:1]]
        return batch


_LAST = _Last()


def batch_of(samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome], unit: Unit | None) -> Batch:
    """The batch of these lists; the lists of the last call are not judged again."""
    return _LAST.of(samples, outcomes, unit)
