"""The given invariants of the library, one test each."""

import asyncio
import json
import warnings
from datetime import UTC, datetime

import pytest

from fastrag_bench import Benchmark, BenchmarkResult, ColumnMapping, Comparison, EvalSample, QADataset
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics.base import DistributionSummary, Document, Metric, QueryOutcome
from fastrag_bench.results import SampleResult, StatusCounts

pytestmark = pytest.mark.filterwarnings("ignore:no sample has relevant ids:UserWarning")


class Named(Metric):
    def __init__(self, name="named", score=1.0, **flags):
        self._name, self._score, self.calls = name, score, []
        for flag, value in flags.items():
            setattr(self, flag, value)

    @property
    def name(self):
        return self._name

    async def score(self, sample, outcome):
        self.calls.append((sample, outcome))
        return self._score(sample, outcome) if callable(self._score) else self._score


def dataset(n, ids=True):
    return QADataset([EvalSample(f"q{i}", [f"a{i}"], [f"d{i}"] if ids else []) for i in range(n)])


async def echo(question):
    return QueryOutcome(f"about {question}", [Document("text", {}, "d1")], 1.0)


def run(target, metrics, n=4, name="run", ids=True, **settings):
    return asyncio.run(Benchmark(dataset=dataset(n, ids), metrics=metrics, **settings).run(target, name=name))


def result_of(name="run", higher=True, **means):
    return BenchmarkResult(
        name=name,
        created_at=datetime(2024, 5, 1, tzinfo=UTC),
        status=StatusCounts(1, 0, 0),
        summary={metric: DistributionSummary.of([mean]) for metric, mean in means.items()},
        samples=[SampleResult("q", "successful", dict(means))],
        duration_s=1.0,
        higher_is_better=dict.fromkeys(means, higher),
    )


def test_i1_a_failed_call_is_errored_with_every_score_none_and_no_metric_called():
    async def fails_once(question):
        if question == "q2":
            raise RuntimeError("no index")
        return await echo(question)

    metrics = [Named("one"), Named("two")]
    result = run(fails_once, metrics)
    assert result.samples[2] == SampleResult(
        "q2",
        "errored",
        {"one": None, "two": None},
        latency_ms=result.samples[2].latency_ms,
        error="RuntimeError: no index",
    )
    assert [len(metric.calls) for metric in metrics] == [3, 3]
    assert result.status == StatusCounts(successful=3, errored=1, incomplete=0)
    assert result.summary["one"].count == 3 and result.summary["one"].missing == 1


def test_i2_successful_is_all_numbers_incomplete_at_least_one_none_and_the_counts_sum():
    async def fails_on_three(question):
        return await echo(question) if question != "q3" else 1 / 0

    metrics = [Named("one"), Named("odd", lambda sample, _: None if sample.question == "q1" else 0.0)]
    result = run(fails_on_three, metrics, n=5)
    assert [sample.status for sample in result.samples] == [
        "successful",
        "incomplete",
        "successful",
        "errored",
        "successful",
    ]
    assert result.status == StatusCounts(3, 1, 1)


@pytest.mark.parametrize("blocking", [False, True])
def test_i3_results_stand_in_dataset_order_with_at_most_max_concurrent_calls_in_flight(blocking):
    import threading
    import time

    lock, flight, most = threading.Lock(), [0], [0]

    def enter(step):
        with lock:
            flight[0] += step
            most[0] = max(most[0], flight[0])

    async def engine(question):
        enter(1)
        await asyncio.sleep(0.02 - int(question[1:]) * 0.001)
        enter(-1)
        return question

    def blocking_engine(question):
        enter(1)
        time.sleep(0.02 - int(question[1:]) * 0.001)
        enter(-1)
        return question

    result = run(blocking_engine if blocking else engine, [Named()], n=12, max_concurrent=3)
    assert [sample.answer for sample in result.samples] == [f"q{i}" for i in range(12)]
    assert most[0] == 3


