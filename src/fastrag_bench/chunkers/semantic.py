"""Sentences, cut where the meaning turns: where neighbouring sentence groups are farthest apart as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, NonNegativeInt, model_validator

from fastrag_bench.chunkers.packing import Span, chunks_at
from fastrag_bench.chunkers.sentence import sentence_pieces
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.component import part
from fastrag_bench.contracts import Embedder
from fastrag_bench.types import Chunk, Document


class SemanticChunker(SizedChunker):
    """Cuts between sentences whose distance is above a percentile of all distances in the document.

    1. Each sentence is embedded together with `buffer` neighbours on each side.
    2. Distance = 1 - cosine of consecutive groups; 0 where either has no vector, which is no evidence for a cut.
    3. Walk through the sentences: cut at a distance above the percentile, unless the part is still below `min_size`;
       where the part would pass `size - overlap`, cut at the largest distance in its second half.
    4. Put up to `overlap` of whole sentences before each chunk.

    The method is Kamradt's (2023, "5 levels of text splitting"), with bounded sizes. No chunk has more than `size`,
    save a single character of more tokens.
    """

    overlap: NonNegativeInt = 0
    """The most that a chunk repeats of the one before it, in `unit`s; it undoes some of the cut."""

    embedder: Annotated[Any, part(Embedder)]
    """What makes the vectors; any embedder."""

    percentile: Annotated[float, Field(ge=0, le=100)] = 90.0
    """Distances above this percentile are cuts; 100 cuts for size only."""

    buffer: NonNegativeInt = 1
    """Neighbouring sentences on each side that are embedded with a sentence."""

    min_size: NonNegativeInt = 200
    """A chunk shorter than this, in `unit`s, is not ended by a change of meaning."""

    @model_validator(mode="after")
    def _smallest_below_largest(self) -> SemanticChunker:
        if self.min_size > self.size - self.overlap:
            raise ValueError(
                f"min_size={self.min_size} has to be at most size - overlap = {self.size} - {self.overlap} = "
                f"{self.size - self.overlap}"
            )
        return self

    def inspect_settings(self) -> None:
        """As every sized chunker, and what the embedder has to say."""
        super().inspect_settings()
        self.embedder.inspect_settings()

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        text, length, room = document.text, self.length, self.limit - self.overlap
        pieces, lengths = sentence_pieces(text, room, length)
        distances = self._distances(text, pieces)
        threshold = float(np.percentile(distances, self.percentile)) if len(distances) else 0.0
        spans: list[Span] = []
        for first, last in _cut([min(n, room) for n in lengths], distances, threshold, room, self.min_size):
            spare = min(self.overlap, self.limit - sum(lengths[first:last]))
            spans.append((pieces[_repeat(lengths, first, spare)][0], pieces[last - 1][1]))
        return chunks_at(document, spans)

    def _distances(self, text: str, pieces: Sequence[Span]) -> NDArray[np.float64]:
        """[n - 1], between each piece and the next."""
        if len(pieces) < 2:
            return np.empty(0)
        last = len(pieces) - 1
        groups = [
            text[pieces[max(i - self.buffer, 0)][0] : pieces[min(i + self.buffer, last)][1]].strip()
            for i in range(len(pieces))
        ]
        vectors = np.asarray(self.embedder.embed_documents(groups), dtype=np.float64)
        known: NDArray[np.bool_] = np.any(vectors != 0, axis=1)
        cosines = np.einsum("nd,nd->n", vectors[:-1], vectors[1:])
        return np.where(known[:-1] & known[1:], 1.0 - cosines, 0.0)


def _cut(
    lengths: Sequence[int], distances: NDArray[np.float64], threshold: float, room: int, smallest: int
) -> list[Span]:
    """Parts [first, last) of consecutive pieces; each has at most `room`, as no piece has more."""
    parts: list[Span] = []
    first = total = index = 0
    while index < len(lengths):
        cut = first
        if index > first and total + lengths[index] > room:
            cut = _widest(lengths, distances, first, index, total)
        elif index > first and total >= smallest and distances[index - 1] > threshold:
            cut = index
        if cut > first:
            parts.append((first, cut))
            total -= sum(lengths[first:cut])
            first = cut
            continue
        total += lengths[index]
        index += 1
    if first < len(lengths):
        parts.append((first, len(lengths)))
    return parts


def _widest(lengths: Sequence[int], distances: NDArray[np.float64], first: int, last: int, total: int) -> int:
    """Where in (first, last] the distance is largest; the second half only, so that chunks do not become tiny."""
    best, behind = last, 0
    for place in range(last, first, -1):
        if distances[place - 1] > distances[best - 1]:
            best = place
        behind += lengths[place - 1]
        if behind * 2 > total:
            break
    return best


def _repeat(lengths: Sequence[int], first: int, spare: int) -> int:
    """The first piece of those before `first` that have at most `spare` together."""
    while first > 0 and 0 < lengths[first - 1] <= spare:
        spare -= lengths[first - 1]
        first -= 1
    return first
