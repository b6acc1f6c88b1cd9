"""BM25 over bm25s: the library computes the weights of all (term, chunk) pairs once, a search adds up columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import Ranking
from fastrag_bench.indexes.selection import select
from fastrag_bench.tokenizers.terms import StopWords, Terms

ARRAYS = ("data", "indices", "indptr")
"""The weights as a compressed sparse column matrix of chunks x terms, one `.npy` file each."""

ABSENT = "absent.npy"
"""What a term adds to a chunk that lacks it; only `bm25l` and `bm25+` have it."""


class Bm25Index(Component):
    """A lexical index with the weights of BM25 or one of its variants.

    Formulas: Kamphuis et al. 2020, "Which BM25 do you mean?", as bm25s computes them (Lù 2024, arXiv:2407.03618).
    """

    libraries: ClassVar[tuple[str, ...]] = ("bm25s", "PyStemmer")

    variant: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    """Which formula; all but `bm25l` and `bm25+` ignore `delta`."""

    k1: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.5
    """How slowly repeats of a term stop counting; 0 = a term counts once."""

    b: Annotated[float, Field(ge=0, le=1)] = 0.75
    """How much longer chunks are held back: 0 not at all, 1 in proportion to their length."""

    delta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5
    """What a term that occurs adds at least, in `bm25l` and `bm25+`."""

    stemmer: str = "english"
    """A Snowball stemmer by its name, such as `english`, `german`, `russian`; `none` keeps words as they are."""

    stop_words: StopWords = "en"
    """Words that are left out: the list of a language (`en`, `de`, `fr` ...), `none`, or a list of words."""

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Write three arrays, the vocabulary as JSON and, for two variants, the weights of absent terms."""
        rows, vocabulary = self._encode(texts)
        for name, array in self._weights(rows, vocabulary).items():
            np.save(folder / name, array, allow_pickle=False)
        content = {"chunks": len(texts), "terms": list(vocabulary)}
        (folder / "vocabulary.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")

    def open(self, folder: Path) -> Bm25Searcher:
        """The searcher of a built index; its arrays are memory-mapped."""
        return Bm25Searcher(folder, self)

    def inspect_settings(self) -> None:
        """Raise ConfigurationError if there is no such stemmer."""
        self.analyser()

    def analyser(self) -> Terms:
        """A new analyser with these settings, for one thread."""
        return Terms(stop_words=self.stop_words, stemmer=self.stemmer)

    def _encode(self, texts: Sequence[str]) -> tuple[list[list[int]], dict[str, int]]:
        """Term numbers of each text; terms are numbered as they first occur, so equal texts give equal files."""
        analyser = self.analyser()
        vocabulary: dict[str, int] = {}
        rows = [[vocabulary.setdefault(term, len(vocabulary)) for term in analyser.of(text)] for text in texts]
        return rows, vocabulary

    def _weights(self, rows: list[list[int]], vocabulary: dict[str, int]) -> dict[str, NDArray[Any]]:
        if not vocabulary:
            return dict(zip(_files(), _no_weights(), strict=True))
        import bm25s

        settings = {"k1": self.k1, "b": self.b, "delta": self.delta, "method": self.variant}
        model = bm25s.BM25(**settings, backend="numpy", csc_backend="numpy")
        model.index((rows, vocabulary), create_empty_token=False, show_progress=False)
        arrays = dict(zip(_files(), (model.scores[name] for name in ARRAYS), strict=True))
        if model.nonoccurrence_array is not None:
            arrays[ABSENT] = model.nonoccurrence_array
        return arrays


class Bm25Searcher:
    """An opened index.

    It adds up the columns itself: bm25s ranks chunks without any term of the query too, and breaks ties at the cut by
    chance.
    """

    def __init__(self, folder: Path, index: Bm25Index) -> None:
        """Map the arrays that `index` wrote into `folder`."""
        self._index = index
        self._data, self._chunks, self._starts = (
            np.asarray(np.load(folder / name, mmap_mode=None if name == "indptr.npy" else "r")) for name in _files()
        )
        content = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        self._count: int = content["chunks"]
        self._numbers = {term: number for number, term in enumerate(content["terms"])}
        self._absent = np.load(folder / ABSENT) if (folder / ABSENT).exists() else None

    def search(self, query: str, n: int) -> Ranking:
        """The `n` best chunks that share a term with the query; a repeated term counts each time."""
        terms = [self._numbers[term] for term in self._index.analyser().of(query) if term in self._numbers]
        if not terms:
            return Ranking.best(np.empty(0, np.int64), np.empty(0, np.float64), 0)
        columns = [slice(self._starts[term], self._starts[term + 1]) for term in terms]
        chunks = np.concatenate([self._chunks[column] for column in columns])
        weights = np.concatenate([self._data[column] for column in columns])
        scores = np.bincount(chunks, weights, minlength=self._count)
        found = np.zeros(self._count, bool)
        found[chunks] = True
        matching = np.flatnonzero(found)
        base = 0.0 if self._absent is None else float(self._absent[terms].sum(dtype=np.float64))
        return select(matching, (scores[matching] + base).astype(np.float64), n)


def _files() -> list[str]:
    return [f"{name}.npy" for name in ARRAYS]


def _no_weights() -> tuple[NDArray[Any], ...]:
    return np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(1, np.int64)
