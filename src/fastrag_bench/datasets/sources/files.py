"""The user's own documents and questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.sources.documents import read_folder, read_jsonl_documents
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.datasets.sources.questions import ColumnSettings, load_questions
from fastrag_bench.errors import ConfigurationError


class FilesDataset(Component):
    """A folder of documents, or a file of them as JSON lines, and a file of questions."""

    path: str
    """A folder (.md .markdown .txt .html .htm, subfolders too), or a .jsonl file with `id` and `text`."""

    questions: str
    """The file: .json, .jsonl, .csv, .tsv, .yaml or .parquet; gold ids are paths relative to the folder, or ids."""

    columns: ColumnSettings = ColumnSettings()
    """Which column is what, where the names do not say it."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Documents and questions, named after the folder or file, with notes on what does not fit together."""
        path, file = Path(self.path).expanduser(), Path(self.questions).expanduser()
        if path.is_file() and ".jsonl" not in path.suffixes:
            raise ConfigurationError(f"{path}: documents are a folder or a .jsonl file")
        corpus, notes = read_jsonl_documents(path) if ".jsonl" in path.suffixes else read_folder(path, apart_from=file)
        questions = load_questions(file, self.columns, self.limit)
        return BenchmarkData(_name(path), questions, corpus, (*notes, *gold_notes(questions, corpus)))


def _name(path: Path) -> str:
    return path.resolve().name.split(".")[0] or "files"
