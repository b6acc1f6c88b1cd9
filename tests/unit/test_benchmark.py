import asyncio
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import aclosing

import pytest

from fastrag_bench.benchmark import Benchmark, as_engine, as_retriever
from fastrag_bench.datasets import EvalSample, QADataset
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics.base import DistributionSummary, Document, Metric, QueryOutcome
from fastrag_bench.results import BenchmarkResult, StatusCounts


class Length(Metric):
    """Characters of the answer."""

    def __init__(self, name="length", judge=None):
        self._name, self.judge, self.calls = name, judge, 0

    @property
    def name(self):
        return self._name

    async def score(self, sample, outcome):
        self.calls += 1
        return float(len(outcome.answer)) if self.judge is None else self.judge(sample, outcome)


class BatchLength(Length):
    batches = 0

    def score_all(self, samples, outcomes):
        self.batches += 1
        return [float(len(outcome.answer)) for outcome in outcomes]


def dataset(n):
    return QADataset([EvalSample(f"q{i}", [f"a{i}"], [f"d{i}"]) for i in range(n)])


def bench(n=4, metrics=None, **settings):
    return Benchmark(dataset=dataset(n), metrics=metrics or [Length()], **settings)


def run(target, n=4, metrics=None, name="run", **settings):
    return asyncio.run(bench(n, metrics, **settings).run(target, name=name))


async def echo(question):
    return question


# Construction


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_concurrent": 0}, "max_concurrent is a whole number from 1"),
        ({"max_concurrent": True}, "max_concurrent"),
        ({"max_concurrent": 2.0}, "max_concurrent"),
        ({"timeout_s": 0}, "timeout_s is a number of seconds above 0"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"retries": -1}, "retries"),
        ({"retry_on": "TimeoutError"}, "retry_on is an exception class"),
        ({"warmup": -1}, "warmup"),
        ({"metrics": []}, "there is no metric"),
        ({"metrics": [Length]}, "pass an instance"),
        ({"metrics": ["recall"]}, "derive it from"),
        ({"metrics": [Length(" ")]}, "a metric needs a name"),
        ({"dataset": QADataset([])}, "the dataset has no question"),
        ({"dataset": [EvalSample("a")]}, "dataset is a QADataset, not list"),
    ],
)
def test_what_cannot_be_run_is_refused_at_construction(settings, message):
    with pytest.raises(ConfigurationError, match=message):
        Benchmark(**{"dataset": dataset(1), "metrics": [Length()], **settings})


def test_a_benchmark_shows_what_it_was_made_of():
    metrics, questions = [Length()], dataset(2)
    benchmark = Benchmark(dataset=questions, metrics=metrics)
    assert (benchmark.dataset, benchmark.metrics, benchmark.max_concurrent) == (questions, metrics, 4)


@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_run_needs_a_name(name):
    with pytest.raises(ConfigurationError, match="a run needs a name"):
        run(echo, name=name)


# Targets


class Engine:
    def __init__(self, **methods):
        vars(self).update(methods)


def sync_echo(question):
    return question


@pytest.mark.parametrize(
    "target",
    [
        echo,
        sync_echo,
        Engine(query=sync_echo),
        Engine(aquery=echo),
        Engine(ask=echo),
        Engine(query=sync_echo, retrieve=echo),
        as_engine(Engine(invoke=sync_echo)),
        as_engine(Engine(ainvoke=echo, invoke=None)),
        functools.partial(echo),
        lambda question: echo(question),
    ],
)
def test_engines_are_known_by_their_methods(target):
    assert [sample.answer for sample in run(target, 2).samples] == ["q0", "q1"]


class CallableEngine:
    async def __call__(self, question):
        return question


def test_an_object_that_is_called_is_an_engine():
    assert run(CallableEngine(), 1).samples[0].answer == "q0"


