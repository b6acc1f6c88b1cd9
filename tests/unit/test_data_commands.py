"""`fastrag-bench data`: check, convert, evaluate and export, each as a person would run it."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.data_commands import data
from fastrag_bench.datasets import QADataset
from fastrag_bench.datasets.opening import open_source
from fastrag_bench.datasets.trec_files import read_qrels, read_run
from fastrag_bench.datasets.trec_runs import results_of_runs
from fastrag_bench.datasets.writing import write_data
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.types import Corpus, Document, EvalSample

CORPUS = Corpus(
    [
        Document("Tides Rise & fall <twice> a day.", {"title": "Tides"}, id="d1"),
        Document('Zwei Zeilen\nnichts, als "Text".', id="007"),
        Document("Moon", id="true"),
    ]
)


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def load(path: Path, dialect: str | None = None, **settings: str) -> BenchmarkData:
    loaded: BenchmarkData = open_source(path, dialect, settings).load()  # type: ignore[attr-defined]
    return loaded


def texts(data: BenchmarkData) -> dict[str, str]:
    assert data.corpus is not None
    return {str(document.id): document.text for document in data.corpus}


# Round trips

SAMPLES = [
    EvalSample("How often, then?", ["twice"], ["d1"], {"id": "q1", "relevance_grades": {"d1": 2, "true": 1, "007": 0}}),
    EvalSample("Was?", ["nichts"], ["007", "true"], {"id": "q2"}),
]
SAMPLES[0].relevant_ids = ["d1", "true"]


@pytest.mark.parametrize("layout", ["native", "csv", "beir", "trec", "ragas", "autorag"])
def test_what_is_written_is_read_again(tmp_path: Path, layout: str) -> None:
    if layout == "autorag":
        pytest.importorskip("pyarrow")
    graded = layout != "autorag"
    samples = (
        SAMPLES
        if graded
        else [EvalSample(s.question, s.expected_answers, s.relevant_ids, {"id": s.metadata["id"]}) for s in SAMPLES]
    )
    written = write_data(BenchmarkData("x", QADataset(samples), CORPUS), tmp_path / "out", layout)
    folder = tmp_path / "out"
    again = {
        "ragas": lambda: load(folder / "ragas.jsonl", documents=str(folder / "documents.jsonl")),
        "native": lambda: load(folder, "files"),
        "csv": lambda: load(folder, "files"),
    }.get(layout, lambda: load(folder, layout))()
    assert texts(again) == {str(document.id): document.text for document in CORPUS}
    found = [(s.question, s.expected_answers, s.relevant_ids) for s in again.questions]
    expected = [(s.question, [] if layout == "trec" else s.expected_answers, s.relevant_ids) for s in samples]
    assert found == expected
    if layout in ("native", "csv"):
        assert again.questions.samples == SAMPLES
    if layout in ("beir", "trec"):
        assert again.questions[0].metadata["relevance_grades"] == {"d1": 2, "true": 1, "007": 0}
    assert written.notes == (
        ("the expected answers of 2 questions have no place in TREC's files",) if layout == "trec" else ()
    )
    assert f"dataset={ {'native': 'files', 'csv': 'files'}.get(layout, layout) } " in written.settings


def test_groups_go_through_autorag(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    sample = EvalSample(
        "Either?", ["x"], ["d1", "007", "true"], {"id": "1", "relevance_groups": [["d1", "007"], ["true"]]}
    )
    write_data(BenchmarkData("x", QADataset([sample]), CORPUS), tmp_path / "out", "autorag")
    assert load(tmp_path / "out").questions.samples == [sample]


def test_what_a_layout_cannot_hold_is_said(tmp_path: Path) -> None:
    spans = QADataset(
        [EvalSample("a", ["x", "y"], ["d1#char=0,5", "d1#char=6,10"], {"relevance_groups": [["d1#char=0,5"]]})]
    )
    written = write_data(BenchmarkData("x", spans, CORPUS), tmp_path / "beir", "beir")
    assert written.notes == (
        "1 questions have groups of alternatives, which became needed one by one",
        "2 gold spans became their documents",
    )
    assert write_data(BenchmarkData("x", spans, CORPUS), tmp_path / "r", "ragas").notes == (
        "1 questions have several answers; ragas has one reference, the first",
    )
    (row,) = map(json.loads, (tmp_path / "r" / "ragas.jsonl").read_text().splitlines())
    assert row["reference_contexts"] == ["Tides", "Rise"]
    blanks = Corpus([Document("x", id="a b")])
    with pytest.raises(ConfigurationError, match="'a b' has blank space in it"):
        write_data(BenchmarkData("x", spans, blanks), tmp_path / "t", "trec")
    with pytest.raises(ConfigurationError, match="is not an empty folder"):
        write_data(BenchmarkData("x", spans, CORPUS), tmp_path / "beir", "beir")
    with pytest.raises(ConfigurationError, match="has no documents, which beir needs"):
        write_data(BenchmarkData("x", spans), tmp_path / "none", "beir")


def test_converting_says_how_to_read_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "in/corpus.jsonl", lines({"_id": "d1", "title": "T", "text": "one"}))
    put(tmp_path, "in/queries.jsonl", lines({"_id": "q1", "text": "first?"}))
    put(tmp_path, "in/qrels/dev.tsv", "q1\td1\t1\n")
    code = data(["convert", str(tmp_path / "in"), str(tmp_path / "out"), "--to", "trec", "--set", "split=dev"])
    printed = capsys.readouterr().out
    assert code == 0
    assert "1 questions, 1 documents" in printed
    assert f"read it with: dataset=trec dataset.path={tmp_path / 'out' / 'documents.trec'} dataset.topics=" in printed
    assert load(tmp_path / "out").questions.samples == [EvalSample("first?", [], ["d1"], {"id": "q1"})]


# Checking


def checked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = data(["check", *words])
    return code, capsys.readouterr().out


def collection(folder: Path, queries: list[str], qrels: str, documents: dict[str, str] | None = None) -> Path:
    held = documents or {"d1": "about tides", "d2": "about moons"}
    put(folder, "corpus.jsonl", lines(*({"_id": name, "text": text} for name, text in held.items())))
    put(folder, "queries.jsonl", lines(*({"_id": name, "text": f"tides and moons {name}"} for name in queries)))
    put(folder, "qrels/test.tsv", qrels)
    return folder


def test_a_sound_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = checked(capsys, str(collection(tmp_path, ["q1", "q2"], "q1\td1\t1\n")))
    assert code == 0
    assert "no problem found" in printed
    rows = dict(line.rsplit(maxsplit=1) for line in printed.splitlines()[1:-1])
    assert rows == {
        "questions": "1",
        "documents": "2",
        "questions with expected answers": "0",
        "questions without gold": "0",
        "gold ids": "1",
        "gold ids that are spans": "0",
        "gold ids with a document": "1",
        "queries": "2",
        "judged queries": "1",
        "queries that are not judged nor asked": "1",
        "judged queries with a text": "1",
    }


@pytest.mark.parametrize(
    ("queries", "qrels", "message"),
    [
        (["301", "302"], "1\td1\t1\n2\td2\t1\n", "do they join by position ('1' to '301') and not by value?"),
        (["1", "2"], "001\td1\t1\n002\td2\t1\n", "2 judged query ids differ from query ids only in padding"),
        (
            ["1", "2"],
            "1\tD1.txt\t1\n",
            "1 gold ids differ from document ids only in padding, case or suffix, e.g. 'D1.txt' and 'd1'",
        ),
        (["1", "2"], "1\td9\t1\n", "1 gold id names no document"),
        (["1", "2"], "1\td1\t0\n", "no judgement is above 0"),
        (["1", "2"], "1\td1\t-2\n1\td2\t1\n", "1 judgements are below 0"),
        (["1", "2"], "1\td1\t0\n2\td1\t1\n", "1 of 2 questions has no gold id"),
    ],
)
def test_signs_of_mistakes_in_a_collection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], queries: list[str], qrels: str, message: str
) -> None:
    code, printed = checked(capsys, str(collection(tmp_path, queries, qrels)))
    assert code == 1
    assert message in printed


def test_reversed_codes_show_in_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = {f"good{number}": f"tides and moons {number}" for number in range(5)}
    documents |= {f"bad{number}": f"nothing at all {number}" for number in range(5)}
    for reverse in (True, False):
        qrels = "".join(
            f"q1\t{name}\t{(1 if name.startswith('good') else 4) if reverse else 2}\n" for name in documents
        )
        folder = collection(tmp_path / str(reverse), ["q1"], qrels, documents)
        assert ("the relevance codes look reversed: documents of grade 4" in checked(capsys, str(folder))[1]) == reverse


def test_texts_where_ids_should_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prose = "The tides rise twice a day, and they fall twice a day, as everybody knows."
    path = put(tmp_path, "q.jsonl", lines({"question": "a\u0000b", "relevant_ids": [prose]}, {"question": "\ufffd?"}))
    with pytest.warns(UserWarning, match="look like texts"):
        code, printed = checked(capsys, str(path))
    assert code == 1
    assert "1 of 1 gold ids look like texts" in printed
    assert "1 questions hold a NUL character" in printed
    assert "U+FFFD" in printed


def test_copies_and_repeats_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "documents.jsonl", lines({"id": "a", "text": "x"}, {"id": "b", "text": "x"}))
    rows = [
        {"question": "Why?", "relevant_ids": ["a"], "id": "1"},
        {"question": "Why?", "relevant_ids": ["b"], "id": "1"},
    ]
    put(tmp_path, "questions.jsonl", lines(*rows))
    printed = checked(capsys, str(tmp_path), "--from", "files")[1]
    assert "1 documents are copies of others" in printed
    assert "1 question is asked more than once" in printed
    assert "1 question ids come more than once" in printed


def test_what_cannot_be_opened_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data(["check", str(tmp_path / "none")]) == 2
    assert data(["check", str(put(tmp_path, "run", "1 Q0 d 1 2 tag\n"))]) == 2
    assert data(["check", str(put(tmp_path, "a.bin", "?"))]) == 2
    printed = capsys.readouterr().err
    assert "there is no such file or folder" in printed
    assert "'run', which is no data set of its own" in printed
    assert "no layout that is known; say which it is (there is: beir, trec" in printed


# Run files made elsewhere

QRELS = "1 0 a 1\n1 0 b 2\n2 0 a 1\n3 0 a 0\n"
RUN = "1 Q0 b 1 3 mine\n1 Q0 x 2 2 mine\n1 Q0 a 3 1 mine\n9 Q0 a 1 1 mine\n"


def test_runs_become_results(tmp_path: Path) -> None:
    qrels, run = put(tmp_path, "qrels", QRELS), put(tmp_path, "a.run", RUN)
    (result,) = results_of_runs(qrels, [run], metrics=["ndcg@10", "recall@2", "r_precision", "mrr"])
    assert (result.name, [sample.question for sample in result.samples]) == ("mine", ["1", "2", "3"])
    assert result.samples[0].scores == {
        "ndcg@10": pytest.approx((2 + 1 / 2) / (2 + 1 / 1.584962500721156)),
        "recall@2": 0.5,
        "r_precision": 0.5,
        "mrr": 1.0,
    }
    assert result.samples[0].retrieved_ids == ["b", "x", "a"]
    assert set(result.samples[1].scores.values()) == {0.0}
    assert set(result.samples[2].scores.values()) == {None}
    assert (result.status.successful, result.status.incomplete) == (2, 1)
    assert result.summary["recall@2"].mean == 0.25
    assert result.higher_is_better["mrr"]


def test_runs_need_names_topics_and_metrics(tmp_path: Path) -> None:
    qrels, run = put(tmp_path, "qrels", QRELS), put(tmp_path, "a.run", RUN)
    copy = put(tmp_path, "b.run", RUN)
    assert [result.name for result in results_of_runs(qrels, [run, copy])] == ["a.run", "b.run"]
    assert [result.name for result in results_of_runs(qrels, {"one": run, "two": copy})] == ["one", "two"]
    with pytest.raises(ConfigurationError, match=r"two runs are called 'a\.run'"):
        results_of_runs(qrels, [run, run])
    with pytest.raises(ConfigurationError, match="no topic of it is judged"):
        results_of_runs(qrels, [put(tmp_path, "c.run", "7 Q0 a 1 1 t\n")])
    with pytest.raises(ConfigurationError, match="no metric 'ndgc@10'"):
        results_of_runs(qrels, [run], metrics=["ndgc@10"])


def test_evaluating_prints_a_line_for_each_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(put(tmp_path, "qrels", QRELS)), str(put(tmp_path, "a.run", RUN))]
    assert data(["evaluate", *files, "--metrics", "recall@2,mrr", "--per-topic"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [
        ["mine", "1", "0.5000", "1.0000"],
        ["mine", "2", "0.0000", "0.0000"],
        ["mine", "3", "—", "—"],
        ["mine", "all", "0.2500", "0.5000"],
    ]


# Finished runs


def finished(folder: Path) -> Path:
    """A sweep's folder as the sweep writes it, with one run of two questions."""
    put(folder, "documents.jsonl", lines({"id": "a b.md", "text": "Ada wrote notes."}, {"id": "c", "text": "Noise."}))
    put(folder, "questions.jsonl", lines({"question": "Who?"}))
    dataset = {
        "_target_": "fastrag_bench.datasets.sources.files.FilesDataset",
        "path": str(folder / "documents.jsonl"),
        "questions": str(folder / "questions.jsonl"),
    }
    put(folder, "sweep/k=2/manifest.json", json.dumps({"name": "k=2", "config": {"dataset": dataset}}))
    ranking = [["a b.md#char=0,3", 2.0], ["c#char=0,5", 1.5], ["a b.md#char=4,9", 1.5]]
    rows = [
        {
            "question": "Who?",
            "expected_answers": ["Ada"],
            "gold": ["a b.md#char=0,3"],
            "tags": {"id": "q 1"},
            "status": "successful",
            "error": None,
            "answer": "=Ada",
            "scores": {"recall": 1.0},
            "latency_ms": 3.0,
            "detail": {"k": 2, "ranking": ranking},
        },
        {
            "question": "What?",
            "expected_answers": [],
            "gold": ["c"],
            "tags": {"id": "q2"},
            "status": "errored",
            "error": "broken",
            "answer": None,
            "scores": {"recall": None},
            "detail": {"k": 2, "ranking": None},
        },
    ]
    put(folder, "sweep/k=2/samples.jsonl", lines(*rows))
    return folder / "sweep"


