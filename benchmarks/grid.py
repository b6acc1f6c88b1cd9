"""How much does a plan save over a loop? 2 chunkers x 2 embedders x 3 retrievers x 5 k x 2 rerankers = 120.

    python benchmarks/grid.py [--remember] [DOCUMENTS [QUESTIONS]]

`loop` computes every combination from scratch with the same parts, in memory, without any store; with --remember its
reranker keeps the vectors of texts within a combination. `plan` is the product:
one plan, a new store on disk, and all files of every run. Both must give the same scores for all 120. The clock is CPU
seconds of this process; contestants run in turn. The stage mix follows a common grid: two chunk sizes, two embedders, a
late-interaction reranker that scores pairs.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fastrag_bench.benchmark import Benchmark
from fastrag_bench.chunkers.fixed import FixedChunker
from fastrag_bench.component import Component
from fastrag_bench.config import RunConfig
from fastrag_bench.contexts.none import NoContext
from fastrag_bench.contracts import Absent, BenchmarkData, Ranking
from fastrag_bench.datasets import QADataset
from fastrag_bench.datasets.sources.default import DefaultDataset
from fastrag_bench.embedders.static import StaticEmbedder
from fastrag_bench.generators.none import NoGenerator
from fastrag_bench.indexes.bm25 import Bm25Index
from fastrag_bench.indexes.exact import ExactIndex
from fastrag_bench.query_transforms.none import NoQueryTransform
from fastrag_bench.rerankers.none import NoReranker
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.retrievers.bm25 import Bm25Retriever
from fastrag_bench.retrievers.dense import DenseRetriever
from fastrag_bench.retrievers.hybrid import HybridRetriever
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.sweep.run import run_sweep
from fastrag_bench.sweep.runs import make_metrics
from fastrag_bench.targets.chunk_table import ChunkTable
from fastrag_bench.targets.rag import RagTarget
from fastrag_bench.types import Corpus, Document, EvalSample, QueryOutcome

KS = (1, 3, 5, 10, 20)
CANDIDATES = 20
METRICS = ("recall", "precision", "ndcg", "mrr", "hit", "map", "recall@2000chars")
CALLS = {"pairs": 0}
REMEMBERS = "--remember" in sys.argv


@lru_cache(maxsize=100_000)
def word_vectors(text: str) -> Any:
    """[words, dimensions] of a text; a model keeps the vectors of texts that it has seen."""
    return StaticEmbedder().embed_documents(text.lower().split())


class MaxSim(Component):
    """Late interaction over word vectors: the mean over the question's words of the best match in the text."""

    def score_pairs(self, query: str, texts: Sequence[str]) -> list[float]:
        CALLS["pairs"] += len(texts)
        asked = word_vectors(query)
        return [float((asked @ word_vectors(text).T).max(axis=1).mean()) for text in texts]


class Hashing(Component):
    """Signed feature hashing of words into 256 dimensions, unit length: a second, cheap embedder."""

    def embed_documents(self, texts: Sequence[str]) -> Any:
        import zlib

        vectors = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                code = zlib.crc32(word.encode("utf-8"))
                vectors[row, code % 256] += 1.0 if code & 256 else -1.0
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])[0]


CHUNKERS = {"c800": FixedChunker(size=800, overlap=0), "c300": FixedChunker(size=300, overlap=0)}
EMBEDDERS: dict[str, Component] = {"static": StaticEmbedder(), "hashing": Hashing()}
RETRIEVERS: dict[str, Component] = {"bm25": Bm25Retriever(), "dense": DenseRetriever(), "hybrid": HybridRetriever()}
RERANKERS: dict[str, Component] = {"none": NoReranker(), "maxsim": MaxSim()}
GRID = list(itertools.product(CHUNKERS, EMBEDDERS, RETRIEVERS, KS, RERANKERS))


def make_data(documents: int, questions: int) -> BenchmarkData:
    """Documents put together from paragraphs of the default dataset; a question is a sentence of one of them."""
    draw = random.Random(0)
    corpus = DefaultDataset().load().corpus
    assert corpus is not None
    paragraphs = [part for document in corpus for part in document.text.split("\n\n") if len(part) > 120]
    made = [Document("\n\n".join(draw.sample(paragraphs, 6)), id=f"d{number:05d}") for number in range(documents)]
    samples = []
    for number in range(questions):
        document = made[number % documents]
        start = draw.randrange(0, max(len(document.text) - 200, 1))
        words = document.text[start : start + 160].split()[1:-1]
        span = f"{document.id}#char={start},{start + 160}"
        samples.append(EvalSample(" ".join(draw.sample(words, min(8, len(words)))), [], [span], {"number": number}))
    return BenchmarkData("grid", QADataset(samples), Corpus(made))


class GridDataset(Component):
    """Hands over what `make_data` made."""

    def load(self) -> BenchmarkData:
        return DATA[0]


DATA: list[BenchmarkData] = []