@pytest.mark.parametrize(
    "target",
    [
        Engine(retrieve=lambda question: ["one", "two"]),
        Engine(get_relevant_documents=lambda question: ["one", "two"]),
        as_retriever(lambda question: ["one", "two"]),
        as_retriever(Engine(invoke=lambda question: ["one", "two"], query=echo)),
    ],
)
def test_retrievers_are_known_by_their_methods_and_have_no_answer(target):
    texts = []
    metric = Length("texts", lambda _, outcome: texts.append([d.text for d in outcome.sources]))
    result = run(target, 1, [metric])
    assert texts == [["one", "two"]]
    assert result.samples[0].answer is None


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (object(), "cannot be benchmarked"),
        (3, "cannot be benchmarked"),
        (Engine(invoke=sync_echo), "only invoke, which could answer or retrieve"),
        (Engine, "pass an instance"),
    ],
)
def test_what_is_no_target_is_refused_before_any_question(target, message):
    with pytest.raises(ConfigurationError, match=message):
        run(target)


class Node:
    def __init__(self, text, node_id):
        self.text, self.node_id, self.metadata = text, node_id, {"file": "x"}

    def get_content(self):
        return self.text


class NodeWithScore:
    def __init__(self, node, score):
        self.node, self.score = node, score


class LangChainDocument:
    def __init__(self, page_content, metadata):
        self.page_content, self.metadata, self.id = page_content, metadata, None


class Response:
    def __init__(self, response, source_nodes):
        self.response, self.source_nodes = response, source_nodes


NODES = [NodeWithScore(Node("one", "n1"), 0.5)]


@pytest.mark.parametrize(
    ("returned", "answer", "sources"),
    [
        ("yes", "yes", []),
        (("yes", ["one"]), "yes", [Document("one", {"rank": 1})]),
        ({"answer": "yes"}, "yes", []),
        ({"result": "yes", "source_documents": ["one"]}, "yes", [Document("one", {"rank": 1})]),
        ({"answer": None, "contexts": None}, "", []),
        (Response("yes", NODES), "yes", [Document("one", {"file": "x", "score": 0.5, "rank": 1}, "n1")]),
        (Response(None, []), "", []),
        (
            {"answer": "yes", "context": [LangChainDocument("one", {"id": 7, "source": "file:a"})]},
            "yes",
            [Document("one", {"id": 7, "source": "file:a", "rank": 1}, "7", "file:a")],
        ),
        (
            {"answer": "yes", "documents": [(LangChainDocument("one", {}), 0.25), {"text": "two", "id": "d2"}]},
            "yes",
            [Document("one", {"score": 0.25, "rank": 1}), Document("two", {"rank": 2}, "d2")],
        ),
        (
            QueryOutcome("yes", [Document("one", {"doc_id": "d1", "uri": "u"})], 1.0),
            "yes",
            [Document("one", {"doc_id": "d1", "uri": "u"}, "d1", "u")],
        ),
    ],
)
def test_answers_and_sources_of_other_libraries(returned, answer, sources):
    seen = []
    run(lambda _: returned, 1, [Length("seen", lambda _, outcome: seen.append(outcome))])
    assert (seen[0].answer, seen[0].sources) == (answer, sources)


def test_tokens_are_read_where_they_stand_and_unknown_otherwise():
    seen = []
    metric = Length("seen", lambda _, outcome: seen.append((outcome.input_tokens, outcome.output_tokens)))
    run(lambda _: {"answer": "x", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}, 1, [metric])
    run(lambda _: {"answer": "x", "input_tokens": 3}, 1, [metric])
    assert seen == [(7, 2), (3, None)]


@pytest.mark.parametrize("returned", [None, 3, ["one"], {"text_of": "x"}, {"answer": 3}, ("yes", [object()])])
def test_an_answer_that_is_none_is_an_errored_question(returned):
    result = run(lambda _: returned, 1)
    assert result.status == StatusCounts(0, 1, 0)
    assert result.samples[0].error.startswith("TypeError: ")


def test_the_callers_documents_are_not_changed():
    document = LangChainDocument("one", {"id": "d"})
    run(lambda _: ("x", [document]), 1)
    assert document.metadata == {"id": "d"}


# Failures


