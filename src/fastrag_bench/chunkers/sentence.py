"""Whole sentences, as many as fit."""

from __future__ import annotations

import sys

from fastrag_bench.chunkers.packing import Span, chunks_at, pack
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.chunkers.splitting import Rule, recursive_spans
from fastrag_bench.sentences import sentence_spans
from fastrag_bench.tokenizers.lengths import Length, count_words
from fastrag_bench.types import Chunk, Document

ALONE = sys.maxsize

ADDITIVE: tuple[Length, ...] = (len, count_words)
"""Lengths that joining two parts never makes more than their sum."""


class SentenceChunker(SizedChunker):
    """Packs consecutive sentences up to `size`; repeats whole sentences up to `overlap`.

    A sentence of more than `size` is cut at line breaks, else at blanks, else anywhere. No chunk has more than `size`,
    save a single character of more tokens. See `sentences` for what a sentence is.
    """

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        length, limit = self.length, self.limit
        pieces, lengths = sentence_pieces(document.text, limit, length)
        packed = pack([min(one, limit) for one in lengths], limit, self.overlap)
        return chunks_at(document, ((pieces[first][0], pieces[last - 1][1]) for first, last in packed))


def sentence_pieces(text: str, limit: int, length: Length) -> tuple[list[Span], list[int]]:
    """Spans that partition the text up to its last sentence, and their lengths.

    Each is a sentence with the blanks before it, or a part of a long one. None has more than `limit` once stripped,
    save a single character of more tokens. `ALONE` is the length of a part that must not be joined with others: of a
    word that was cut, as the tokens of its parts do not add up to those of the word.
    """
    rule = Rule(("\n", " ", ""), limit, 0, length)
    pieces: list[Span] = []
    lengths: list[int] = []
    reached = 0
    for start, end in sentence_spans(text):
        if length(text[start:end]) <= limit:
            pieces.append((reached, end))
            lengths.append(length(text[reached:end]))
        else:
            for first, last in recursive_spans(text, start, end, rule):
                whole = length in ADDITIVE or _at_blanks(text, first, last)
                pieces.append((min(first, reached), last))
                lengths.append(length(text[pieces[-1][0] : last]) if whole else ALONE)
                reached = last
        reached = end
    return pieces, lengths


def _at_blanks(text: str, first: int, last: int) -> bool:
    """Whether there is a blank, or nothing, on one side of either cut."""
    starts = first == 0 or text[first - 1].isspace() or text[first].isspace()
    return starts and (last == len(text) or text[last - 1].isspace() or text[last].isspace())
