"""From pieces to windows, and from spans to chunks: what every chunker ends with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fastrag_bench.types import Chunk, Document

Span = tuple[int, int]
"""Start and end (exclusive) in code points."""


def pack(lengths: Sequence[int], size: int, overlap: int) -> list[Span]:
    """Group consecutive pieces into windows [first, last) whose lengths add up to at most `size`.

    A window takes as many pieces as fit; the next one repeats as many of its last pieces as have `overlap` together
    and leave room for the piece that did not fit. A piece longer than `size` is a window alone. Each window ends behind
    the one before it, so none is part of another's. Linear in the number of pieces.
    """
    windows: list[Span] = []
    first = total = 0
    for index, length in enumerate(lengths):
        if total + length > size and index > first:
            windows.append((first, index))
            while total > overlap or (total + length > size and total > 0):
                total -= lengths[first]
                first += 1
        total += length
    if first < len(lengths):
        windows.append((first, len(lengths)))
    return windows


def chunks_at(document: Document, spans: Iterable[Span], *, context: str = "") -> list[Chunk]:
    """The chunks at these spans (ordered by start), without the blank space around them.

    Left out is what holds nothing new: a blank span, and one that lies within a chunk before it.
    """
    text = document.text
    chunks: list[Chunk] = []
    reached = -1
    for first, last in spans:
        body = text[first:last].lstrip()
        start = last - len(body)
        end = start + len(body.rstrip())
        if end > reached and body:
            chunks.append(Chunk(document, start, end, context))
            reached = end
    return chunks