def test_a_metric_that_raises_costs_its_own_score_only():
    metrics = [Length("bad", lambda *_: 1 / 0), Length()]
    result = run(echo, 2, metrics)
    assert result.status == StatusCounts(0, 0, 2)
    assert result.samples[0].scores == {"bad": None, "length": 2.0}
    assert result.samples[0].error == "metric bad: ZeroDivisionError: division by zero"


class Half:
    def __float__(self):
        return 0.5


@pytest.mark.parametrize(
    ("returned", "score", "note"),
    [
        (True, 1.0, None),
        (3, 3.0, None),
        (Half(), 0.5, None),
        (None, None, None),
        (float("nan"), None, "metric m: returned nan, not a finite number"),
        (float("-inf"), None, "metric m: returned -inf, not a finite number"),
        ("0.5", None, "metric m: returned str '0.5', not a number"),
        ([1.0], None, "metric m: returned list [1.0], not a number"),
        (10**400, None, "metric m: OverflowError: int too large to convert to float"),
    ],
)
def test_scores_are_finite_numbers_or_none(returned, score, note):
    sample = run(echo, 1, [Length("m", lambda *_: returned)]).samples[0]
    assert (sample.scores["m"], sample.error) == (score, note)


def test_a_score_method_that_is_not_async_is_taken_too():
    class Plain(Length):
        def score(self, sample, outcome):
            return 2.0

    assert run(echo, 1, [Plain()]).samples[0].scores == {"length": 2.0}


@pytest.mark.parametrize("aggregated", [None, DistributionSummary(1, 0, float("nan"), 0, 0, 0, 0), "raise"])
def test_an_aggregate_that_fails_gives_way_to_the_usual_one(aggregated):
    class Own(Length):
        def aggregate(self, scores):
            return 1 / 0 if aggregated == "raise" else aggregated

    with pytest.warns(UserWarning, match="metric length: aggregate"):
        assert run(echo, 2, [Own()]).summary["length"].mean == 2.0


@pytest.mark.parametrize("blocking", [False, True])
def test_a_question_that_takes_too_long_is_errored(blocking):
    async def slow(question):
        if question == "q1":
            await asyncio.sleep(5)
        return question

    def slow_thread(question):
        if question == "q1":
            time.sleep(3)
        return question

    started = time.perf_counter()
    result = run(slow_thread if blocking else slow, 3, timeout_s=0.1)
    assert time.perf_counter() - started < 2
    assert [sample.status for sample in result.samples] == ["successful", "errored", "successful"]
    assert result.samples[1].error == "TimeoutError: no outcome within 0.1 s"
    assert result.samples[1].latency_ms >= 100


def test_a_timeout_of_the_targets_own_is_its_error():
    async def gives_up(question):
        raise TimeoutError("mine")

    assert run(gives_up, 1, timeout_s=5).samples[0].error == "TimeoutError: mine"


def test_failed_questions_are_asked_again_when_asked_for():
    calls = []

    async def second_time(question):
        calls.append(question)
        if len(calls) == 1:
            raise ConnectionError("busy")
        return question

    assert run(second_time, 1, retries=2).samples[0].answer == "q0"
    assert calls == ["q0", "q0"]
    calls.clear()
    assert run(second_time, 1, retries=2, retry_on=KeyError).status.errored == 1
    assert calls == ["q0"]


def test_stop_iteration_in_a_blocking_target_is_an_error_like_any_other():
    assert run(lambda _: next(iter([])), 1).samples[0].error == "StopIteration"


def test_interrupts_of_a_target_are_never_caught():
    def stops(question):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run(stops)


def test_error_texts_are_short_and_hold_no_secret():
    def fails(_):
        raise ValueError("key sk-abcdefgh12345678 " + "x" * 5000)

    error = run(fails, 1).samples[0].error
    assert error.startswith("ValueError: key *** xxx")
    assert len(error) == 2000


def test_warm_up_calls_are_not_counted():
    calls = []

    async def engine(question):
        calls.append(question)
        return question

    assert len(run(engine, 2, warmup=3).samples) == 2
    assert calls == ["q0", "q1", "q0", "q0", "q1"]


