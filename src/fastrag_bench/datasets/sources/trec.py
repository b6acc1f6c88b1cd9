"""A test collection of TREC: documents in SGML or XML, topics, and judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.reading import check_file
from fastrag_bench.datasets.sources.collection import Collection, Query
from fastrag_bench.datasets.trec_files import Fields, read_documents, read_qrels, read_topics
from fastrag_bench.errors import DatasetNotFoundError, SchemaError
from fastrag_bench.types import Corpus, Document


class TrecDataset(Component):
    """`<DOC>` files, topics and qrels, each plain or packed (`.gz`)."""

    path: str
    """The documents: a file, or a folder whose files all hold documents."""

    topics: str
    """The topics: `<top>` blocks, `<topic number="...">`, or lines of number, tab and text."""

    qrels: str
    """The judgements: topic, anything, document, grade."""

    field: Literal["title", "description", "narrative"] = "title"
    """Which part of a topic is the question; the others are in its metadata."""

    encoding: str | None = None
    """Of documents and topics that are not UTF-8, such as latin-1."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the topics, those that are judged; the rest as for BEIR."""
        return self.collection().data(self.limit)

    def collection(self) -> Collection:
        """The three parts, not yet joined."""
        path, topics, qrels = (Path(each).expanduser() for each in (self.path, self.topics, self.qrels))
        if path.exists():
            insist(path, "trec")
        for file in (topics, qrels):
            check_file(file)
        fields = read_topics(topics, self.encoding)
        queries = {number: self._query(number, texts, topics) for number, texts in fields.items()}
        name = path.resolve().name.split(".")[0]
        return Collection(name, _corpus(path, self.encoding), queries, read_qrels(qrels))

    def _query(self, number: str, texts: Fields, path: Path) -> Query:
        if self.field not in texts:
            raise SchemaError(
                f"{path}: topic {number!r} has no {self.field}; dataset.field= names one of {', '.join(texts)}"
            )
        return Query(texts[self.field], {name: text for name, text in texts.items() if name != self.field})


def _corpus(path: Path, encoding: str | None) -> Corpus:
    if not path.exists():
        raise DatasetNotFoundError(f"{path}: there is no such file or folder (looked in {path.resolve().parent})")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    first: dict[str, str] = {}
    documents: list[Document] = []
    for file in files:
        for where, document in read_documents(file, encoding):
            known = first.setdefault(str(document.id), where)
            if known is not where:
                raise SchemaError(f"{where}: the id {document.id!r} comes twice, first in {known}")
            documents.append(document)
    return Corpus(documents)
