"""Overlap of retrieved text with gold spans, in characters, as in Chroma's chunking study (Smith and Troynikov 2024).

Text of another document, or of an unknown place, counts in the denominators only. Gold that overlaps itself counts
once. Of a group of alternatives the one counts that is covered best. A question whose gold has no span scores None.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from fastrag_bench.contracts import Metric
from fastrag_bench.metrics.budget import chars_within
from fastrag_bench.metrics.cutoff import checked_cutoff, name_with_cutoff
from fastrag_bench.relevance import Place, Span, gold_of, parse_span, place_of
from fastrag_bench.relevance.intervals import Interval, merged, total
from fastrag_bench.types import Document, EvalSample, QueryOutcome

Alternatives = Sequence[Span]
Places = dict[str, list[Interval]]
"""Intervals by document."""


class Overlap(NamedTuple):
    """Characters: of the gold, of the gold that was retrieved, of all that was retrieved (overlap twice, and once).

    `shared` can be more than `retrieved` where gold names one document in two ways, by its id and by its URI.
    """

    gold: int
    shared: int
    retrieved: int
    distinct: int


class SpanMetric(Metric):
    """A ratio of characters, from 0 to 1."""

    needs_relevant_ids: ClassVar[bool] = True
    stem: ClassVar[str]

    @property
    def name(self) -> str:
        """The column."""
        return self.stem

    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """The ratio for one question."""
        return self.score_all([sample], [outcome])[0]

    def score_all(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]) -> list[float | None]:
        """The ratios of many questions; none depends on the others."""
        golds = map(gold_spans, samples)
        return [self._judge(gold, outcome) if gold else None for gold, outcome in zip(golds, outcomes, strict=True)]

    @abstractmethod
    def _judge(self, gold: Sequence[Alternatives], outcome: QueryOutcome) -> float: ...

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return self.name


class OverlapMetric(SpanMetric):
    """A ratio of the overlap of gold and retrieved text.

    Args:
        k: judge the first k passages of the ranking; None: what was handed on.
        chars: judge the first so many characters of the ranking instead, the last passage cut at the budget.
        tokens: the same with a budget in tokens (word pieces), the last passage cut behind a word.

    Raises:
        ConfigurationError: a cutoff that is no whole number of at least 1, or both.
    """

    def __init__(self, k: int | None = None, *, chars: int | None = None, tokens: int | None = None) -> None:
        self.k, self.chars, self.tokens = checked_cutoff(self.stem, k, chars, tokens)

    @property
    def name(self) -> str:
        """As `span_iou`, `span_iou@5`, `span_iou@2000chars` or `span_iou@500tokens`."""
        return name_with_cutoff(self.stem, self.k, self.chars, self.tokens)

    def _judge(self, gold: Sequence[Alternatives], outcome: QueryOutcome) -> float:
        whole = self.k is None and self.chars is None and self.tokens is None
        passages = outcome.sources if whole else outcome.ranked[: self.k]
        chars = self.chars if self.tokens is None else chars_within(passages, self.tokens)
        return self._ratio(overlap_of(gold, passages, chars))

    @abstractmethod
    def _ratio(self, overlap: Overlap) -> float: ...


class SpanRecall(OverlapMetric):
    """Retrieved characters of the gold / characters of the gold."""

    stem: ClassVar[str] = "span_recall"

    def _ratio(self, overlap: Overlap) -> float:
        return overlap.shared / overlap.gold


class SpanPrecision(OverlapMetric):
    """Retrieved characters of the gold / retrieved characters."""

    stem: ClassVar[str] = "span_precision"

    def _ratio(self, overlap: Overlap) -> float:
        return min(1.0, overlap.shared / overlap.retrieved) if overlap.retrieved else 0.0


class SpanIoU(OverlapMetric):
    """Retrieved characters of the gold / (retrieved characters + characters of the gold that were missed).

    As the study's program computes it and its tables have it: text that is retrieved twice counts twice.
    """

    stem: ClassVar[str] = "span_iou"

    def _ratio(self, overlap: Overlap) -> float:
        return min(1.0, overlap.shared / (overlap.retrieved + overlap.gold - overlap.shared))


class SpanIoUSet(OverlapMetric):
    """Retrieved characters of the gold / characters that are retrieved or gold, each once.

    As the study's text defines it, over sets: Jaccard's index. At least as high as `span_iou`, and equal to it where
    nothing is retrieved twice.
    """

    stem: ClassVar[str] = "span_iou_set"

    def _ratio(self, overlap: Overlap) -> float:
        return min(1.0, overlap.shared / (overlap.distinct + overlap.gold - overlap.shared))


class PrecisionOmega(SpanMetric):
    """The precision of a chunker alone, if retrieval were perfect: over all chunks that touch the gold.

    As in the study, a chunk that only borders on the gold touches it.
    Characters of the gold inside of chunks / (characters of those chunks, counted once, + gold outside of any chunk).

    Args:
        chunks: (start, end) of every chunk by document id. None takes the passages of the whole ranking for all there
            are, which is right as far as the ranking reaches every chunk that touches the gold.
    """

    stem: ClassVar[str] = "precision_omega"

    def __init__(self, chunks: Mapping[str, Sequence[Interval]] | None = None) -> None:
        self.chunks = chunks

    def _judge(self, gold: Sequence[Alternatives], outcome: QueryOutcome) -> float:
        chunks = _by_document(map(place_of, outcome.ranked)) if self.chunks is None else self.chunks
        wanted = _union(_best(gold, chunks))
        touching = {document: merged(_touching(parts, chunks.get(document, ()))) for document, parts in wanted.items()}
        shared = _shared(wanted, touching)
        return shared / (_total(touching) + _total(wanted) - shared)


def gold_spans(sample: EvalSample) -> list[Alternatives]:
    """The spans of each group of a question's gold ids; groups without a span are left out."""
    groups = ([span for name in group if (span := parse_span(name)) is not None] for group in gold_of(sample).groups)
    return [group for group in groups if group]


