"""The stages of the `rag` target that have one row for each question."""

from __future__ import annotations

import base64
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.component import Json
from fastrag_bench.contracts import (
    Candidates,
    ContextBuilder,
    Embedder,
    Generator,
    PairScorer,
    QueryTransform,
    Ranking,
    Reranker,
    Retriever,
    Vectors,
)
from fastrag_bench.errors import StageError
from fastrag_bench.plan.calls import Calls, call_key
from fastrag_bench.plan.stage import Computed, RowFunction
from fastrag_bench.targets.chunk_table import ChunkTable
from fastrag_bench.targets.model_calls import asks_model, for_each_row
from fastrag_bench.types import Corpus, Document

CallMemory = Callable[[Json], Calls]
_SCORE = struct.Struct("<d")
RRF_CONSTANT = 60


def ranking_to_json(ranking: Ranking) -> Json:
    """A ranking as a row's value."""
    if ranking.chunks.shape != ranking.scores.shape or ranking.chunks.ndim != 1:
        raise StageError(f"a ranking has {ranking.chunks.shape} chunks and {ranking.scores.shape} scores")
    if not np.isfinite(ranking.scores).all():
        raise StageError("a score is not a finite number")
    return {"chunks": ranking.chunks.tolist(), "scores": ranking.scores.tolist()}


def ranking_from_json(value: Json) -> Ranking:
    """The ranking of a row's value."""
    return Ranking(np.array(value["chunks"], dtype=np.int64), np.array(value["scores"], dtype=np.float64))


