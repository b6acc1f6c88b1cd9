"""The `rag` target: corpus, chunk, embed, index; then per question search, rerank, cut to k, and answer.

A stage is given only the settings that reach it, so that combinations share everything they have in common: no embedder
in a lexical search, no chunker in the vectors of questions, no `k` before the cut.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import PositiveInt, model_validator

from fastrag_bench.component import Component, Json, cached_identity, is_cacheable, part
from fastrag_bench.contracts import (
    Absent,
    BenchmarkData,
    Chunker,
    ContextBuilder,
    DenseIndex,
    Embedder,
    Generator,
    LexicalIndex,
    Priced,
    QueryTransform,
    Reranker,
    Retriever,
)
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.plan.keys import digest
from fastrag_bench.plan.stage import Row, RowStage, Source, ValueStage
from fastrag_bench.plan.workspace import Workspace
from fastrag_bench.targets.chunk_table import ChunkTable
from fastrag_bench.targets.contract import Failed
from fastrag_bench.targets.model_calls import asks_model
from fastrag_bench.targets.row_stages import (
    DenseSearchOperation,
    EmbedQueryOperation,
    FuseOperation,
    GenerateOperation,
    LexicalSearchOperation,
    RerankOperation,
    TransformOperation,
    passages_of,
)
from fastrag_bench.targets.sources import corpus_source, needed_corpus, question_id, question_items
from fastrag_bench.targets.uncached import keyed
from fastrag_bench.targets.value_stages import (
    ChunkOperation,
    DenseIndexOperation,
    EmbedOperation,
    LexicalIndexOperation,
)
from fastrag_bench.types import Corpus, Document, EvalSample, QueryOutcome


class RagTarget(Component):
    """A retrieval-augmented pipeline put together from parts."""

    chunker: Annotated[Any, part(Chunker)]
    """Splits the documents."""
    embedder: Annotated[Any, part(Embedder)]
    """Used by dense retrieval, and by rerankers that ask for vectors."""
    lexical_index: Annotated[Any, part(LexicalIndex)]
    """Searched by lexical retrieval."""
    dense_index: Annotated[Any, part(DenseIndex)]
    """Searched by dense retrieval."""
    retriever: Annotated[Any, part(Retriever)]
    """Which indexes are searched, and how their rankings are merged."""
    query_transform: Annotated[Any, part(QueryTransform)]
    """What is searched for a question."""
    reranker: Annotated[Any, part(object)]
    """Orders the candidates anew."""
    context: Annotated[Any, part(ContextBuilder)]
    """What the generator is shown of the k best chunks."""
    generator: Annotated[Any, part(Generator)]
    """Answers from the k best chunks."""
    k: PositiveInt = 5
    """Chunks handed on to the generator: a cut after reranking."""
    candidates: PositiveInt = 100
    """Chunks that retrieval fetches and the reranker sees."""

    version: ClassVar[int] = 1

    @model_validator(mode="after")
    def _k_fits(self) -> RagTarget:
        if self.k > self.candidates:
            message = f"k={self.k} is more than candidates={self.candidates}; raise candidates or lower k"
            raise ConfigurationError(problems=[Problem("k", message)])
        return self

    def stages(self, data: BenchmarkData) -> RagPipeline:
        """The stages over a dataset with documents."""
        return RagPipeline(self, needed_corpus(data), data.questions.samples)


@dataclass(frozen=True)
class RagPipeline:
    """A `RagTarget` over one corpus and its questions."""

    target: RagTarget
    corpus: Corpus
    samples: list[EvalSample]

    @property
    def answers(self) -> bool:
        """Whether there is a generator."""
        return not isinstance(self.target.generator, Absent)

    @cached_property
    def cached(self) -> bool:
        """Whether the code of every part can be read."""
        return is_cacheable([cached_identity(part) for part in self._parts()])

    @cached_property
    def identity(self) -> str:
        """The wanted stages and the cut."""
        return digest([[stage.key for stage in self.wanted], self.target.k])

    @cached_property
    def wanted(self) -> tuple[RowStage, ...]:
        """Every stage that has rows: an outcome is made of all of them, since each has a share of its seconds."""
        return _row_path(self.answer if self.answer is not None else self.ranking)

    @cached_property
    def source(self) -> Source:
        """The corpus."""
        return corpus_source(self.corpus)

    @cached_property
    def chunks(self) -> ValueStage:
        """The chunk table."""
        chunker = self.target.chunker
        return ValueStage(ChunkOperation(chunker, _identity(chunker)), (self.source,))

    @cached_property
    def vectors(self) -> ValueStage:
        """The vectors of the chunks."""
        embedder = self.target.embedder
        return ValueStage(EmbedOperation(embedder, _identity(embedder)), (self.source, self.chunks))

    @cached_property
    def queries(self) -> tuple[RowStage, ...]:
        """What is searched for each question; nothing where that is the question itself."""
        transform = self.target.query_transform
        if isinstance(transform, Absent):
            return ()
        return (self._rows(TransformOperation(transform, _identity(transform))),)

    @cached_property
    def query_vectors(self) -> RowStage:
        """The vectors of what is searched."""
        embedder = self.target.embedder
        return self._rows(EmbedQueryOperation(embedder, _identity(embedder)), upstream=self.queries)

    @cached_property
    def searches(self) -> tuple[RowStage, ...]:
        """One ranking for each index that the retriever searches."""
        return tuple(self._search(name) for name in self.target.retriever.searches)

    @cached_property
    def fused(self) -> RowStage:
        """The retriever's ranking."""
        if len(self.searches) == 1:
            return self.searches[0]
        retriever = self.target.retriever
        operation = FuseOperation(retriever, self.target.candidates, _identity(retriever))
        return self._rows(operation, upstream=self.searches)

    @cached_property
    def ranking(self) -> RowStage:
        """The ranking that is cut to k."""
        reranker = self.target.reranker
        if isinstance(reranker, Absent):
            return self.fused
        with_vectors = isinstance(reranker, Reranker) and reranker.needs_vectors
        return self._rows(
            RerankOperation(reranker, _identity(reranker)),
            inputs=(self.source, self.chunks, self.vectors) if with_vectors else (self.source, self.chunks),
            upstream=(self.fused, self.query_vectors) if with_vectors else (self.fused,),
        )

    @cached_property
    def answer(self) -> RowStage | None:
        """The answers, where there is a generator."""
        generator, context = self.target.generator, self.target.context
        if isinstance(generator, Absent):
            return None
        build = None if isinstance(context, Absent) else context
        identity = {"generator": _identity(generator), "context": None if build is None else _identity(build)}
        operation = GenerateOperation(generator, build, self.target.k, identity)
        return self._rows(operation, inputs=(self.source, self.chunks), upstream=(self.ranking,))

    def outcomes(self, workspace: Workspace) -> list[QueryOutcome | Failed]:
        """The stored outcome of each question; latency is the sum of its stages' cold seconds."""
        read = _Reader(self, workspace)
        return [read.outcome(sample.question) for sample in self.samples]

    def details(self, workspace: Workspace) -> list[str]:
        """Rankings before and after reranking and seconds by stage, a JSON object for each question."""
        read = _Reader(self, workspace)
        return [read.detail(sample.question) for sample in self.samples]

    def chunk_spans(self, workspace: Workspace) -> dict[str, list[tuple[int, int]]]:
        """From the chunk table."""
        found: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in workspace.value(self.chunks).spans.tolist():
            found.setdefault(self.corpus[document].id, []).append((start, end))
        return found

    def notes(self, workspace: Workspace) -> list[str]:
        """Settings beyond the size of the corpus."""
        chunks = len(workspace.value(self.chunks))
        if self.target.k > chunks:
            return [f"k={self.target.k} is more than the {chunks} chunks there are: every chunk is handed on"]
        return []

    def _rows(
        self, operation: Any, *, inputs: tuple[Source | ValueStage, ...] = (), upstream: tuple[RowStage, ...] = ()
    ) -> RowStage:
        return RowStage(operation, question_items(self.samples), inputs, upstream)

    def _search(self, name: str) -> RowStage:
        candidates = self.target.candidates
        if name == "lexical":
            index = self.target.lexical_index
            built = ValueStage(LexicalIndexOperation(index, _identity(index)), (self.source, self.chunks))
            return self._rows(LexicalSearchOperation(candidates), inputs=(built,), upstream=self.queries)
        if name == "dense":
            index = self.target.dense_index
            built = ValueStage(DenseIndexOperation(index, _identity(index)), (self.vectors,))
            return self._rows(DenseSearchOperation(candidates), inputs=(built,), upstream=(self.query_vectors,))
        raise ConfigurationError(
            f"{type(self.target.retriever).__name__}.searches names {name!r}; there is: lexical, dense"
        )

    def _parts(self) -> list[Component]:
        values = (getattr(self.target, name) for name in RagTarget.model_fields)
        return [value for value in values if isinstance(value, Component)]


