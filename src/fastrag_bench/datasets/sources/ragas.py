"""The datasets of ragas, of all its versions: those it evaluates and the test sets it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.quoting import Row, quotes_of, quoting_data
from fastrag_bench.errors import SchemaError
from fastrag_bench.types import EvalSample

TESTSET_MARKS = frozenset({"evolution_type", "episode_done"})
"""Beside one of these, `contexts` are what the question was made from, not what a system retrieved (ragas 0.1)."""


class RagasDataset(Component):
    """Records with `user_input` and `reference` (ragas 0.2 and later) or `question` and `ground_truth(s)` (before).

    `reference` or `ground_truth(s)` are the expected answers. The evidence is `reference_contexts`, and in a test set
    of ragas 0.1 `contexts`; ids in `reference_context_ids` go before texts. What a system retrieved or answered stays
    in the metadata.
    """

    path: str
    """The file: .jsonl, .json, .csv, .parquet, ..."""

    documents: str | None = None
    """Where the quoted evidence is looked for: a folder, or a .jsonl file; null: the contexts are the documents."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "ragas", others=("questions",))
        records = [_flat(record) for record in read_records(path, ReadOptions(list_separator=None))]
        fields = {key.strip() for record in records for key in record.values}
        samples = [_sample(Row(record), is_testset=bool(fields & TESTSET_MARKS)) for record in records]
        return quoting_data(path, samples, self.documents, self.limit)


def _flat(record: Record) -> Record:
    """A row of an annotated test set, `{"eval_sample": {...}, ...}`, without its nesting."""
    inner = record.values.get("eval_sample")
    if inner is None:
        return record
    if not isinstance(inner, dict):
        raise SchemaError(f"{record.where}: eval_sample is an object, not {inner!r:.60}")
    others = {key: value for key, value in record.values.items() if key != "eval_sample"}
    return Record({**others, **inner}, record.where, record.is_text)


def _sample(row: Row, *, is_testset: bool) -> EvalSample:
    quoted = ("reference_contexts", "contexts") if is_testset else ("reference_contexts",)
    retrieved = ("retrieved_contexts",) if is_testset else ("retrieved_contexts", "contexts")
    question = row.question("user_input", "question")
    answers = row.answers("reference", "ground_truth", "ground_truths")
    ids: Any = row.value("reference_context_ids") or []
    metadata = quotes_of(row, quoted, retrieved)
    rest = {name: value for name, value in row.rest().items() if value is not None}
    names = [str(name) for name in (ids if isinstance(ids, list) else [ids])]
    return EvalSample(question, answers, names, {**rest, **metadata})
