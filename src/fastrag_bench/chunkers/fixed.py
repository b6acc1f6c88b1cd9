"""Windows of a fixed size, wherever that cuts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fastrag_bench.chunkers.packing import Span, chunks_at, pack
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.tokenizers.lengths import Length, word_ends
from fastrag_bench.types import Chunk, Document


class FixedChunker(SizedChunker):
    """Windows of `size`, each beginning `size - overlap` after the one before; no regard for the text.

    In characters a window may cut a word. In words and tokens it holds whole words, so it may have a little less than
    `size` tokens; a word of more than `size` tokens is cut into about equal parts. No chunk has more than `size`, save
    a single character of more tokens. Blank space around a window is left out.
    """

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        length, limit = self.length, self.limit
        if length is len:
            return chunks_at(document, _windows(len(document.text), limit, self.overlap))
        cuts, lengths = self._words(document.text, limit, length)
        packed = pack(lengths, limit, self.overlap)
        return chunks_at(document, ((cuts[first], cuts[last]) for first, last in packed))

    def _words(self, text: str, limit: int, length: Length) -> tuple[list[int], list[int]]:
        """Where to cut (n + 1), and the lengths between (n); each piece is a word with the blanks before it, or a part.

        A part counts as `limit`, so that it stays alone: the tokens of two parts do not add up to those of both.
        """
        cuts = [0, *word_ends(text, self.unit)]
        lengths = [length(text[start:end]) for start, end in pairwise(cuts)]
        if not lengths or max(lengths) <= limit:
            return cuts, lengths
        ends: list[int] = []
        fitting: list[int] = []
        for (start, end), tokens in zip(pairwise(cuts), lengths, strict=True):
            parts = [stop for _, stop in _parts(text, start, end, limit, length)]
            ends.extend(parts)
            fitting.extend([tokens] if len(parts) == 1 else [limit] * len(parts))
        return [0, *ends], fitting


def _windows(end: int, size: int, overlap: int) -> Iterator[Span]:
    for start in range(0, max(end - overlap, 1), size - overlap):
        yield start, min(start + size, end)


def _parts(text: str, start: int, end: int, limit: int, length: Length) -> Iterator[Span]:
    total = length(text[start:end])
    if total <= limit or end - start == 1:
        yield start, end
        return
    count = max(2, -(-total * 5 // (limit * 4)))  # a fifth more than needed: the parts never come out quite equal
    step = -(-(end - start) // count)
    for first in range(start, end, step):
        yield from _parts(text, first, min(first + step, end), limit, length)
