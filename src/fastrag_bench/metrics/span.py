"""Overlap of retrieved text with gold spans, in characters, as in Chroma's chunking study (Smith and Troynikov 2024).

A retrieved passage of another document counts in the denominators only. A question whose gold has no span scores None.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance import Span, gold_of, parse_span, place_of
from fastrag_bench.types import Document, EvalSample, QueryOutcome

Part = tuple[str, int, int]


@dataclass(frozen=True)
class Overlap:
    """Characters: of the gold, of the gold that was retrieved, and of all that was retrieved (overlap twice)."""

    gold: int
    shared: int
    retrieved: int


class SpanMetric(Metric):
    """A ratio of characters.

    Args:
        k: judge the first k passages of the ranking; None: what was handed on.
    """

    needs_relevant_ids: ClassVar[bool] = True
    stem: ClassVar[str]

    def __init__(self, k: int | None = None) -> None:
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
            raise ConfigurationError(f"{self.stem}: k is a whole number of at least 1 or None, not {k!r}")
        self.k = k

    @property
    def name(self) -> str:
        """As `span_iou`, or `span_iou@5`."""
        return self.stem if self.k is None else f"{self.stem}@{self.k}"

    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """The ratio for one question."""
        spans = gold_spans(sample)
        if not spans:
            return None
        return self.judge(spans, outcome.sources if self.k is None else outcome.ranked[: self.k])

    @abstractmethod
    def judge(self, spans: Sequence[Span], passages: Sequence[Document]) -> float | None:
        """The ratio."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return self.name


class SpanRecall(SpanMetric):
    """Retrieved characters of the gold / characters of the gold."""

    stem: ClassVar[str] = "span_recall"

    def judge(self, spans: Sequence[Span], passages: Sequence[Document]) -> float:
        """From 0 to 1."""
        overlap = overlap_of(spans, passages)
        return overlap.shared / overlap.gold


class SpanPrecision(SpanMetric):
    """Retrieved characters of the gold / retrieved characters."""

    stem: ClassVar[str] = "span_precision"

    def judge(self, spans: Sequence[Span], passages: Sequence[Document]) -> float:
        """From 0 to 1."""
        overlap = overlap_of(spans, passages)
        return overlap.shared / overlap.retrieved if overlap.retrieved else 0.0


class SpanIoU(SpanMetric):
    """Retrieved characters of the gold / (retrieved characters + characters of the gold that were missed)."""

    stem: ClassVar[str] = "span_iou"

    def judge(self, spans: Sequence[Span], passages: Sequence[Document]) -> float:
        """From 0 to 1."""
        overlap = overlap_of(spans, passages)
        return overlap.shared / (overlap.retrieved + overlap.gold - overlap.shared)


class PrecisionOmega(SpanMetric):
    """The precision of a chunker alone, if retrieval were perfect: over all chunks that touch the gold.

    Characters of the gold inside of chunks / (characters of those chunks, counted once, + gold outside of any chunk).

    Args:
        chunks: (start, end) of every chunk by document id; None scores None.
    """

    stem: ClassVar[str] = "precision_omega"

    def __init__(self, chunks: Mapping[str, Sequence[tuple[int, int]]] | None = None) -> None:
        super().__init__()
        self.chunks = chunks

    def judge(self, spans: Sequence[Span], passages: Sequence[Document]) -> float | None:
        """From 0 to 1."""
        if self.chunks is None:
            return None
        gold = [(span.document, span.start, span.end) for span in spans]
        touching = {
            (document, start, end)
            for document, low, high in gold
            for start, end in self.chunks.get(document, ())
            if start < high and end > low
        }
        shared = _length(_intersections(touching, gold))
        return shared / (_length(touching) + _length(gold) - shared)


def gold_spans(sample: EvalSample) -> list[Span]:
    """The spans among a question's gold ids."""
    return [span for name in gold_of(sample).ids if (span := parse_span(name)) is not None]


def overlap_of(spans: Sequence[Span], passages: Sequence[Document]) -> Overlap:
    """Compare gold spans with retrieved passages."""
    gold = [(span.document, span.start, span.end) for span in spans]
    places = [place_of(passage) for passage in passages]
    parts = [(name, place.start, place.end) for place in places if place.start >= 0 for name in place.documents]
    shared = _length(_intersections(parts, gold))
    return Overlap(_length(gold), shared, sum(len(passage.text) for passage in passages))


def _intersections(parts: Iterable[Part], gold: Sequence[Part]) -> list[Part]:
    return [
        (document, max(start, low), min(end, high))
        for document, start, end in parts
        for name, low, high in gold
        if name == document and start < high and end > low
    ]


def _length(parts: Iterable[Part]) -> int:
    """The characters that the parts cover together."""
    total, current, reach = 0, "", 0
    for document, start, end in sorted(parts):
        if document != current:
            current, reach = document, 0
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total