def test_latency_is_the_call_alone_without_waiting_and_without_metrics():
    def slow_judge(*_):
        time.sleep(0.25)
        return 1.0

    async def engine(question):
        await asyncio.sleep(0.01)
        return question

    result = run(engine, 2, [Length("m", slow_judge)], max_concurrent=1)
    assert all(9 < sample.latency_ms < 200 for sample in result.samples)


def test_a_latency_that_an_outcome_states_is_kept():
    assert run(lambda _: QueryOutcome("x", [], 1234.5), 1).samples[0].latency_ms == 1234.5


def test_a_run_works_on_copies_of_the_samples():
    def spoils(sample, _):
        sample.relevant_ids.clear()
        sample.metadata["x"] = 1
        return 1.0

    benchmark = bench(2, [Length("m", spoils)])
    asyncio.run(benchmark.run(echo, name="run"))
    assert benchmark.dataset == dataset(2)


def test_blocking_targets_run_in_threads_with_the_callers_context():
    import contextvars

    tenant = contextvars.ContextVar("tenant", default="none")
    names = set()

    def engine(question):
        names.add(threading.current_thread() is threading.main_thread())
        return tenant.get()

    async def notebook():
        tenant.set("ada")
        return await bench(2).run(engine, name="run")

    assert {sample.answer for sample in asyncio.run(notebook()).samples} == {"ada"}
    assert names == {False}


# Streaming


def test_a_stream_yields_questions_as_they_finish():
    async def engine(question):
        await asyncio.sleep({"q0": 0.03, "q1": 0.0, "q2": 0.015}[question])
        return question

    async def collect():
        return [index async for index, _ in bench(3).stream(engine, name="run")]

    assert asyncio.run(collect()) == [1, 2, 0]


def test_leaving_a_stream_cancels_what_is_running():
    cancelled = []

    async def engine(question):
        try:
            await asyncio.sleep(0 if question == "q0" else 5)
        except asyncio.CancelledError:
            cancelled.append(question)
            raise
        return question

    async def first():
        async with aclosing(bench(9, max_concurrent=3).stream(engine, name="run")) as items:
            async for index, _ in items:
                return index

    assert asyncio.run(first()) == 0
    assert set(cancelled) <= {"q1", "q2", "q3"} and len(cancelled) >= 2


def test_on_sample_is_told_of_each_question_and_may_stop_the_run():
    seen = []
    asyncio.run(bench(3).run(echo, name="run", on_sample=lambda index, result: seen.append((index, result.answer))))
    assert sorted(seen) == [(0, "q0"), (1, "q1"), (2, "q2")]

    def stop(index, result):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        asyncio.run(bench(3).run(echo, name="run", on_sample=stop))


# Stored outcomes


class Stored:
    def __init__(self, outcomes):
        self.stored = outcomes

    def outcomes(self, samples):
        return self.stored


def stored_outcomes(n):
    return [
        ValueError(f"lost {i}")
        if i % 5 == 4
        else QueryOutcome("x" * i, [Document("t", {"rank": 1}, f"d{i}", "u")], 1.5 + i, 1, 2)
        for i in range(n)
    ]


def some_metrics():
    return [
        BatchLength("batch"),
        Length("single"),
        Length("none", lambda sample, _: None if sample.question == "q1" else 1.0),
        Length("bad", lambda sample, _: 1 / 0 if sample.question == "q2" else 1),
    ]


def timeless(result):
    return (
        result.name,
        result.status,
        result.summary,
        [(vars(sample) | {"latency_ms": sample.status == "errored" or sample.latency_ms}) for sample in result.samples],
        result.higher_is_better,
    )


def test_stored_outcomes_are_scored_as_if_they_were_asked_for():
    outcomes = stored_outcomes(12)

    async def slow_path(question):
        outcome = outcomes[int(question[1:])]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    slow = run(slow_path, 12, some_metrics())
    fast = bench(12, some_metrics()).run_stored(Stored(outcomes), name="run")
    assert timeless(fast) == timeless(slow)
    assert timeless(run(Stored(outcomes), 12, some_metrics())) == timeless(slow)
    assert fast.status == StatusCounts(8, 2, 2)


