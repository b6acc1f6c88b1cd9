"""A test collection in the layout of BEIR (Thakur et al. 2021, arXiv:2104.08663)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.collection import Collection, Query
from fastrag_bench.datasets.sources.documents import corpus_of, document_text, identifier_of, text_of
from fastrag_bench.datasets.trec_files import read_qrels
from fastrag_bench.errors import DatasetNotFoundError, SchemaError
from fastrag_bench.types import Corpus, Document

TABLES = ("jsonl", "jsonl.gz", "jsonl.bz2", "parquet", "csv", "tsv", "json")
JUDGEMENTS = ("tsv", "tsv.gz", "txt", "qrels", "trec")


class BeirDataset(Component):
    """`corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` in a folder, each plain or packed (`.gz`).

    Corpus and queries may be any other table that is read (`.parquet`, `.csv`). Judgements have three columns, with or
    without a header, or the four of TREC.
    """

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
        return self.collection().data(self.limit)

    def collection(self) -> Collection:
        """The three files, not yet joined."""
        folder = Path(self.path).expanduser()
        if folder.exists():
            insist(folder, "beir")
        corpus_file, queries_file = _table(folder, "corpus"), _table(folder, "queries")
        grades = read_qrels(self._qrels(folder))
        return Collection(folder.resolve().name, _read_corpus(corpus_file), _read_queries(queries_file), grades)

    def _qrels(self, folder: Path) -> Path:
        for suffix in JUDGEMENTS:
            if (path := folder / "qrels" / f"{self.split}.{suffix}").is_file():
                return path
        there = sorted(path.name for path in (folder / "qrels").glob("*"))
        raise DatasetNotFoundError(
            f"{folder / 'qrels' / self.split}.tsv: there is no such file, packed or not; dataset.split= names one of "
            f"{', '.join(there) or 'none: there is no folder qrels'}"
        )


def _table(folder: Path, stem: str) -> Path:
    found = next((path for suffix in TABLES if (path := folder / f"{stem}.{suffix}").is_file()), None)
    if found is None:
        raise DatasetNotFoundError(
            f"{folder / stem}.jsonl: there is no such file, packed or not; a BEIR folder has corpus.jsonl, "
            f"queries.jsonl and qrels/<split>.tsv"
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


def _read_queries(path: Path) -> dict[str, Query]:
    queries: dict[str, Query] = {}
    for record in _records(path):
        name, extra = identifier_of(record), record.values.get("metadata")
        if name in queries:
            raise SchemaError(f"{record.where}: the id {name!r} comes twice")
        queries[name] = Query(text_of(record), extra if isinstance(extra, dict) else {})
    return queries
