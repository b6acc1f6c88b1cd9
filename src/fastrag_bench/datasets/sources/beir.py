"""A test collection in the layout of BEIR (Thakur et al. 2021, arXiv:2104.08663)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions, read_lines
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.documents import blank_notes, corpus_of, document_text, identifier_of, text_of
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import DatasetNotFoundError, SchemaError
from fastrag_bench.types import Corpus, Document, EvalSample

Grades = dict[str, dict[str, int]]
"""Query id -> document id -> grade, in the order of the file."""


class BeirDataset(Component):
    """`corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` in a folder, each plain or packed (`.gz`)."""

    path: str
    """The folder."""

    split: str = "test"
    """Which file of judgements; only the queries judged in it are asked."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Documents as title, a space and text; questions in the order of `queries.jsonl`.

        Documents of grade 1 and above are relevant. Where grades other than 0 and 1 occur, all grades of the question
        are in `metadata["relevance_grades"]`.
        """
        folder = Path(self.path).expanduser()
        corpus_file, queries_file = _file(folder, "corpus.jsonl"), _file(folder, "queries.jsonl")
        grades = _read_qrels(_file(folder, f"qrels/{self.split}.tsv"))
        corpus = _read_corpus(corpus_file)
        queries = {identifier_of(record): record for record in _records(queries_file)}
        samples = [_sample(record, name, grades[name]) for name, record in queries.items() if name in grades]
        questions = QADataset(samples[: self.limit])
        notes = (*_unasked(grades, queries), *blank_notes(corpus), *gold_notes(questions, corpus))
        return BenchmarkData(folder.resolve().name, questions, corpus, notes)


def _file(folder: Path, name: str) -> Path:
    found = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
    if found is None:
        raise DatasetNotFoundError(
            f"{folder / name}: there is no such file, packed or not; a BEIR folder has corpus.jsonl, queries.jsonl and "
            f"qrels/<split>.tsv"
        )
    return found


def _records(path: Path) -> list[Record]:
    return read_records(path, ReadOptions(list_separator=None))


def _read_corpus(path: Path) -> Corpus:
    records = _records(path)
    return corpus_of(records, [_document(record) for record in records], path)


def _document(record: Record) -> Document:
    title, text = record.values.get("title") or "", text_of(record)
    metadata = record.values.get("metadata")
    extra = metadata if isinstance(metadata, dict) else {}
    return Document(document_text(f"{title} {text}".strip()), {**extra, "title": title}, id=identifier_of(record))


def _sample(record: Record, identifier: str, grades: dict[str, int]) -> EvalSample:
    extra = record.values.get("metadata")
    metadata = {**(extra if isinstance(extra, dict) else {}), "id": identifier}
    if not set(grades.values()) <= {0, 1}:
        metadata["relevance_grades"] = grades
    relevant = [document for document, grade in grades.items() if grade > 0]
    return EvalSample(text_of(record), relevant_ids=relevant, metadata=metadata)


def _read_qrels(path: Path) -> Grades:
    grades: Grades = {}
    for where, query, document, grade in _judgements(path):
        if grades.setdefault(query, {}).setdefault(document, grade) != grade:
            raise SchemaError(f"{where}: document {document!r} has two grades for query {query!r}")
    if not grades:
        raise SchemaError(f"{path}: no judgement in it")
    return grades


def _judgements(path: Path) -> Iterator[tuple[str, str, str, int]]:
    """Place, query, document and grade of each line; a first line without a number is the header."""
    for number, line in read_lines(path, ReadOptions()):
        cells = line.rstrip("\r\n").split("\t")
        if not line.strip() or (number == 1 and not _is_grade(cells[-1])):
            continue
        where = f"{path}, line {number}"
        if len(cells) not in (3, 4) or not _is_grade(cells[-1]):
            raise SchemaError(f"{where}: expected query, document and a whole number, tab separated, not {line!r:.80}")
        yield where, cells[0], cells[-2], int(cells[-1])


def _is_grade(cell: str) -> bool:
    return cell.strip().removeprefix("-").isdecimal()


def _unasked(grades: Grades, queries: dict[str, Record]) -> list[str]:
    missing = [name for name in grades if name not in queries]
    return [f"{len(missing)} judged queries have no text, e.g. {missing[0]!r}"] if missing else []
