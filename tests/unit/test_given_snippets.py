"""What the documentation of the library shows, run as it stands."""

import asyncio
import json

import pytest


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qa.json").write_text(
        json.dumps(
            {
                "samples": [
                    {"question": "Who wrote Emma?", "expected_answers": ["Jane Austen"], "relevant_ids": ["doc-1"]},
                    {"question": "Who wrote Dracula?", "expected_answers": ["Bram Stoker"], "relevant_ids": ["doc-2"]},
                ]
            }
        )
    )
    (tmp_path / "qa.csv").write_text("user_query,ground_truth\nWho wrote Emma?,Jane Austen\n")
    return tmp_path


def test_loading_a_dataset(files):
    from fastrag_bench import ColumnMapping, EvalSample, QADataset

    dataset = QADataset.load("qa.json")
    assert len(dataset.samples) == 2

    foreign = QADataset.load("qa.csv", columns=ColumnMapping(question="user_query"))
    assert foreign.samples == [EvalSample(question="Who wrote Emma?", expected_answers=["Jane Austen"])]

    records = [{"question": "Who wrote Emma?", "ground_truth": "Jane Austen", "contexts": ["doc-1"]}]
    QADataset.from_records(records).save("copy.json")
    assert QADataset.load("copy.json").samples[0].relevant_ids == ["doc-1"]


def test_a_metric_of_ones_own(files):
    from fastrag_bench import Benchmark, QADataset
    from fastrag_bench.metrics.base import EvalSample, Metric, QueryOutcome

    class AnswerLength(Metric):
        needs_answer = True
        higher_is_better = False

        @property
        def name(self) -> str:
            return "answer_length"

        async def score(self, sample: EvalSample, outcome: QueryOutcome) -> float | None:
            return float(len(outcome.answer)) if outcome.answer else None

    async def engine(question: str) -> QueryOutcome:
        return QueryOutcome(answer="Jane Austen", sources=[], latency_ms=0.0)

    benchmark = Benchmark(dataset=QADataset.load("qa.json"), metrics=[AnswerLength()])
    result = asyncio.run(benchmark.run(engine, name="baseline"))
    assert result.summary["answer_length"].mean == 11.0
    assert result.higher_is_better == {"answer_length": False}


def test_an_async_engine_and_a_bare_retriever(files):
    from fastrag_bench import Benchmark, QADataset
    from fastrag_bench.metrics.base import Document, Metric, QueryOutcome

    class Recall(Metric):
        needs_relevant_ids = True
        name = "recall"

        async def score(self, sample, outcome):
            found = {document.id for document in outcome.sources}
            return len(found & set(sample.relevant_ids)) / len(sample.relevant_ids)

    class Engine:
        async def query(self, question):
            return QueryOutcome("Jane Austen", [Document("Emma ...", {"id": "doc-1", "rank": 1, "score": 0.9})], 12.0)

    class Retriever:
        async def retrieve(self, question):
            return [Document("Emma ...", {"id": "doc-1"}), Document("Dracula ...", {"id": "doc-2"})]

    async def notebook():
        benchmark = Benchmark(dataset=QADataset.load("qa.json"), metrics=[Recall()], max_concurrent=4)
        return await benchmark.run(Engine(), name="engine"), await benchmark.run(Retriever(), name="retriever")

    engine, retriever = asyncio.run(notebook())
    assert (engine.summary["recall"].mean, retriever.summary["recall"].mean) == (0.5, 1.0)
    assert engine.status.successful == 2
    assert engine.samples[0].retrieved_ids == ["doc-1"]


def test_comparing_saving_and_loading(files):
    from fastrag_bench import Benchmark, BenchmarkResult, Comparison, QADataset
    from fastrag_bench.metrics.base import Metric

    class Words(Metric):
        name = "words"

        async def score(self, sample, outcome):
            return float(len(outcome.answer.split()))

    benchmark = Benchmark(dataset=QADataset.load("qa.json"), metrics=[Words()])
    short = asyncio.run(benchmark.run(lambda question: "one", name="short"))
    long = asyncio.run(benchmark.run(lambda question: "one two", name="long"))
    short.save("results/short.json")
    long.save("results/long.json")
    assert BenchmarkResult.load("results/short.json") == short

    comparison = Comparison.load("results/*.json")
    assert comparison.metrics() == ["words"]
    assert comparison.best("words").name == "long"
    assert comparison.to_markdown() == ("| run | words |\n| --- | ---: |\n| long | 2.0000 |\n| short | 1.0000 |\n")
    assert comparison.to_markdown(stat="p95").startswith("| run | words p95 |")
    comparison.save("results/table.md")
    assert Comparison.of([short, long]).best("words") is long


def test_watching_a_run(files):
    from fastrag_bench import Benchmark, QADataset
    from fastrag_bench.metrics.base import Metric

    class Words(Metric):
        name = "words"

        async def score(self, sample, outcome):
            return float(len(outcome.answer.split()))

    async def watch():
        benchmark = Benchmark(dataset=QADataset.load("qa.json"), metrics=[Words()])
        return [result.status async for index, result in benchmark.stream(lambda question: "one", name="watched")]

    assert asyncio.run(watch()) == ["successful", "successful"]
