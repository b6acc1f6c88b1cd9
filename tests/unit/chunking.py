"""What the chunker tests share: hostile texts, a fake embedder, and the promises of every chunker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from fastrag_bench.component import Component
from fastrag_bench.contracts import Chunker, Vectors
from fastrag_bench.types import Chunk, Document


class LetterEmbedder(Component):
    """A fake: the unit vector of how often each letter occurs; zeros for a text without letters."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        counts = np.zeros((len(texts), 26), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                if "a" <= letter <= "z":
                    counts[row, ord(letter) - ord("a")] += 1
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_documents([text])[0]


# fmt: off
PIECES = [
    "word", "The", "a", "unbelievable", "x" * 130, " ", "  ", "\n", "\n\n", "\r\n", ". ", "! ", "。", "字", "かな",
    "😀", "e\u0301", "\u00a0", "\x85", "# Title\n", "\n## Sub\n", "\n---\n", "\n===\n", "```\n", "| a | b |\n", "- ",
]
# fmt: on
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


def texts_of(chunker: Chunker, text: str) -> list[str]:
    return [chunk.text for chunk in chunker.chunk(Document(text, id="d"))]


def check_promises(text: str, chunks: Sequence[Chunk]) -> None:
    """In order of start, exact and never blank; every character that is not blank is in one."""
    reached = start = 0
    for chunk in chunks:
        assert start <= chunk.start < chunk.end <= len(text)
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert chunk.end > reached, "a chunk holds something new"
        assert not text[reached : chunk.start].strip()
        start, reached = chunk.start, chunk.end
    assert not text[reached:].strip()
