"""Judge one ranking against the gold of its question: at which rank, and after how much text, each group is found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fastrag_bench.relevance.gold import Gold, Span, parse_span
from fastrag_bench.relevance.place import Place, place_of
from fastrag_bench.relevance.unit import Unit, unit_of_question
from fastrag_bench.types import Document

THRESHOLD = 0.5
"""The share of a span that has to be covered: less is a crumb, more would ask for luck with the cuts."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where evidence stands in a ranking. Ranks and positions are 1-based, 0 means never.

    Positions count passages; ranks count units, which are documents (each at its first passage) or passages.
    """

    gains: tuple[float, ...]
    """The grade of each group."""
    credit_rank: tuple[int, ...]
    """For each group, the rank of the first passage that is relevant to it on its own."""
    credit_position: tuple[int, ...]
    """The position of that passage."""
    found_rank: tuple[int, ...]
    """For each group, the rank by which the passages together cover it."""
    found_position: tuple[int, ...]
    """The position by which they do."""
    found_chars: tuple[int, ...]
    """The characters of text by which they do, overlaps paid twice."""
    relevant_rank: tuple[int, ...]
    """The ranks of all relevant units."""
    relevant_position: tuple[int, ...]
    """The position at which each of them first stands."""
    units: tuple[int, ...]
    """How many units stand in the first p passages, for p = 0, 1, ... up to all."""


def judge(gold: Gold, ranking: Sequence[Document], unit: Unit | None = None) -> Judged:
    """Judge a ranking, best first.

    A span is found when the union of the retrieved text covers at least half of it; a single chunk is relevant to it
    when they share at least half of the shorter of the two. A literal id is found when it names a passage or its
    document. With unit None, what ranks are is decided from this question's gold and passages.
    """
    places = [place_of(passage) for passage in ranking]
    chosen = unit or unit_of_question(gold, places)
    groups = [_Group.of(group, chosen) for group in gold.groups]
    table = _lookup(groups)
    ranks = _ranks(places, chosen)
    relevant: dict[object, tuple[int, int]] = {}
    chars = 0
    for position, (passage, place, rank) in enumerate(zip(ranking, places, ranks, strict=True), 1):
        length = len(passage.text)
        touched = {id(group): group for name in place.names for group in table.get(name, ())}
        if touched:
            matched = [group.see(place, length, rank, position, chars) for group in touched.values()]
            if any(matched):
                relevant.setdefault(_unit_key(place, position, chosen), (rank, position))
        chars += length
    return Judged(
        gains=gold.gains,
        credit_rank=tuple(group.credit[0] for group in groups),
        credit_position=tuple(group.credit[1] for group in groups),
        found_rank=tuple(group.found[0] for group in groups),
        found_position=tuple(group.found[1] for group in groups),
        found_chars=tuple(group.found[2] for group in groups),
        relevant_rank=tuple(rank for rank, _ in relevant.values()),
        relevant_position=tuple(position for _, position in relevant.values()),
        units=(0, *_running_maximum(ranks)),
    )


@dataclass(slots=True)
class _Group:
    literals: frozenset[str]
    spans: tuple[Span, ...]
    covered: list[list[tuple[int, int]]] = field(default_factory=list)
    credit: tuple[int, int] = (0, 0)
    found: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def of(cls, names: Sequence[str], unit: Unit) -> _Group:
        spans = [span for name in names if (span := parse_span(name)) is not None]
        literals = frozenset(names)
        if unit == "document":
            return cls(literals | {span.document for span in spans}, ())
        return cls(literals, tuple(spans), [[] for _ in spans])

    def see(self, place: Place, length: int, rank: int, position: int, chars: int) -> bool:
        """Take in the next passage; whether it is relevant to this group on its own."""
        if any(name in self.literals for name in place.names):
            self._credit(rank, position)
            self._find(rank, position, chars + max(1, math.ceil(THRESHOLD * length)))
            return True
        relevant = False
        for number, span in enumerate(self.spans):
            start, end = max(span.start, place.start), min(span.end, place.end)
            if place.start < 0 or start >= end or span.document not in place.documents:
                continue
            if end - start >= max(1, math.ceil(THRESHOLD * min(len(span), place.end - place.start))):
                relevant = True
                self._credit(rank, position)
            self._cover(number, span, place.start, (start, end), rank, position, chars)
        return relevant

    def _credit(self, rank: int, position: int) -> None:
        if not self.credit[1]:
            self.credit = (rank, position)

    def _find(self, rank: int, position: int, chars: int) -> None:
        if not self.found[1]:
            self.found = (rank, position, chars)

    def _cover(
        self, number: int, span: Span, chunk_start: int, part: tuple[int, int], rank: int, position: int, chars: int
    ) -> None:
        """Add a part of a span; the group is found at the character where the union reaches the threshold."""
        missing = max(1, math.ceil(THRESHOLD * len(span))) - sum(end - start for start, end in self.covered[number])
        for start, end in _uncovered(part, self.covered[number]):
            if 0 < missing <= end - start:
                self._find(rank, position, chars + start + missing - chunk_start)
            missing -= end - start
        self.covered[number] = _merged([*self.covered[number], part])


def _uncovered(part: tuple[int, int], covered: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    start, end = part
    inside = [(max(start, low), min(end, high)) for low, high in covered if low < end and high > start]
    edges = [(start, start), *inside, (end, end)]
    return [(left[1], right[0]) for left, right in pairwise(edges) if left[1] < right[0]]


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _lookup(groups: Sequence[_Group]) -> dict[str, list[_Group]]:
    table: dict[str, list[_Group]] = {}
    for group in groups:
        for name in {*group.literals, *(span.document for span in group.spans)}:
            table.setdefault(name, []).append(group)
    return table


def _ranks(places: Sequence[Place], unit: Unit) -> list[int]:
    """The rank of each passage: its position, or that of its document among the documents."""
    if unit == "chunk":
        return list(range(1, len(places) + 1))
    seen: dict[object, int] = {}
    return [
        seen.setdefault(_unit_key(place, position, unit), len(seen) + 1) for position, place in enumerate(places, 1)
    ]


def _unit_key(place: Place, position: int, unit: Unit) -> object:
    """Equal for passages that are one unit; a passage without any id is a unit of its own."""
    name = place.document if unit == "document" else place.own
    return position if name is None else name


def _running_maximum(ranks: Sequence[int]) -> list[int]:
    highest = 0
    found = []
    for rank in ranks:
        highest = max(highest, rank)
        found.append(highest)
    return found
