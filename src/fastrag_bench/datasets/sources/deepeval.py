"""Goldens and test cases of DeepEval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.json_files import read_value
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record, records_of
from fastrag_bench.datasets.sources.quoting import QUOTED, RETRIEVED, Row, quotes_of, quoting_data
from fastrag_bench.types import EvalSample

CAMEL = (
    ("actualOutput", "actual_output"),
    ("expectedOutput", "expected_output"),
    ("retrievalContext", "retrieval_context"),
    ("sourceFile", "source_file"),
)
"""The spelling of exports from the platform."""


class DeepEvalDataset(Component):
    """Records with `input` and `expected_output`; `context` is the quoted evidence.

    `retrieval_context` and `actual_output` are some system's and stay in the metadata. A text cell of several contexts
    is parted by `separator`.
    """

    path: str
    """The file: .json (a list, `goldens` or `test_cases`), .jsonl, .csv."""

    documents: str | None = None
    """Where the quoted evidence is looked for: a folder, or a .jsonl file; null: the contexts are the documents."""

    separator: str = "|"
    """Parts the contexts in one cell of a table."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "deepeval")
        samples = [self._sample(record) for record in _records(path)]
        return quoting_data(path, samples, self.documents, self.limit)

    def _sample(self, record: Record) -> EvalSample:
        row = Row(record, CAMEL)
        question, answers = row.question("input"), row.answers("expected_output")
        metadata = quotes_of(row, ("context",), ("retrieval_context",))
        if record.is_text:
            metadata |= {
                name: [part.strip() for text in metadata[name] for part in text.split(self.separator) if part.strip()]
                for name in (QUOTED, RETRIEVED)
                if name in metadata
            }
        rest = {name: value for name, value in row.rest().items() if value is not None}
        return EvalSample(question, answers, [], {**rest, **metadata})


def _records(path: Path) -> list[Record]:
    if path.suffix.lower() == ".json":
        value = read_value(path)
        if isinstance(value, Mapping):
            found = [value[key] for key in ("goldens", "test_cases") if isinstance(value.get(key), list)]
            return records_of([item for items in found for item in items], where=str(path))
    return read_records(path, ReadOptions(list_separator=None))
