"""The user's own documents and questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.sources.documents import read_folder, read_jsonl_documents
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.datasets.sources.questions import ColumnSettings, load_questions
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.relevance.stale import refuse_stale


class FilesDataset(Component):
    """A folder of documents, or a file of them as JSON lines, and a file of questions."""

    path: str
    """A folder (.md .markdown .txt .html .htm .pdf, subfolders too), or a .jsonl file with `id` and `text`."""

    questions: str
    """The file: .json .jsonl .csv .tsv .yaml .parquet .xlsx; gold ids are paths relative to the folder, or ids."""

    columns: ColumnSettings = ColumnSettings()
    """Which column is what, where the names do not say it."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    allow_stale: bool = False
    """Where documents changed since the evidence was written: find it again by its text instead of refusing it."""

    def load(self) -> BenchmarkData:
        """Documents and questions, named after the folder or file, with notes on what does not fit together.

        Questions whose metadata has `doc_hashes` are checked against the documents.
        """
        path, file = Path(self.path).expanduser(), Path(self.questions).expanduser()
        if path.is_file() and ".jsonl" not in path.suffixes:
            raise ConfigurationError(f"{path}: documents are a folder or a .jsonl file")
        if path.is_dir():
            insist(path, "files", others=("chroma",))
        corpus, notes = read_jsonl_documents(path) if ".jsonl" in path.suffixes else read_folder(path, apart_from=file)
        questions = load_questions(file, self.columns, self.limit)
        moved = refuse_stale(questions.samples, corpus, allow_stale=self.allow_stale)
        if moved is not None:
            questions, notes = QADataset(moved.samples), (*notes, *moved.notes)
        return BenchmarkData(_name(path), questions, corpus, (*notes, *gold_notes(questions, corpus)))


def _name(path: Path) -> str:
    return path.resolve().name.split(".")[0] or "files"