def test_batch_metrics_judge_all_outcomes_at_once_and_errored_ones_never():
    metric = BatchLength()
    result = bench(12, [metric]).run_stored(Stored(stored_outcomes(12)), name="run")
    assert (metric.batches, metric.calls) == (1, 0)
    assert result.summary["length"].count == 10


@pytest.mark.parametrize("failing", ["raise", "short"])
def test_a_batch_that_fails_is_judged_one_by_one(failing):
    class Fails(BatchLength):
        def score_all(self, samples, outcomes):
            return 1 / 0 if failing == "raise" else [1.0]

    metric = Fails()
    result = bench(3, [metric]).run_stored(Stored(stored_outcomes(3)), name="run")
    assert metric.calls == 3
    assert [sample.scores["length"] for sample in result.samples] == [0.0, 1.0, 2.0]


def test_stored_outcomes_are_scored_inside_a_running_loop_too():
    async def notebook():
        return bench(3, some_metrics()).run_stored(Stored(stored_outcomes(3)), name="run")

    assert asyncio.run(notebook()).status.errored == 0


def test_stored_retrievals_have_no_answer_and_serve_no_metric_that_needs_one():
    class OnlyRetrieved(Stored):
        gives_answers = False

    class NeedsAnswer(BatchLength):
        needs_answer = True

    target = OnlyRetrieved(stored_outcomes(3))
    assert [sample.answer for sample in bench(3).run_stored(target, name="run").samples] == [None, None, None]
    with pytest.raises(ConfigurationError, match="these metrics judge an answer"):
        bench(3, [NeedsAnswer()]).run_stored(target, name="run")


def test_stored_outcomes_are_as_many_as_the_questions_and_need_no_journal(tmp_path):
    with pytest.raises(ConfigurationError, match="2 outcomes for 3 questions"):
        bench(3).run_stored(Stored(stored_outcomes(2)), name="run")
    with pytest.raises(ConfigurationError, match="leave journal= out"):
        asyncio.run(bench(3).run(Stored(stored_outcomes(3)), name="run", journal=tmp_path / "j"))


def test_stored_outcomes_stream_in_order():
    async def collect():
        return [item async for item in bench(3).stream(Stored(stored_outcomes(3)), name="run")]

    assert [(index, result.question) for index, result in asyncio.run(collect())] == [(0, "q0"), (1, "q1"), (2, "q2")]


def test_scoring_what_is_stored_costs_little():
    outcomes = [QueryOutcome("x", [Document("t", {}, "d")], 1.0)] * 300
    benchmark = bench(300, [BatchLength(f"m{i}") for i in range(10)])
    seconds = min(_seconds(lambda: benchmark.run_stored(Stored(outcomes), name="run")) for _ in range(5))
    assert seconds < 0.05  # 4 ms on an idle core; the bound is for a busy one


def _seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# The journal