def vectors_to_json(vectors: Sequence[Vectors]) -> Json:
    """Vectors as base64 of little-endian float32."""
    return [base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii") for vector in vectors]


def vectors_from_json(value: Json) -> list[Vectors]:
    """The vectors of a row's value."""
    return [np.frombuffer(base64.b64decode(text), dtype="<f4") for text in value]


def fuse_queries(rankings: Sequence[Ranking], n: int) -> Ranking:
    """One ranking of several queries' rankings by reciprocal rank fusion (Cormack et al. 2009, constant 60)."""
    if len(rankings) == 1:
        return rankings[0]
    chunks, places = np.unique(np.concatenate([ranking.chunks for ranking in rankings]), return_inverse=True)
    gains = np.concatenate([1 / (RRF_CONSTANT + 1 + np.arange(len(ranking))) for ranking in rankings])
    totals: NDArray[np.float64] = np.bincount(places, weights=gains, minlength=len(chunks)).astype(np.float64)
    return Ranking.best(chunks, totals, n)


@dataclass(frozen=True)
class TransformOperation:
    """Question to the queries that are searched for it."""

    transform: QueryTransform
    identity: Json
    kind: str = "query_transform"
    warm_up: bool = False

    @property
    def concurrent(self) -> bool:
        """Where it waits for a model."""
        return asks_model(self.transform)

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the memory of calls."""
        opened = for_each_row(self.transform, calls)

        def transform(question: str, upstream: Sequence[Json]) -> Computed:
            part, recalled = opened()
            queries = part.transform(question)
            if not isinstance(queries, list) or not queries or not all(isinstance(query, str) for query in queries):
                raise StageError(f"{type(part).__name__}.transform returned {queries!r:.60}, not a list of queries")
            return Computed(queries, recalled.seconds)

        return transform


@dataclass(frozen=True)
class EmbedQueryOperation:
    """Queries to vectors."""

    embedder: Embedder
    identity: Json
    kind: str = "embed_query"
    warm_up: bool = True
    concurrent: bool = False

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the memory of calls."""
        opened = for_each_row(self.embedder, calls)

        def embed(question: str, upstream: Sequence[Json]) -> Computed:
            queries = upstream[0] if upstream else [question]
            part, recalled = opened()
            return Computed(vectors_to_json([part.embed_query(query) for query in queries]), recalled.seconds)

        return embed


@dataclass(frozen=True)
class LexicalSearchOperation:
    """Queries to a ranking of a lexical index; the index is the input."""

    candidates: int
    kind: str = "retrieve"
    warm_up: bool = True
    concurrent: bool = False

    @property
    def identity(self) -> Json:
        """How it searches; the index has an identity of its own."""
        return {"search": "lexical", "candidates": self.candidates}

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the searcher."""
        (searcher,) = inputs

        def search(question: str, upstream: Sequence[Json]) -> Computed:
            queries = upstream[0] if upstream else [question]
            found = [searcher.search(query, self.candidates) for query in queries]
            return Computed(ranking_to_json(fuse_queries(found, self.candidates)))

        return search


@dataclass(frozen=True)
class DenseSearchOperation:
    """Query vectors to a ranking of a dense index; the index is the input."""

    candidates: int
    kind: str = "retrieve"
    warm_up: bool = True
    concurrent: bool = False

    @property
    def identity(self) -> Json:
        """How it searches; the index has an identity of its own."""
        return {"search": "dense", "candidates": self.candidates}

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the searcher."""
        (searcher,) = inputs

        def search(question: str, upstream: Sequence[Json]) -> Computed:
            found = [searcher.search(vector, self.candidates) for vector in vectors_from_json(upstream[0])]
            return Computed(ranking_to_json(fuse_queries(found, self.candidates)))

        return search


@dataclass(frozen=True)
class FuseOperation:
    """The rankings of several indexes to one."""

    retriever: Retriever
    candidates: int
    retriever_identity: Json
    kind: str = "fuse"
    warm_up: bool = True
    concurrent: bool = False

    @property
    def identity(self) -> Json:
        """The retriever, and how deep."""
        return {"retriever": self.retriever_identity, "candidates": self.candidates}

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Nothing to get ready."""

        def fuse(question: str, upstream: Sequence[Json]) -> Computed:
            rankings = [ranking_from_json(value) for value in upstream]
            return Computed(ranking_to_json(self.retriever.combine(rankings, self.candidates)))

        return fuse


@dataclass(frozen=True)
class RerankOperation:
    """A ranking to the same chunks in a new order; inputs are corpus, chunks and, if asked for, vectors."""

    reranker: Reranker | PairScorer
    identity: Json
    kind: str = "rerank"
    warm_up: bool = False

    @property
    def concurrent(self) -> bool:
        """Where it waits for a model."""
        return asks_model(self.reranker)

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the texts; a reranker that scores pairs remembers each (model, query, text)."""
        corpus, table, *vectors = inputs
        if isinstance(self.reranker, PairScorer):
            opened = for_each_row(self.reranker, calls)
            return _pair_reranker(lambda: opened()[0], corpus, table, calls(self.identity))
        reranker: Reranker = self.reranker

        def rerank(question: str, upstream: Sequence[Json]) -> Computed:
            ranking = ranking_from_json(upstream[0])
            found = Candidates(
                Ranking(ranking.chunks.copy(), ranking.scores.copy()),
                table.texts(corpus, ranking.chunks),
                query_vector=vectors_from_json(upstream[1])[0] if vectors else None,
                vectors=np.asarray(vectors[0][ranking.chunks]) if vectors else None,
            )
            return Computed(ranking_to_json(_same_chunks(ranking, reranker.rerank(question, found))))

        return rerank


def _same_chunks(before: Ranking, after: Ranking) -> Ranking:
    if not np.array_equal(np.sort(before.chunks), np.sort(after.chunks)):
        raise StageError("the reranker returned other chunks than it was given")
    return after


def _pair_reranker(scorer: Callable[[], PairScorer], corpus: Corpus, table: ChunkTable, memory: Calls) -> RowFunction:
    digests: dict[int, bytes] = {}

    def text_key(chunk: int) -> bytes:
        if chunk not in digests:
            digests[chunk] = call_key(table.texts(corpus, [chunk])[0].encode("utf-8", "surrogatepass"))
        return digests[chunk]

    def rerank(question: str, upstream: Sequence[Json]) -> Computed:
        chunks: list[int] = upstream[0]["chunks"]
        asked = call_key(question.encode("utf-8", "surrogatepass"))
        keys = [asked + text_key(chunk) for chunk in chunks]
        held = [memory.get(call_key(key)) for key in keys]
        new = [place for place, call in enumerate(held) if call is None]
        if new:
            began = time.perf_counter()
            scores = scorer().score_pairs(question, table.texts(corpus, [chunks[place] for place in new]))
            each = (time.perf_counter() - began) / len(new)
            if len(scores) != len(new) or not np.isfinite(np.asarray(scores, dtype=np.float64)).all():
                raise StageError(
                    f"score_pairs returned {len(scores)} scores for {len(new)} texts, all have to be finite"
                )
            for place, score in zip(new, scores, strict=True):
                memory.put(call_key(keys[place]), each, _SCORE.pack(score))
        remembered = sum(call[0] for call in held if call is not None)
        replies = [memory.get(call_key(key)) for key in keys]
        values = np.array([_SCORE.unpack(reply[1])[0] for reply in replies if reply is not None], dtype=np.float64)
        order = np.argsort(-values, kind="stable")
        ranking = Ranking(np.array(chunks, dtype=np.int64)[order], values[order])
        return Computed(ranking_to_json(ranking), remembered, amortised=remembered > 0)

    return rerank


@dataclass(frozen=True)
class GenerateOperation:
    """The `k` best chunks of a ranking to an answer; inputs are corpus and chunks."""

    generator: Generator
    context: ContextBuilder | None
    k: int
    parts_identity: Json
    kind: str = "generate"
    warm_up: bool = False

    @property
    def concurrent(self) -> bool:
        """Where it waits for a model."""
        return asks_model(self.generator)

    @property
    def identity(self) -> Json:
        """Generator, context builder and the cut."""
        return {"parts": self.parts_identity, "k": self.k}

    def open(self, inputs: Sequence[Any], calls: CallMemory) -> RowFunction:
        """Take the texts."""
        corpus, table = inputs
        opened = for_each_row(self.generator, calls)

        def generate(question: str, upstream: Sequence[Json]) -> Computed:
            passages = passages_of(table, corpus, upstream[0], self.k)
            if self.context is not None:
                passages = self.context.build_context(question, passages)
            generator, recalled = opened()
            answer = generator.generate(question, passages)
            if not isinstance(getattr(answer, "text", None), str):
                raise StageError(
                    f"{type(generator).__name__}.generate returned {answer!r:.60}, not an Answer with a text"
                )
            value: dict[str, Json] = {"answer": answer.text}
            value |= {"input_tokens": answer.input_tokens, "output_tokens": answer.output_tokens}
            if answer.citations is not None:
                value["citations"] = [passages[place].id for place in answer.citations]
            if answer.calls:
                value["calls"] = list(answer.calls)
            return Computed(value, recalled.seconds)

        return generate


def passages_of(table: ChunkTable, corpus: Corpus, value: Json, n: int | None = None) -> list[Document]:
    """The first `n` chunks of a ranking's row, or all, as returned documents."""
    return table.passages(corpus, value["chunks"][:n], value["scores"][:n])
