"""A chunker of one's own: exact windows of cl100k tokens, as LangChain's TokenTextSplitter cuts them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import NonNegativeInt, PositiveInt

from fastrag_bench.component import Component
from fastrag_bench.types import Chunk, Document


class TokenTextChunker(Component):
    """Windows of `size` tokens, each beginning `size - overlap` after the one before; words may be cut."""

    size: PositiveInt = 400
    """Tokens of a chunk."""

    overlap: NonNegativeInt = 0
    """Tokens that a chunk repeats of the one before it."""

    by_search: bool = False
    """Place chunks as the study does: where their text, without a last full stop, stands first in the document."""

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start; a window that cuts a character is widened to the whole of it."""
        starts = _starts(document.text)
        spans = []
        for first in range(0, max(len(starts) - 1, 0), self.size - self.overlap):
            last = min(first + self.size, len(starts) - 1)
            spans.append((starts[first], starts[last]))
            if last == len(starts) - 1:
                break
        if self.by_search:
            spans = sorted(_first_place(document.text, *span) for span in spans)
        return [Chunk(document, start, end) for start, end in spans]


def _first_place(text: str, start: int, end: int) -> tuple[int, int]:
    """Text that comes twice is found at its first place: an artefact of the study, worth up to .4 points."""
    sought = text[start:end].removesuffix(".")
    found = text.find(sought)
    return found, found + len(sought)


@lru_cache(maxsize=8)
def _starts(text: str) -> list[int]:
    """The offset at which each token begins, and the end of the text."""
    encoding = _encoding()
    tokens = encoding.encode_ordinary(text)
    _, offsets = encoding.decode_with_offsets(tokens)
    return [*offsets, len(text)]


@lru_cache(maxsize=1)
def _encoding() -> Any:
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")
