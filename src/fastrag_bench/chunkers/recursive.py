"""Paragraphs, else lines, else words: the recursive character splitter."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fastrag_bench.chunkers.packing import chunks_at
from fastrag_bench.chunkers.sizing import SizedChunker
from fastrag_bench.chunkers.splitting import Rule, recursive_spans
from fastrag_bench.types import Chunk, Document

SEPARATORS = ("\n\n", "\n", " ", "")


class RecursiveChunker(SizedChunker):
    """The chunks of LangChain's RecursiveCharacterTextSplitter, with their offsets and in linear time.

    Its defaults `keep_separator` and `strip_whitespace` are meant, and `length` as its length function. Two things
    differ: chunks without anything new (blank, or part of the chunk before) are left out, and blank space is stripped
    from every chunk. No chunk has more than `size` as long as `separators` ends with `""` (and, for tokens, the others
    do not cut words); one character of more tokens than that stays whole.
    """

    separators: Annotated[tuple[str, ...], Field(min_length=1)] = SEPARATORS
    """From coarse to fine, plain text; a part that is still too long is split by the next one. `""` cuts anywhere."""

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start."""
        rule = Rule(self.separators, self.limit, self.overlap, self.length)
        return chunks_at(document, recursive_spans(document.text, 0, len(document.text), rule))
