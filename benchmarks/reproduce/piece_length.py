"""The recursive splitter with special tokens counted in every piece, as Chroma's MiniLM table has it."""

from __future__ import annotations

from fastrag_bench.chunkers.packing import chunks_at
from fastrag_bench.chunkers.recursive import RecursiveChunker
from fastrag_bench.chunkers.splitting import Rule, recursive_spans
from fastrag_bench.tokenizers.lengths import token_counter
from fastrag_bench.types import Chunk, Document


class PieceLengthChunker(RecursiveChunker):
    """LangChain's splitter given a length that puts special tokens around whatever it measures.

    The splitter adds up the lengths of the pieces it merges and of the (empty) separators between them, and each of
    these lengths includes the special tokens. So n pieces of t tokens together measure t + s n + s (n - 1), where s is
    2 for BERT, and chunks of many short pieces hold far fewer tokens than their size says. Here every piece measures
    2 s more than its tokens, and size and overlap are raised by s.
    """

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        counter = token_counter(self.tokenizer)
        special = counter.special
        rule = Rule(
            self.separators,
            self.size + special,
            self.overlap + special if self.overlap else 0,
            lambda text: counter.count(text) + 2 * special,
        )
        return chunks_at(document, recursive_spans(document.text, 0, len(document.text), rule))