def test_a_journal_holds_each_finished_question(tmp_path):
    path = tmp_path / "deep" / "journal.jsonl"
    result = asyncio.run(bench(3).run(echo, name="run", journal=path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert {key: rows[0][key] for key in ("kind", "name", "metrics")} == {
        "kind": "fastrag_bench.journal",
        "name": "run",
        "metrics": ["length"],
    }
    assert {row["index"]: row["result"] for row in rows[1:]} == {
        index: vars(sample) for index, sample in enumerate(result.samples)
    }


def test_an_old_journal_is_neither_overwritten_nor_silently_continued(tmp_path):
    path = tmp_path / "journal.jsonl"
    asyncio.run(bench(3).run(echo, name="run", journal=path))
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="resume=True goes on with it"):
        asyncio.run(bench(3).run(echo, name="run", journal=path))
    assert path.read_bytes() == before
    with pytest.raises(ConfigurationError, match="resume=True goes on with a journal"):
        asyncio.run(bench(3).run(echo, name="run", resume=True))


def test_resume_asks_what_is_missing_and_what_errored(tmp_path):
    path, calls, broken = tmp_path / "journal.jsonl", [], {"q1"}

    async def engine(question):
        calls.append(question)
        if question in broken:
            raise RuntimeError("down")
        return question

    first = asyncio.run(bench(4).run(engine, name="run", journal=path))
    assert first.status == StatusCounts(3, 1, 0)
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"index": 3' not in line]
    path.write_bytes(b"".join(kept) + b'{"index": 3, "resu')  # as a killed process leaves it
    calls.clear()
    broken.clear()
    second = asyncio.run(bench(4).run(engine, name="run", journal=path, resume=True))
    assert calls == ["q1", "q3"]
    assert second.status == StatusCounts(4, 0, 0)
    assert second.created_at == first.created_at
    assert [sample.answer for sample in second.samples] == ["q0", "q1", "q2", "q3"]
    third = asyncio.run(bench(4).run(engine, name="run", journal=path, resume=True))
    assert calls == ["q1", "q3"]
    assert third.samples == second.samples


def test_a_journal_of_another_run_is_refused(tmp_path):
    path = tmp_path / "journal.jsonl"
    asyncio.run(bench(3).run(echo, name="run", journal=path))
    for benchmark, name, what in (
        (bench(3), "other", "name"),
        (bench(4), "run", "dataset"),
        (bench(3, [Length("m")]), "run", "metrics"),
    ):
        with pytest.raises(ConfigurationError, match=f"its {what} differs"):
            asyncio.run(benchmark.run(echo, name=name, journal=path, resume=True))


@pytest.mark.parametrize("content", ["not json\n", "[1]\n", '{"kind": "x"}\n'])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path, content):
    path = tmp_path / "journal.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigurationError):
        asyncio.run(bench(3).run(echo, name="run", journal=path, resume=True))
    assert path.read_text() == content


SCRIPT = """
import asyncio, sys, time
sys.path.insert(0, {here!r})
from fastrag_bench import Benchmark, EvalSample, QADataset
from fastrag_bench.metrics.base import Metric

class Length(Metric):
    name = "length"
    async def score(self, sample, outcome):
        return float(len(outcome.answer))

{kind} engine(question):
    i = int(question[1:])
    if i >= 5 and sys.argv[1] == "interrupted":
        {wait}
    return "x" * i

dataset = QADataset([EvalSample(f"q{{i}}", ["a"], ["d"]) for i in range(12)])
benchmark = Benchmark(dataset=dataset, metrics=[Length()], max_concurrent=2)
done = []
def tell(index, result):
    done.append(index)
    if len(done) == 5:
        print("five", flush=True)
result = asyncio.run(benchmark.run(engine, name="run", journal=sys.argv[2], resume=True, on_sample=tell))
result.save(sys.argv[3])
"""


@pytest.mark.parametrize("blocking", [False, True])
def test_ctrl_c_keeps_the_finished_questions_and_the_same_command_goes_on(tmp_path, blocking):
    script = tmp_path / "script.py"
    kind, wait = ("def", "time.sleep(60)") if blocking else ("async def", "await asyncio.sleep(60)")
    script.write_text(SCRIPT.format(here=str(tmp_path), kind=kind, wait=wait))

    def start(mode, journal, result):
        command = [sys.executable, str(script), mode, str(tmp_path / journal), str(tmp_path / result)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)

    interrupted = start("interrupted", "journal", "result.json")
    assert interrupted.stdout.readline() == "five\n"
    interrupted.send_signal(signal.SIGINT)
    _, errors = interrupted.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors
    assert interrupted.returncode != 0
    assert not (tmp_path / "result.json").exists()
    rows = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()[1:]]
    assert sorted(row["index"] for row in rows) == [0, 1, 2, 3, 4]

    for mode, journal, result in (("on", "journal", "result.json"), ("on", "fresh", "whole.json")):
        process = start(mode, journal, result)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 0, errors
    assert without_times(tmp_path / "result.json") == without_times(tmp_path / "whole.json")


def without_times(path):
    result = BenchmarkResult.load(path)
    samples = [vars(sample) | {"latency_ms": None} for sample in result.samples]
    return (result.name, result.status, result.summary, samples, result.higher_is_better)
