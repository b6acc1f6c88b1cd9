"""The chunks of a corpus as arrays, and the passages that pipelines return from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.tokenizers.lengths import WORDPIECE, token_counter
from fastrag_bench.types import Chunk, Corpus, Document


@dataclass(frozen=True)
class ChunkTable:
    """Row i is chunk i: [document position, start, end]; rows are in order of (document, start, end)."""

    spans: NDArray[np.int64]
    contexts: Sequence[str] = ()
    """A context for each chunk, or nothing where no chunk has one."""
    _tokens: dict[int, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, corpus: Corpus, chunks: Sequence[Sequence[Chunk]]) -> ChunkTable:
        """The table of each document's chunks."""
        rows = [(at, chunk.start, chunk.end, chunk.context) for at, found in enumerate(chunks) for chunk in found]
        rows.sort(key=lambda row: row[:3])
        spans = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        contexts = [row[3] for row in rows]
        return cls(spans, contexts if any(contexts) else ())

    def __len__(self) -> int:
        return len(self.spans)

    def texts(self, corpus: Corpus, chunks: Sequence[int] | None = None) -> list[str]:
        """The exact slices of all chunks, or of some."""
        rows = self.spans if chunks is None else self.spans[np.asarray(chunks, dtype=np.int64)]
        return [corpus[document].text[start:end] for document, start, end in rows.tolist()]

    def indexed_texts(self, corpus: Corpus) -> list[str]:
        """What is embedded and indexed: the context, where there is one, above the text."""
        texts = self.texts(corpus)
        if not self.contexts:
            return texts
        return [f"{above}\n{text}" if above else text for above, text in zip(self.contexts, texts, strict=True)]

    def passages(self, corpus: Corpus, chunks: Sequence[int], scores: Sequence[float]) -> list[Document]:
        """Chunks as returned documents, best first, with their place, score and 1-based rank as metadata."""
        rows = self.spans[np.asarray(chunks, dtype=np.int64)].tolist()
        found = []
        for rank, ((position, start, end), score) in enumerate(zip(rows, scores, strict=True), 1):
            source = corpus[position]
            place = {"doc_id": source.id, "start": start, "end": end, "score": score, "rank": rank}
            text = source.text[start:end]
            found.append(Document(text, place, f"{source.id}#char={start},{end}", source.uri))
        return found

    def token_count(self, corpus: Corpus, chunks: Sequence[int]) -> int:
        """WordPiece tokens of some chunks together, the figure behind `context_tokens`."""
        count = token_counter(WORDPIECE).count
        for chunk in chunks:
            if chunk not in self._tokens:
                self._tokens[chunk] = count(self.texts(corpus, [chunk])[0])
        return sum(self._tokens[chunk] for chunk in chunks)

    def write(self, folder: Path) -> None:
        """As `spans.npy` and, where there are contexts, `contexts.json`."""
        np.save(folder / "spans.npy", self.spans, allow_pickle=False)
        if self.contexts:
            (folder / "contexts.json").write_text(json.dumps(list(self.contexts)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> ChunkTable:
        """What `write` left in the folder."""
        path = folder / "contexts.json"
        contexts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else ()
        return cls(np.asarray(np.load(folder / "spans.npy", mmap_mode="r", allow_pickle=False)), contexts)