def target(chunker: str, embedder: str, retriever: str, k: int, reranker: str) -> RagTarget:
    return RagTarget(
        chunker=CHUNKERS[chunker],
        embedder=EMBEDDERS[embedder],
        lexical_index=Bm25Index(),
        dense_index=ExactIndex(),
        retriever=RETRIEVERS[retriever],
        query_transform=NoQueryTransform(),
        reranker=RERANKERS[reranker],
        context=NoContext(),
        generator=NoGenerator(),
        k=k,
        candidates=CANDIDATES,
    )


def run_plan(folder: Path) -> dict[tuple[Any, ...], Any]:
    """The product: one plan over all combinations; returns the scores read back from the result files."""
    dataset, combinations = GridDataset(), []
    for index, point in enumerate(GRID):
        chosen = target(*point)
        config = RunConfig.model_construct(
            dataset=dataset,
            target=chosen,
            metrics=RunConfig.model_fields["metrics"].annotation(names=METRICS, primary="recall@2000chars"),
            k=chosen.k,
            candidates=CANDIDATES,
            store=str(folder / "store"),
        )
        name = "chunker={},embedder={},retriever={},k={},reranker={}".format(*point)
        combinations.append(Combination(index, name, name, (), config, {"point": list(point)}))
    run_sweep(combinations, folder=folder / "sweep")
    read = [BenchmarkResult.load(folder / "sweep" / each.folder / "result.json") for each in combinations]
    return {point: scores(result) for point, result in zip(GRID, read, strict=True)}


def run_loop(folder: Path) -> dict[tuple[Any, ...], Any]:
    """Every combination from scratch."""
    return {point: loop_point(target(*point), folder / f"loop-{number}") for number, point in enumerate(GRID)}


def loop_point(chosen: RagTarget, folder: Path) -> Any:
    data = DATA[0]
    assert data.corpus is not None
    table = ChunkTable.of(data.corpus, [chosen.chunker.chunk(document) for document in data.corpus])
    texts = table.indexed_texts(data.corpus)
    vectors = chosen.embedder.embed_documents(texts)
    folder.mkdir(parents=True)
    chosen.lexical_index.build(texts, folder)
    lexical = chosen.lexical_index.open(folder)
    dense = chosen.dense_index.open_vectors(vectors, folder)
    searchers: dict[str, Callable[[str], Ranking]] = {
        "lexical": lambda query: lexical.search(query, CANDIDATES),
        "dense": lambda query: dense.search(chosen.embedder.embed_query(query), CANDIDATES),
    }
    outcomes = []
    word_vectors.cache_clear()
    for sample in data.questions.samples:
        if not REMEMBERS:
            word_vectors.cache_clear()
        rankings = [searchers[name](sample.question) for name in chosen.retriever.searches]
        ranking = rankings[0] if len(rankings) == 1 else chosen.retriever.combine(rankings, CANDIDATES)
        chunks, values = ranking.chunks, ranking.scores
        if not isinstance(chosen.reranker, Absent):
            found = chosen.reranker.score_pairs(sample.question, table.texts(data.corpus, chunks))
            order = np.argsort(-np.array(found), kind="stable")
            chunks, values = chunks[order], np.array(found)[order]
        ranked = table.passages(data.corpus, chunks.tolist(), values.tolist())
        outcomes.append(QueryOutcome("", ranked[: chosen.k], 0.0, ranking=ranked))
    benchmark = Benchmark(dataset=data.questions, metrics=list(make_metrics(METRICS, "chunk")))
    return scores(benchmark.run_stored(_Outcomes(outcomes), name="loop"))


class _Outcomes:
    def __init__(self, found: list[QueryOutcome]) -> None:
        self._found = found

    def outcomes(self, samples: Sequence[EvalSample]) -> list[QueryOutcome]:
        return self._found


def scores(result: BenchmarkResult) -> list[tuple[float | None, ...]]:
    return [tuple(sample.scores[name] for name in METRICS) for sample in result.samples]


def main() -> None:
    numbers = [word for word in sys.argv[1:] if word != "--remember"]
    documents, questions = (int(word) for word in [*numbers, *("600", "300")[len(numbers) :]])
    DATA.append(make_data(documents, questions))
    StaticEmbedder().embed_query("warm up")
    spent, found, pairs = {}, {}, {}
    for name, run in (("plan", run_plan), ("loop", run_loop)):
        with tempfile.TemporaryDirectory() as folder:
            CALLS["pairs"] = 0
            word_vectors.cache_clear()
            began = time.process_time()
            found[name] = run(Path(folder))
            spent[name], pairs[name] = time.process_time() - began, CALLS["pairs"]
        print(f"{name}: {spent[name]:.1f} CPU s, {pairs[name]} pairs scored", flush=True)
    differ = sum(found["plan"][point] != found["loop"][point] for point in GRID)
    print(f"combinations that differ: {differ} of {len(GRID)}")
    print(f"loop / plan: {spent['loop'] / spent['plan']:.1f} times less CPU")


if __name__ == "__main__":
    main()
