"""What each part of a pipeline promises. A part is any `Component` that has these methods; there is no base class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.types import Chunk, Corpus, DistributionSummary, Document, EvalSample, QueryOutcome

if TYPE_CHECKING:
    from fastrag_bench.datasets import QADataset

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Ranking:
    """Chunks by position in the chunk table, best first, with their scores (same length, never NaN).

    Equal scores stand in order of position, which is document id, then offset.
    """

    chunks: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.chunks)

    @classmethod
    def best(cls, chunks: NDArray[np.int64], scores: NDArray[np.floating[Any]], n: int) -> Ranking:
        """The `n` best of some scored chunks: score descending, then position."""
        order = np.lexsort((chunks, -scores))[:n]
        return cls(chunks[order].astype(np.int64), scores[order].astype(np.float64))


@dataclass(frozen=True)
class Candidates:
    """What a reranker sees of one question: the ranking so far, texts in its order and, if asked for, vectors."""

    ranking: Ranking
    texts: Sequence[str]
    query_vector: Vectors | None = None
    vectors: Vectors | None = None


@dataclass(frozen=True)
class Answer:
    """What a generator returned; tokens are None when they are not known.

    `citations` are the places (from 0) of the passages that the answer cites; None where it was not asked to cite.
    `calls` says for each call to a model what it used, cost and took.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    citations: tuple[int, ...] | None = None
    calls: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class BenchmarkData:
    """What a dataset loads: questions, documents where it has any, and notes that a person should see first."""

    name: str
    questions: QADataset
    corpus: Corpus | None = None
    notes: tuple[str, ...] = ()


class Absent:
    """Marks a part that stands for nothing, such as the reranker `none`: its stage is left out of every pipeline."""


@runtime_checkable
class DatasetSource(Protocol):
    """Loads documents and questions."""

    def load(self) -> BenchmarkData:
        """Read and check everything; raise ConfigurationError (file, line, what to do) on whatever is not right."""


@runtime_checkable
class Chunker(Protocol):
    """Splits one document."""

    def chunk(self, document: Document) -> list[Chunk]:
        """Chunks in order of start; together they cover every non-blank character; none is blank."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. A text without any known token is the zero vector."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """[n, d], a row for each text; a row does not depend on the other texts."""

    def embed_query(self, text: str) -> Vectors:
        """[d]"""


@runtime_checkable
class LexicalSearcher(Protocol):
    """An opened lexical index."""

    def search(self, query: str, n: int) -> Ranking:
        """At most the `n` best chunks; chunks that share no term with the query are left out."""


@runtime_checkable
class LexicalIndex(Protocol):
    """Builds an index over chunk texts as files in a folder, and opens it from there."""

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Write the index of these texts into an empty folder; no pickle."""

    def open(self, folder: Path) -> LexicalSearcher:
        """The searcher of an index built by `build`."""


@runtime_checkable
class DenseSearcher(Protocol):
    """An opened dense index."""

    def search(self, vector: Vectors, n: int) -> Ranking:
        """The `n` nearest chunks by inner product."""


@runtime_checkable
class DenseIndex(Protocol):
    """Builds an index over vectors; one that needs nothing but the vectors writes no file."""

    def build_vectors(self, vectors: Vectors, folder: Path) -> None:
        """Write what `open_vectors` needs beside the vectors into an empty folder."""

    def open_vectors(self, vectors: Vectors, folder: Path) -> DenseSearcher:
        """The searcher; `vectors` are those it was built from, memory-mapped."""


@runtime_checkable
class Retriever(Protocol):
    """Names the indexes it searches and merges their rankings."""

    searches: ClassVar[tuple[str, ...]]
    """`lexical`, `dense` or both, in the order in which `combine` gets their rankings."""

    def combine(self, rankings: Sequence[Ranking], n: int) -> Ranking:
        """The `n` best of one ranking for each of `searches`; called only where there are several."""


@runtime_checkable
class Reranker(Protocol):
    """Orders the candidates of one question anew."""

    needs_vectors: ClassVar[bool]

    def rerank(self, query: str, candidates: Candidates) -> Ranking:
        """The same chunks in a new order, with the scores that made it."""


@runtime_checkable
class PairScorer(Protocol):
    """A reranker that scores each (query, text) pair on its own, so that a score can be shared by all pipelines."""

    def score_pairs(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, higher is better; a score does not depend on the other texts."""


@runtime_checkable
class Generator(Protocol):
    """Answers a question from passages."""

    def generate(self, query: str, passages: Sequence[Document]) -> Answer:
        """The answer; an empty text when nothing is found."""


@runtime_checkable
class QueryTransform(Protocol):
    """Turns a question into the queries that are searched for it."""

    def transform(self, query: str) -> list[str]:
        """One or more queries; their rankings are fused."""


@runtime_checkable
class ContextBuilder(Protocol):
    """Makes of the `k` best chunks what the generator is shown."""

    def build_context(self, query: str, passages: Sequence[Document]) -> list[Document]:
        """The passages in the order in which the generator reads them."""


class CallMemory(Protocol):
    """Remembers replies to calls that cost time or money, so that the same call is never made twice."""

    def get(self, key: bytes) -> tuple[float, bytes] | None:
        """The seconds and the reply of an earlier call, or None; a key has 16 bytes."""

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        """Remember a call; the first reply to a key counts."""


@runtime_checkable
class UsesCalls(Protocol):
    """A part that asks a model and can be given a memory of earlier calls. Any kind of part may be one."""

    @property
    def calls_identity(self) -> Any:
        """Names the memory, as JSON; parts that name the same one share it."""

    def with_calls(self, calls: CallMemory) -> Any:
        """The same part, asking this memory before the model."""


@runtime_checkable
class Priced(Protocol):
    """A part that can say what calls to its model cost."""

    def cost_of(self, calls: Sequence[dict[str, Any]]) -> float | None:
        """Dollars of `Answer.calls`; None when a price or a count of tokens is not known."""


class Metric(ABC):
    """One figure for one question.

    `score` returns None when the question or the outcome has nothing to judge; such a None is counted as missing and is
    never a zero.
    """

    needs_relevant_ids: ClassVar[bool] = False
    needs_answer: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str:
        """The column in every table, such as `ndcg@10`; the metric's only identity."""

    @abstractmethod
    async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
        """Judge one outcome."""

    def aggregate(self, scores: Sequence[float | None]) -> DistributionSummary:
        """The summary of the scores of all questions, in dataset order."""
        return DistributionSummary.of(scores)


@runtime_checkable
class BatchMetric(Protocol):
    """A metric that can judge many outcomes at once, equal to `score` to the bit."""

    def score_all(self, samples: Sequence[EvalSample], outcomes: Sequence[QueryOutcome]) -> list[float | None]:
        """A score for each pair, in order."""


PARTS: dict[str, type] = {
    "dataset": DatasetSource,
    "chunker": Chunker,
    "embedder": Embedder,
    "retriever": Retriever,
    "reranker": Reranker,
    "generator": Generator,
    "query_transform": QueryTransform,
    "context": ContextBuilder,
}
"""The contract of each config group; `index` has two (lexical and dense)."""
