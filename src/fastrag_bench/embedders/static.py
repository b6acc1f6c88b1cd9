"""The embedder that works right after `pip install`: a table of token vectors, distilled from all-MiniLM-L6-v2."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from typing import ClassVar, Literal

import numpy as np

from fastrag_bench.component import Component
from fastrag_bench.contracts import Vectors
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.tokenizers.wordpiece import WordPiece, split

MEMO_WORDS = 65_536
"""How many words a loaded table remembers (64 MB at 256 dimensions) before it starts afresh."""

BLOCK_WORDS = 4_096
"""How many word vectors are gathered at a time, so that a book needs no more memory than a page."""


class StaticEmbedder(Component):
    """The unit mean of the vectors of a text's word pieces.

    Needs numpy only: no download, no compiled code. English; word order and negation do not count, and BM25 beats it
    where question and passage share their words: it is the default because it runs everywhere, not because it is good.
    """

    version: ClassVar[int] = 1
    weights_sha256: ClassVar[str] = "96c4643b76ffc4c9f3f2aac347917efe6f1d65973751f4cfea4f53e4f2d74e07"
    """Of `table.npz`; loading refuses another file."""
    vocabulary_sha256: ClassVar[str] = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    """Of `vocab.txt`; loading refuses another file."""

    dimensions: Literal[64, 128, 256] = 256
    """The leading principal components that are kept."""

    def fingerprint(self) -> str:
        """The hashes of the table and the vocabulary."""
        return f"{self.weights_sha256} {self.vocabulary_sha256}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 [n, dimensions] of unit rows; zeros for a text without any known token."""
        return _table(self.dimensions).embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """Float32 [dimensions]: the row that `embed_documents` gives for this text."""
        row: Vectors = self.embed_documents([text])[0]
        return row


class StaticTable:
    """Token vectors and a memo of word vectors: a mean is additive, so the pieces of a word are summed only once."""

    def __init__(self, tokenizer: WordPiece, vectors: Vectors, memo_words: int = MEMO_WORDS) -> None:
        """Take float32 token vectors [vocabulary, d], row = token id."""
        self._tokenizer = tokenizer
        self._vectors = vectors
        self._limit = memo_words
        self._lock = threading.Lock()
        self._rows: dict[str, int] = {}
        self._words = np.empty((1024, vectors.shape[1]), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Float32 [n, d]; equal to the bit for a text alone, in any batch and whatever came before."""
        sums = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        with self._lock:
            for total, text in zip(sums, texts, strict=True):
                words = split(text)
                for start in range(0, len(words), BLOCK_WORDS):
                    places = self._places(words[start : start + BLOCK_WORDS])  # may replace self._words, so first
                    total += self._words[places].sum(axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        unit: Vectors = np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)
        return unit

    def _places(self, words: list[str]) -> list[int]:
        """Where the words stand in the memo, after adding those that are new."""
        places = [self._rows.get(word, -1) for word in words]
        if -1 not in places:
            return places
        new = {word for word, place in zip(words, places, strict=True) if place < 0}
        if len(self._rows) + len(new) > self._limit:
            self._rows.clear()
        for word in words:
            if word not in self._rows:
                self._add(word)
        return [self._rows[word] for word in words]

    def _add(self, word: str) -> None:
        place = len(self._rows)
        if place == len(self._words):
            self._words = np.concatenate([self._words, np.empty_like(self._words)])
        self._words[place] = self._vectors[list(self._tokenizer.word_ids(word))].sum(axis=0)
        self._rows[word] = place


@lru_cache(maxsize=3)
def _table(dimensions: int) -> StaticTable:
    vectors = _token_vectors()[:, :dimensions]
    return StaticTable(_tokenizer(), np.ascontiguousarray(vectors))


@lru_cache(maxsize=1)
def _token_vectors() -> Vectors:
    """Float32 [30522, 256]: each row is its int8 numbers times its scale."""
    with as_file(files("fastrag_bench") / "data" / "static" / "table.npz") as path:
        _check(path.read_bytes(), StaticEmbedder.weights_sha256, path.name)
        with np.load(path, allow_pickle=False) as stored:
            vectors: Vectors = stored["vectors"].astype(np.float32) * stored["scales"].astype(np.float32)[:, None]
    return vectors


@lru_cache(maxsize=1)
def _tokenizer() -> WordPiece:
    with as_file(files("fastrag_bench") / "data" / "static" / "vocab.txt") as path:
        _check(path.read_bytes(), StaticEmbedder.vocabulary_sha256, path.name)
        return WordPiece.from_file(path)


def _check(data: bytes, expected: str, name: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise ConfigurationError(
            f"{name} of the static embedder is damaged: sha256 {found}, expected {expected}; reinstall fastrag_bench"
        )
