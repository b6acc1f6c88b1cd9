"""One piece of evidence on its way down a ranking: which passage is relevant to it, and when it is found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fastrag_bench.relevance.gold import Gold, Span, parse_span
from fastrag_bench.relevance.intervals import Interval, merged, total, uncovered
from fastrag_bench.relevance.place import Names, span_of
from fastrag_bench.relevance.unit import Unit
from fastrag_bench.types import Document

THRESHOLD = 0.5
"""The share of a span that has to be covered: less is a crumb, more would ask for luck with the cuts."""


class Standing(NamedTuple):
    """Where a passage stands: its unit's rank, its own position (both 1-based), and the characters before it."""

    rank: int
    position: int
    chars: int


NOWHERE = Standing(0, 0, 0)


@dataclass(slots=True)
class Evidence:
    """A group of alternatives, each a literal id or a span; one of them is enough.

    `credit` is where the first passage stands that is relevant on its own; `found` is where the passages together
    have covered enough, with `chars` as the characters of text read by then.
    """

    literals: frozenset[str]
    spans: tuple[Span, ...]
    gain: float
    covered: dict[int, list[Interval]] = field(default_factory=dict)
    credit: Standing = NOWHERE
    found: Standing = NOWHERE

    @property
    def names(self) -> set[str]:
        """Every id under which a passage may touch this."""
        return {*self.literals, *(span.document for span in self.spans)}

    def see(self, passage: Document, names: Names, standing: Standing) -> bool:
        """Take in the next passage; whether it is relevant to this evidence on its own."""
        if any(name in self.literals for name in names):
            self._credit(standing)
            self._find(standing, enough(len(passage.text)))
            return True
        start, end = span_of(passage)
        touched = [
            (number, span)
            for number, span in enumerate(self.spans)
            if start < span.end and end > span.start and span.document in names
        ]
        relevant = [self._cover(number, span, (start, end), standing) for number, span in touched]
        if any(relevant):
            self._credit(standing)
        return any(relevant)

    def _credit(self, standing: Standing) -> None:
        if self.credit is NOWHERE:
            self.credit = standing

    def _find(self, standing: Standing, read: int) -> None:
        if self.found is NOWHERE:
            self.found = standing._replace(chars=standing.chars + read)

    def _cover(self, number: int, span: Span, passage: Interval, standing: Standing) -> bool:
        """Add the shared part; the span is found at the very character at which the union is enough."""
        part = max(span.start, passage[0]), min(span.end, passage[1])
        covered = self.covered.get(number, [])
        missing = enough(len(span)) - total(covered)
        for start, end in uncovered(part, covered):
            if 0 < missing <= end - start:
                self._find(standing, start + missing - passage[0])
            missing -= end - start
        self.covered[number] = merged([*covered, part])
        return part[1] - part[0] >= enough(min(len(span), passage[1] - passage[0]))


def enough(length: int) -> int:
    """So many of `length` characters count as all of them."""
    return max(1, math.ceil(THRESHOLD * length))


def evidence_of(gold: Gold, unit: Unit) -> list[Evidence]:
    """The evidence of a question, nothing of it seen yet.

    Where ranks are documents a span stands for its document, and evidence that comes down to the same documents is one.
    """
    if unit == "chunk":
        return [
            Evidence(frozenset(names), _spans(names), gain) for names, gain in zip(gold.groups, gold.gains, strict=True)
        ]
    found: dict[frozenset[str], Evidence] = {}
    for names, gain in zip(gold.groups, gold.gains, strict=True):
        spans = {name: parse_span(name) for name in names}
        documents = frozenset(name if span is None else span.document for name, span in spans.items())
        known = found.setdefault(documents, Evidence(documents.union(names), (), gain))
        known.literals |= frozenset(names)
        known.gain = max(known.gain, gain)
    return list(found.values())


def _spans(names: Sequence[str]) -> tuple[Span, ...]:
    return tuple(span for name in names if (span := parse_span(name)) is not None)