def exported(folder: Path, *words: str) -> Path:
    assert data(["export", str(folder), *words]) == 0
    return folder / "export"


def test_trec_runs_of_every_combination(tmp_path: Path) -> None:
    out = exported(finished(tmp_path), "--format", "trec")
    assert (out / "k=2.run").read_text() == "q%201 Q0 a%20b.md 1 2.0 k=2\nq%201 Q0 c 2 1.5 k=2\n"
    assert read_qrels(out / "qrels.txt") == {"q%201": {"a%20b.md": 1}, "q2": {"c": 1}}
    (result,) = results_of_runs(out / "qrels.txt", [out / "k=2.run"], metrics=["recall@1"])
    assert [sample.scores["recall@1"] for sample in result.samples] == [1.0, 0.0]


def test_a_long_name_is_no_tag(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    put(folder, "k=2/manifest.json", json.dumps({"name": "chunker=recursive," * 9}))
    (folder / "k=2").rename(folder / "chunker=recursive-0123abcd")
    assert read_run(exported(folder, "--format", "trec") / "chunker=recursive-0123abcd.run").tag == "run-0123abcd"


def test_scores_that_tie_keep_their_order(tmp_path: Path) -> None:
    out = exported(finished(tmp_path), "--format", "trec", "--unit", "chunk")
    assert not (out / "qrels.txt").exists()
    assert read_run(out / "k=2.run").rankings["q%201"] == [
        ("a%20b.md#char=0,3", 3.0),
        ("c#char=0,5", 2.0),
        ("a%20b.md#char=4,9", 1.0),
    ]


def test_a_table_of_questions(tmp_path: Path) -> None:
    out = exported(finished(tmp_path), "--format", "csv")
    with (out / "k=2.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["question"], row["recall"], row["status"]) for row in rows] == [
        ("k=2", "Who?", "1.0", "successful"),
        ("k=2", "What?", "", "errored"),
    ]
    assert rows[0]["response"] == "'=Ada", "a cell that a spreadsheet would run is quoted"
    assert QADataset.load(out / "k=2.csv")[0].question == "Who?"


def test_a_parquet_table_of_questions(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    out = exported(finished(tmp_path), "--format", "parquet")
    assert QADataset.load(out / "k=2.parquet")[0].metadata["recall"] == 1.0


def test_rows_for_ragas(tmp_path: Path) -> None:
    out = exported(finished(tmp_path), "--format", "ragas")
    first, second = map(json.loads, (out / "k=2.ragas.jsonl").read_text().splitlines())
    assert first == {
        "user_input": "Who?",
        "response": "=Ada",
        "retrieved_contexts": ["Ada", "Noise"],
        "retrieved_context_ids": ["a b.md#char=0,3", "c#char=0,5"],
        "reference": "Ada",
        "reference_contexts": ["Ada"],
        "reference_context_ids": ["a b.md#char=0,3"],
    }
    assert (second["response"], second["retrieved_contexts"]) == (None, [])


def test_what_is_no_finished_run_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data(["export", str(tmp_path), "--format", "csv"]) == 2
    assert "no samples.jsonl in it" in capsys.readouterr().err


def test_the_command_line_names_the_subcommand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fastrag_bench import cli

    monkeypatch.setattr(sys, "argv", ["fastrag-bench", "data", "--help"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("check", "convert", "evaluate", "export"))