def test_i4_duplicate_metric_names_are_refused_at_construction():
    with pytest.raises(ConfigurationError, match="two metrics are called 'same'"):
        Benchmark(dataset=dataset(1), metrics=[Named("same"), Named("same")])


def test_i5_at_least_one_metric_must_be_satisfiable():
    needy, free = Named("recall", needs_relevant_ids=True), Named("free")
    with pytest.raises(ConfigurationError, match="no sample has relevant ids, and every metric needs them: recall"):
        Benchmark(dataset=dataset(2, ids=False), metrics=[needy])
    with pytest.warns(UserWarning, match="there will be no score of: recall"):
        Benchmark(dataset=dataset(2, ids=False), metrics=[needy, free])
    mixed = QADataset([EvalSample("a"), EvalSample("b", relevant_ids=["d"])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Benchmark(dataset=mixed, metrics=[needy])


def test_i6_a_bare_retriever_is_refused_before_the_first_call_when_a_metric_needs_an_answer():
    class Retriever:
        calls = 0

        async def retrieve(self, question):
            self.calls += 1
            return [Document("text", {}, "d1")]

    retriever = Retriever()
    with pytest.raises(ConfigurationError, match="these metrics judge an answer: f1"):
        run(retriever, [Named("f1", needs_answer=True), Named("other")])
    assert retriever.calls == 0
    metric = Named()
    result = run(retriever, [metric], n=1)
    outcome = metric.calls[0][1]
    assert (outcome.answer, outcome.input_tokens, outcome.output_tokens) == ("", None, None)
    assert (result.samples[0].answer, result.samples[0].retrieved_ids) == (None, ["d1"])


def test_i7_of_drops_none_before_all_statistics_and_never_divides_by_zero():
    summary = DistributionSummary.of([None, 1.0, None, 3.0])
    assert (summary.count, summary.missing, summary.mean, summary.median) == (2, 2, 2.0, 2.0)
    assert (summary.std, summary.min, summary.max) == (1.0, 1.0, 3.0)
    assert DistributionSummary.of([]) == DistributionSummary(0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert DistributionSummary.of([None]) == DistributionSummary(0, 1, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_i8_a_summary_is_the_metrics_own_aggregate_of_the_scores_in_dataset_order():
    class Own(Named):
        def aggregate(self, scores):
            self.seen = list(scores)
            return DistributionSummary(1, 0, 42.0, 0.0, 0.0, 0.0, 0.0)

    metric = Own("own", lambda sample, _: float(sample.question[1:]))
    result = run(echo, [metric, Named("plain")])
    assert metric.seen == [0.0, 1.0, 2.0, 3.0]
    assert list(result.summary) == ["own", "plain"]
    assert result.summary["own"].mean == 42.0


def test_i9_best_knows_the_direction_after_the_metric_objects_are_gone(tmp_path):
    for name, score in (("slow", 30.0), ("fast", 10.0)):
        run(echo, [Named("latency_ms", score, higher_is_better=False)], name=name).save(tmp_path / f"{name}.json")
    comparison = Comparison.load(str(tmp_path / "*.json"))
    assert comparison.best("latency_ms").name == "fast"
    assert comparison.results[0].higher_is_better == {"latency_ms": False}


@pytest.mark.parametrize("metric", ["latency_ms", "total_tokens", "cost_usd"])
def test_i9_files_that_do_not_say_have_the_known_directions(metric):
    runs = [result_of("many", **{metric: 9.0}), result_of("few", **{metric: 1.0})]
    for each in runs:
        each.higher_is_better = {}
    assert Comparison(runs).best(metric).name == "few"


def test_i10_the_name_is_the_only_identity_in_the_file(tmp_path):
    run(echo, [Named()], name="chunker=recursive,k=5").save(tmp_path / "a.json")
    assert list(json.loads((tmp_path / "a.json").read_text())) == [
        "kind",
        "schema_version",
        "name",
        "created_at",
        "status",
        "summary",
        "samples",
        "duration_s",
        "higher_is_better",
    ]


def test_i11_save_then_load_gives_an_equal_object_with_an_iso_time(tmp_path):
    result = run(echo, [Named("one"), Named("none", None)])
    result.save(tmp_path / "a.json")
    assert BenchmarkResult.load(tmp_path / "a.json") == result
    written = json.loads((tmp_path / "a.json").read_text())["created_at"]
    assert datetime.fromisoformat(written) == result.created_at
    assert result.created_at.utcoffset().total_seconds() == 0


def test_i12_load_sorts_by_path_and_raises_on_no_match(tmp_path):
    for file, name, metric in (("b", "second", "beta"), ("a", "first", "alpha"), ("c", "third", "alpha")):
        result_of(name, **{metric: 1.0}).save(tmp_path / f"{file}.json")
    comparison = Comparison.load(str(tmp_path / "*.json"))
    assert [result.name for result in comparison.results] == ["first", "second", "third"]
    assert comparison.metrics() == ["alpha", "beta"]
    with pytest.raises(ConfigurationError, match="no result file matches"):
        Comparison.load(str(tmp_path / "*.yaml"))


def test_i13_a_table_has_a_row_for_each_run_and_a_column_for_each_metric(tmp_path):
    comparison = Comparison.of([result_of("a", recall=0.5, ndcg=0.25), result_of("b", recall=1.0)])
    table = "| run | recall | ndcg |\n| --- | ---: | ---: |\n| a | 0.5000 | 0.2500 |\n| b | 1.0000 | — |\n"
    assert comparison.to_markdown() == table
    assert comparison.to_markdown("p95").startswith("| run | recall p95 | ndcg p95 |")
    with pytest.raises(ConfigurationError, match="no statistic 'average'"):
        comparison.to_markdown("average")
    comparison.save(tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text() == table


def test_i14_aliases_and_mapping():
    with pytest.raises(ConfigurationError, match="'ground_truth' and 'reference' could each be expected_answers"):
        QADataset.from_records([{"question": "a", "ground_truth": "b", "reference": "c"}])
    explicit = ColumnMapping(expected_answers="reference")
    sample = QADataset.from_records(
        [{"query": "a", "ground_truth": "b", "reference": "c", "contexts": ["d"]}], explicit
    )
    assert sample[0] == EvalSample("a", ["c"], ["d"], {"ground_truth": "b"})


def test_i15_a_sample_without_relevant_ids_serves_the_other_metrics():
    recall = Named("recall", lambda sample, _: 1.0 if sample.relevant_ids else None, needs_relevant_ids=True)
    samples = QADataset([EvalSample("a", ["x"], ["d1"]), EvalSample("b", ["y"])])
    benchmark = Benchmark(dataset=samples, metrics=[recall, Named("f1", 0.5, needs_answer=True)])
    result = asyncio.run(benchmark.run(echo, name="run"))
    assert [sample.scores for sample in result.samples] == [{"recall": 1.0, "f1": 0.5}, {"recall": None, "f1": 0.5}]
    assert result.summary["f1"].count == 2


def test_i16_score_and_rank_stand_in_a_documents_metadata():
    class Foreign:
        def __init__(self, text, score):
            self.page_content, self.metadata = text, {"source": "file:a", "id": text}
            self.score = score

    class Retriever:
        def get_relevant_documents(self, question):
            return [Foreign("d1", 0.9), Foreign("d2", 0.4)]

    metric = Named("reads", lambda _, outcome: sum(d.metadata["score"] * d.metadata["rank"] for d in outcome.sources))
    result = run(Retriever(), [metric], n=1)
    assert result.samples[0].scores["reads"] == pytest.approx(0.9 + 0.8)
    assert result.samples[0].retrieved_ids == ["d1", "d2"]
    assert result.samples[0].retrieved_uris == ["file:a", "file:a"]