def overlap_of(gold: Sequence[Alternatives], passages: Sequence[Document], chars: int | None = None) -> Overlap:
    """Compare gold with retrieved passages, or with their first `chars` characters."""
    places, retrieved = [], 0
    for passage in passages:
        place = place_of(passage)
        length = max(len(passage.text), place.end - place.start)
        if chars is not None and retrieved + length >= chars:
            places.append(_cut(place, chars - retrieved))
            retrieved = chars
            break
        places.append(place)
        retrieved += length
    found = _by_document(places)
    wanted = _union(_best(gold, found))
    return Overlap(_total(wanted), _shared(wanted, found), retrieved, _distinct(places, retrieved))


def _distinct(places: Sequence[Place], retrieved: int) -> int:
    """Retrieved characters without those that an earlier passage had; text of an unknown place is always new."""
    held: Places = {}
    for place in places:
        if place.start >= 0 and (name := place.document or place.uri) is not None:
            held.setdefault(name, []).append((place.start, place.end))
    return retrieved - sum(total(parts) - total(merged(parts)) for parts in held.values())


def _cut(place: Place, length: int) -> Place:
    end = min(place.end, place.start + length)
    return Place(place.own, place.document, place.uri, place.start, end)


def _by_document(places: Iterable[Place]) -> Places:
    """The known intervals under each name of their document."""
    found: Places = {}
    for place in places:
        for name in {place.document, place.uri} - {None} if place.start >= 0 else ():
            found.setdefault(str(name), []).append((place.start, place.end))
    return found


def _best(gold: Sequence[Alternatives], found: Mapping[str, Sequence[Interval]]) -> list[Span]:
    """Of each group the alternative of which the largest share is found, the first of equals."""
    return [
        group[0] if len(group) == 1 else max(group, key=lambda span: _shared(_union([span]), found) / len(span))
        for group in gold
    ]


def _union(spans: Iterable[Span]) -> Places:
    places: Places = {}
    for span in spans:
        places.setdefault(span.document, []).append((span.start, span.end))
    return {document: merged(parts) for document, parts in places.items()}


def _touching(parts: Sequence[Interval], chunks: Sequence[Interval]) -> list[Interval]:
    return [chunk for chunk in chunks if any(chunk[0] <= end and chunk[1] >= start for start, end in parts)]


def _shared(wanted: Places, found: Mapping[str, Sequence[Interval]]) -> int:
    """The characters of the gold that lie in what was found, each once."""
    return sum(
        total(
            merged(
                (max(start, low), min(end, high))
                for start, end in parts
                for low, high in found.get(document, ())
                if start < high and end > low
            )
        )
        for document, parts in wanted.items()
    )


def _total(places: Places) -> int:
    return sum(map(total, places.values()))
