"""The questions of finished runs in the files of other tools: TREC runs, tables, ragas rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from fastrag_bench.component import resolve
from fastrag_bench.contracts import DatasetSource
from fastrag_bench.datasets.writing import text_of_id
from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.files import dump_json, write_atomic
from fastrag_bench.relevance.gold import parse_span
from fastrag_bench.types import Corpus

FORMATS = ("trec", "csv", "parquet", "ragas")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is a formula to a spreadsheet; it gets a quote in front."""


LONGEST_TAG = 40


@dataclass(frozen=True)
class FinishedRun:
    """One run's folder."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the run was."""
        found: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        return found

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.manifest["name"])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The lines of `samples.jsonl`."""
        text = (self.folder / "samples.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


def finished_runs(folder: Path) -> list[FinishedRun]:
    """The finished runs of a sweep's folder, or the one whose folder it is.

    Raises:
        ConfigurationError: there is none.
    """
    places = sorted(path.parent for path in (*folder.glob("samples.jsonl"), *folder.glob("*/samples.jsonl")))
    if not places:
        raise ConfigurationError(f"{folder}: no samples.jsonl in it or one folder below; name the folder of a sweep")
    return [FinishedRun(place) for place in places]


def export(folder: Path, target: Path, form: str, *, unit: str = "document") -> list[Path]:
    """Write a file for each finished run, named after its folder.

    Args:
        folder: of a sweep or a run.
        target: where the files go; made if it is not there.
        form: `trec` (and `qrels.txt`), `csv`, `parquet` or `ragas`.
        unit: for `trec`, what is ranked: documents, each at its first chunk, or chunks.

    Raises:
        ConfigurationError: an unknown form, no finished run, or rows without a ranking.
        MissingExtraError: `parquet` without pyarrow.
    """
    if form not in FORMATS or unit not in ("document", "chunk"):
        raise ConfigurationError(f"format is one of {', '.join(FORMATS)} and unit document or chunk")
    written = []
    for run in finished_runs(folder):
        name = run.folder.resolve().name
        if form == "trec":
            written.append(write_atomic(target / f"{name}.run", "".join(_trec_lines(run, unit))))
        elif form == "csv":
            written.append(write_atomic(target / f"{name}.csv", _table(list(_flat(run)))))
        elif form == "parquet":
            written.append(_parquet(target / f"{name}.parquet", list(_flat(run))))
        else:
            lines = "".join(dump_json(row) + "\n" for row in _ragas_rows(run))
            written.append(write_atomic(target / f"{name}.ragas.jsonl", lines))
    if form == "trec" and unit == "document":
        written.append(write_atomic(target / "qrels.txt", "".join(_qrels(finished_runs(folder)[0]))))
    return written


def topic_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The questions' own ids, else their positions as `q1`, `q2`, ...; blanks are percent-encoded."""
    names = [str(row["tags"].get("id", "")) for row in rows]
    if not all(names) or len(set(names)) < len(names):
        names = [f"q{number}" for number in range(1, len(rows) + 1)]
    return [_column(name) for name in names]


def _column(name: str) -> str:
    """An id as one column: blanks, and the percent sign itself, are percent-encoded."""
    return "".join(quote(mark) if mark.isspace() or mark == "%" else mark for mark in name)


def _ranking(row: Mapping[str, Any], run: FinishedRun) -> list[tuple[str, float]]:
    ranking = row.get("detail", {}).get("ranking")
    if ranking is None and row.get("status") != "errored":
        raise ConfigurationError(f"{run.folder}: its rows hold no ranking; only the target rag keeps one")
    return [(str(name), float(score)) for name, score in ranking or []]


def _trec_lines(run: FinishedRun, unit: str) -> Iterator[str]:
    tag = _tag(run)
    for topic, row in zip(topic_names(run.rows), run.rows, strict=True):
        ranking = _ranking(row, run)
        if unit == "document":
            first: dict[str, float] = {}
            for name, score in ranking:
                first.setdefault(_document(name), score)
            ranking = list(first.items())
        scores = _falling([score for _, score in ranking])
        for rank, ((name, _), score) in enumerate(zip(ranking, scores, strict=True), start=1):
            yield f"{topic} Q0 {_column(name)} {rank} {score} {tag}\n"


def _tag(run: FinishedRun) -> str:
    """The run's name, or the hash that ends its folder's where the name is long: a tag stands in every line."""
    return _column(run.name) if len(run.name) <= LONGEST_TAG else f"run-{run.folder.resolve().name[-8:]}"


def _falling(scores: Sequence[float]) -> list[float]:
    """The scores, if they keep the order in trec_eval's single precision; else whole numbers that do."""
    single = np.array(scores, dtype=np.float32)
    return list(scores) if bool(np.all(np.diff(single) < 0)) else [float(place) for place in range(len(scores), 0, -1)]


def _document(name: str) -> str:
    span = parse_span(name)
    return name if span is None else span.document


def _qrels(run: FinishedRun) -> Iterator[str]:
    for topic, row in zip(topic_names(run.rows), run.rows, strict=True):
        grades = {str(name): int(grade) for name, grade in (row["tags"].get("relevance_grades") or {}).items()}
        for name in row["gold"]:
            grades.setdefault(_document(str(name)), 1)
        for name, grade in grades.items():
            yield f"{topic} 0 {_column(name)} {grade}\n"


def _flat(run: FinishedRun) -> Iterator[dict[str, Any]]:
    """One flat row for each question."""
    for row in run.rows:
        plain = {name: row.get(name) for name in ("question", "status", "error", "latency_ms")}
        plain["response"] = row.get("answer")
        lists = {name: dump_json(row.get(name, [])) for name in ("expected_answers", "gold")}
        yield {"run": run.name, **plain, **lists, **row["scores"]}


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO(newline="")
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(row.get(name)) for name in names] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("Writing Parquet files", extra="datasets") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def _ragas_rows(run: FinishedRun) -> Iterator[dict[str, Any]]:
    """Rows that ragas evaluates; texts come from the run's own dataset, which is loaded again."""
    corpus = _corpus_of(run)
    for row in run.rows:
        names = [name for name, _ in _ranking(row, run)][: row.get("detail", {}).get("k")]
        texts = [text_of_id(name, corpus) for name in names]
        answers = row.get("expected_answers") or [None]
        yield {
            "user_input": row["question"],
            "response": row.get("answer"),
            "retrieved_contexts": [text for text in texts if text is not None],
            "retrieved_context_ids": names,
            "reference": answers[0],
            "reference_contexts": [text for name in row["gold"] if (text := text_of_id(str(name), corpus)) is not None],
            "reference_context_ids": row["gold"],
        }


def _corpus_of(run: FinishedRun) -> Corpus:
    source: Any = resolve(run.manifest["config"]["dataset"], contract=DatasetSource)
    corpus: Corpus | None = source.load().corpus
    if corpus is None:
        raise ConfigurationError(f"{run.folder}: its dataset has no documents, so the texts of passages are not known")
    return corpus
