"""Questions from a file, without documents: for a pipeline that has its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import SETTINGS, recognise
from fastrag_bench.datasets.mapping import ColumnMapping
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import ConfigurationError, SchemaError


class ColumnSettings(BaseModel):
    """Which column is what; None = found by its name, an empty text = there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str | None = None
    """The question."""

    expected_answers: str | None = None
    """The answer, or several, that count as right."""

    relevant_ids: str | None = None
    """The ids of the evidence."""


class QuestionsDataset(Component):
    """The questions of one file."""

    path: str
    """The file: .json, .jsonl, .csv, .tsv, .yaml, .parquet or .xlsx."""

    columns: ColumnSettings = ColumnSettings()
    """Which column is what, where the names do not say it."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """The questions, named after the file, and a note on those without gold ids."""
        path = Path(self.path).expanduser()
        questions = load_questions(path, self.columns, self.limit)
        return BenchmarkData(path.name.split(".")[0] or path.name, questions, notes=gold_notes(questions, None))


def load_questions(path: Path, columns: ColumnSettings, limit: int | None) -> QADataset:
    """`QADataset.load` with a column mapping only where one is asked for, so that native files stay exact.

    A file that cannot be read as questions and looks like a known layout is refused with how to read it.
    """
    mapping = None if columns == ColumnSettings() else ColumnMapping(**columns.model_dump())
    try:
        return QADataset.load(path, mapping, limit=limit)
    except ConfigurationError as error:
        found = recognise(path) if path.exists() else None
        if found in (None, "questions", "files"):
            raise
        raise SchemaError(f"{error}. It looks like {found}: {SETTINGS[str(found)].format(path=path)}") from None
