"""The two files of LlamaIndex: a labelled RAG dataset, and pairs for embedding models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.json_files import read_value
from fastrag_bench.datasets.records import records_of
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.datasets.sources.quoting import Row, quotes_of, quoting_data
from fastrag_bench.errors import ConfigurationError, SchemaError
from fastrag_bench.types import Corpus, Document, EvalSample


class LlamaIndexDataset(Component):
    """`{"examples": [...]}` with queries, reference contexts and answers, or `{"queries", "corpus", "relevant_docs"}`.

    In the first, evidence is quoted; in the second, nodes are documents and `relevant_docs` their ids.
    """

    path: str
    """The .json file, or a folder with `rag_dataset.json`."""

    documents: str | None = None
    """Where quoted evidence is looked for: a folder, or a .jsonl file; null: the contexts are the documents."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "llamaindex")
        file = path / "rag_dataset.json" if path.is_dir() else path
        value = read_value(file)
        if isinstance(value, Mapping) and {"queries", "corpus", "relevant_docs"} <= value.keys():
            return self._pairs(file, value)
        examples = value.get("examples") if isinstance(value, Mapping) else value
        if not isinstance(examples, list):
            raise SchemaError(f'{file}: expected {{"examples": [...]}} or {{"queries", "corpus", "relevant_docs"}}')
        samples = [_sample(Row(record)) for record in records_of(examples, where=str(file))]
        return quoting_data(file, samples, self.documents, self.limit)

    def _pairs(self, path: Path, value: Mapping[str, Any]) -> BenchmarkData:
        if self.documents is not None:
            raise ConfigurationError(f"{path} has its own corpus: leave dataset.documents out")
        queries, corpus, relevant = (
            _object(value[key], f"{path}: {key}") for key in ("queries", "corpus", "relevant_docs")
        )
        documents = Corpus(Document(_text(text, f"{path}: corpus, {name!r}"), id=name) for name, text in corpus.items())
        samples = [
            EvalSample(
                _text(text, f"{path}: queries, {name!r}"),
                relevant_ids=[str(identifier) for identifier in relevant.get(name, [])],
                metadata={"id": name},
            )
            for name, text in queries.items()
        ]
        questions = QADataset(samples[: self.limit])
        return BenchmarkData(path.name.split(".")[0], questions, documents, gold_notes(questions, documents))


def _sample(row: Row) -> EvalSample:
    question, answers = row.question("query"), row.answers("reference_answer")
    metadata = quotes_of(row, ("reference_contexts",), ())
    rest = {name: value for name, value in row.rest().items() if value is not None}
    return EvalSample(question, answers, [], {**rest, **metadata})


def _object(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise SchemaError(f"{where}: expected an object by id, not {type(value).__name__}")


def _text(value: Any, where: str) -> str:
    text = value.get("text") if isinstance(value, dict) else value
    if isinstance(text, str) and text.strip():
        return text
    raise SchemaError(f"{where}: expected a text, not {value!r:.60}")