def _identity(component: Any) -> Json:
    return keyed(cached_identity(component))


class _Reader:
    """Reads one pipeline's rows; rankings that pipelines share are turned into passages once."""

    def __init__(self, pipeline: RagPipeline, workspace: Workspace) -> None:
        self.pipeline = pipeline
        self.path = pipeline.wanted
        self.rows = {stage.key: workspace.rows(stage) for stage in self.path}
        self.table: ChunkTable = workspace.value(pipeline.chunks)
        self.passages: dict[str, list[Document]] = _PASSAGES.of(workspace, pipeline.ranking.key)
        self.texts: dict[str, str] = _TEXTS.of(workspace, pipeline.ranking.key)

    def outcome(self, question: str) -> QueryOutcome | Failed:
        pipeline, item = self.pipeline, question_id(question)
        for stage in self.path:
            row = self.rows[stage.key].get(item)
            if row is None or not row.ok:
                return Failed((row.error if row else None) or f"{stage.kind} did not run for this question")
        ranking = self._passages(item)
        sources = ranking[: pipeline.target.k]
        answer = self._row(pipeline.answer, item).value if pipeline.answer is not None else {}
        return QueryOutcome(
            answer=answer.get("answer", ""),
            sources=sources,
            latency_ms=1000 * sum(self._row(stage, item).seconds for stage in self.path),
            input_tokens=answer.get("input_tokens"),
            output_tokens=answer.get("output_tokens"),
            ranking=ranking,
            context_tokens=self._context_tokens(item),
            cost_usd=self._cost(answer),
            citations=answer.get("citations"),
        )

    def detail(self, question: str) -> str:
        item = question_id(question)
        held = {stage.key: self.rows[stage.key].get(item) for stage in self.path}
        before, after = held.get(self.pipeline.fused.key), held.get(self.pipeline.ranking.key)
        fragments = [f'"k":{self.pipeline.target.k}', f'"ranking":{self._ranked(after)}']
        if before is not after:
            fragments.append(f'"before_reranking":{self._ranked(before)}')
        seconds = [[stage.kind, round(row.seconds, 9)] for stage in self.path if (row := held[stage.key]) is not None]
        fragments.append(f'"seconds":{json.dumps(seconds)}')
        if any(row.amortised for row in held.values() if row is not None):
            fragments.append('"amortised":true')
        return "{" + ",".join(fragments) + "}"

    def _row(self, stage: RowStage, item: str) -> Row:
        return self.rows[stage.key][item]

    def _passages(self, item: str) -> list[Document]:
        row = self._row(self.pipeline.ranking, item)
        if row.digest not in self.passages:
            self.passages[row.digest] = passages_of(self.table, self.pipeline.corpus, row.value)
        return self.passages[row.digest]

    def _cost(self, answer: Json) -> float | None:
        """Dollars of the answer; None where another part asks a model too, whose calls are not in the rows."""
        target = self.pipeline.target
        others = (target.query_transform, target.reranker, target.embedder)
        calls = answer.get("calls")
        if not calls or not isinstance(target.generator, Priced) or any(map(asks_model, others)):
            return None
        return target.generator.cost_of(calls)

    def _context_tokens(self, item: str) -> int:
        value = self._row(self.pipeline.ranking, item).value
        return self.table.token_count(self.pipeline.corpus, value["chunks"][: self.pipeline.target.k])

    def _ranked(self, row: Row | None) -> str:
        """A ranking as JSON, [chunk id, score] best first; made once for all pipelines that share the row."""
        if row is None or not row.ok:
            return "null"
        if row.digest not in self.texts:
            passages = passages_of(self.table, self.pipeline.corpus, row.value)
            self.texts[row.digest] = json.dumps(
                [[passage.id, float(f"{passage.metadata['score']:.6g}")] for passage in passages]
            )
        return self.texts[row.digest]


def _row_path(last: RowStage) -> tuple[RowStage, ...]:
    """A stage and all row stages it builds on, each once, upstream first."""
    found: dict[str, RowStage] = {}

    def visit(stage: RowStage) -> None:
        for upstream in stage.upstream:
            visit(upstream)
        found.setdefault(stage.key, stage)

    visit(last)
    return tuple(found.values())


class _SharedByRanking:
    """What was made of the rows of the last few rankings, by digest of the row: a sweep over k makes it once."""

    def __init__(self, size: int = 8) -> None:
        self._size = size
        self._held: OrderedDict[tuple[int, str], tuple[Workspace, dict[str, Any]]] = OrderedDict()

    def of(self, workspace: Workspace, key: str) -> dict[str, Any]:
        """The things made so far for one ranking stage, filled by the reader."""
        held = self._held.pop((id(workspace), key), None) or (workspace, {})
        self._held[id(workspace), key] = held
        while len(self._held) > self._size:
            self._held.popitem(last=False)
        return held[1]


_PASSAGES = _SharedByRanking()
_TEXTS = _SharedByRanking()
