"""The stages of the `rag` target that have one value: chunks, vectors and indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastrag_bench.component import Json
from fastrag_bench.contracts import Chunker, DenseIndex, Embedder, LexicalIndex
from fastrag_bench.errors import StageError
from fastrag_bench.targets.chunk_table import ChunkTable
from fastrag_bench.types import Chunk, Document


@dataclass(frozen=True)
class ChunkOperation:
    """Corpus to chunk table."""

    chunker: Chunker
    identity: Json
    kind: str = "chunk"
    reads_inputs: bool = False

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        """Chunk every document."""
        (corpus,) = inputs
        table = ChunkTable.of(corpus, [checked_chunks(self.chunker, document) for document in corpus])
        if not len(table):
            raise StageError(f"{type(self.chunker).__name__} made no chunk of {len(corpus)} documents: are they empty?")
        table.write(folder)

    def read(self, inputs: Sequence[Any], folder: Path) -> ChunkTable:
        """The table, memory-mapped."""
        return ChunkTable.read(folder)


def checked_chunks(chunker: Chunker, document: Document) -> list[Chunk]:
    """The chunks of one document; StageError where they are no chunks of it, or are empty or out of range."""
    name = type(chunker).__name__
    chunks = list(chunker.chunk(document))
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            raise StageError(f"{name}.chunk returned a {type(chunk).__name__}; return Chunk(document, start, end)")
        if chunk.document is not document and chunk.document.id != document.id:
            raise StageError(f"{name}.chunk returned a chunk of {chunk.document.id!r} for document {document.id!r}")
        if type(chunk.start) is not int or type(chunk.end) is not int:
            raise StageError(f"{name}.chunk returned [{chunk.start!r}, {chunk.end!r}): offsets are whole numbers")
        if not 0 <= chunk.start < chunk.end <= len(document.text):
            raise StageError(f"{name}.chunk returned [{chunk.start}, {chunk.end}) of {len(document.text)} characters")
    return chunks


@dataclass(frozen=True)
class EmbedOperation:
    """Corpus and chunks to unit vectors [chunks, dimensions], float32."""

    embedder: Embedder
    identity: Json
    kind: str = "embed"
    reads_inputs: bool = False

    def prepare(self) -> None:
        """Load the model."""
        self.embedder.embed_query("load")

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        """Embed every chunk; vectors that are not finite are refused."""
        corpus, table = inputs
        vectors = np.asarray(self.embedder.embed_documents(table.indexed_texts(corpus)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(table) or not np.isfinite(vectors).all():
            raise StageError(
                f"{type(self.embedder).__name__} returned {vectors.shape} for {len(table)} texts, "
                f"{'with' if not np.isfinite(vectors).all() else 'without'} NaN or infinity"
            )
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        """The vectors, memory-mapped."""
        return np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)


@dataclass(frozen=True)
class LexicalIndexOperation:
    """Corpus and chunks to a lexical index."""

    index: LexicalIndex
    identity: Json
    kind: str = "index"
    reads_inputs: bool = False

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        """Index every chunk."""
        corpus, table = inputs
        self.index.build(table.indexed_texts(corpus), folder)

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        """The searcher."""
        return self.index.open(folder)


@dataclass(frozen=True)
class DenseIndexOperation:
    """Vectors to a dense index, which is opened together with them."""

    index: DenseIndex
    identity: Json
    kind: str = "index"
    reads_inputs: bool = True

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        """Build what the index needs beside the vectors."""
        (vectors,) = inputs
        self.index.build_vectors(vectors, folder)

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        """The searcher."""
        (vectors,) = inputs
        return self.index.open_vectors(vectors, folder)
