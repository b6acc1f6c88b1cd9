"""The nouns every layer speaks: documents, chunks, a corpus, a question, an outcome and a summary of scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

PERCENTILES = (5, 25, 50, 75, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its metadata: a document of a corpus, or a passage that a pipeline returned.

    Metrics read `score` and `rank` (1-based) from the metadata of a returned passage, and where it lies in its source
    from `doc_id`, `start` and `end` (code points, end exclusive).
    """

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """`document.text[start:end]`; an optional `context` text is indexed with it but lies outside its offsets."""

    document: Document
    start: int
    end: int
    context: str = ""

    @property
    def text(self) -> str:
        """The exact slice of the document."""
        return self.document.text[self.start : self.end]

    @property
    def id(self) -> str:
        """`doc#char=start,end`, the plain-text fragment syntax of RFC 5147."""
        return f"{self.document.id}#char={self.start},{self.end}"


class Corpus(Sequence[Document]):
    """The documents of a dataset, sorted by id, ids unique and never empty.

    The order is part of the promise: a chunk's position in the corpus is (document id, offset), so equal scores can be
    ordered by position, and the order of files never changes a result.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = sorted(documents, key=lambda document: document.id or "")
        self.positions = {document.id or "": index for index, document in enumerate(self._documents)}
        if "" in self.positions or len(self.positions) != len(self._documents):
            raise ValueError("a corpus needs documents with unique, non-empty ids")

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, index: Any) -> Any:
        return self._documents[index]

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents)

    def get(self, document_id: str) -> Document | None:
        """The document of this id, or None."""
        position = self.positions.get(document_id)
        return None if position is None else self._documents[position]


@dataclass
class EvalSample:
    """One question of a dataset, with the answers that count as right and the ids of the evidence."""

    question: str
    expected_answers: list[str] = field(default_factory=list)
    relevant_ids: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class QueryOutcome:
    """What a pipeline returned for one question.

    `sources` are the passages handed on to the answer; `ranking`, where a pipeline can tell, is the whole ranking they
    were cut from, which is what metrics with a cutoff judge. Tokens and dollars are None when they are not
    known, never zero. `citations` are the ids of the passages that the answer cites; None where it was not asked to.
    """

    answer: str
    sources: list[Document]
    latency_ms: float
    input_tokens: int | None = None
    output_tokens: int | None = None
    ranking: list[Document] | None = None
    context_tokens: int | None = None
    cost_usd: float | None = None
    citations: list[str] | None = None

    @property
    def ranked(self) -> list[Document]:
        """The whole ranking, or `sources` where that is all there is."""
        return self.sources if self.ranking is None else self.ranking


@dataclass(frozen=True)
class DistributionSummary:
    """A list of scores as one row of figures; `missing` counts the None among them. `std` is the population's."""

    count: int
    missing: int
    mean: float
    median: float
    std: float
    min: float
    max: float
    percentiles: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Iterable[float | None]) -> DistributionSummary:
        """Summarise the scores that are finite numbers; never raises, an empty list gives count 0 and zeros."""
        every = list(scores)
        values = sorted(float(score) for score in every if score is not None and math.isfinite(score))
        missing = len(every) - len(values)
        if not values:
            return cls(0, missing, 0.0, 0.0, 0.0, 0.0, 0.0)
        mean = min(max(math.fsum(value / len(values) for value in values), values[0]), values[-1])
        return cls(
            count=len(values),
            missing=missing,
            mean=mean,
            median=_percentile(values, 50),
            std=_deviation(values, mean),
            min=values[0],
            max=values[-1],
            percentiles={f"p{percent}": _percentile(values, percent) for percent in PERCENTILES},
        )


def _deviation(values: Sequence[float], mean: float) -> float:
    """The population's standard deviation; scaled, so that large values do not overflow."""
    largest = max(values[-1] - mean, mean - values[0])
    if largest == 0 or math.isinf(largest):
        return 0.0 if largest == 0 else largest
    return largest * math.sqrt(math.fsum(((value - mean) / largest) ** 2 for value in values) / len(values))


def _percentile(values: Sequence[float], percent: float) -> float:
    """Linear interpolation between order statistics (Hyndman and Fan's type 7, numpy's default) of sorted values."""
    place = (len(values) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    fraction = place - low
    step = (values[high] - values[low]) * fraction
    return values[low] + step if fraction < 0.5 else values[high] - (values[high] - values[low]) * (1 - fraction)
