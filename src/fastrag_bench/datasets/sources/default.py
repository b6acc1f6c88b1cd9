"""The dataset inside the package: it needs no network, no path and no setting."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Annotated

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.sources.documents import read_folder
from fastrag_bench.datasets.sources.gold import gold_notes


class DefaultDataset(Component):
    """Short articles on many subjects and questions with answers and spans of evidence, written for this project."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Documents with ids such as `tcp.md`; `metadata["kind"]` says what sort of question it is."""
        with as_file(files("fastrag_bench") / "data" / "default") as folder:
            corpus, notes = read_folder(folder / "documents")
            questions = QADataset.load(folder / "questions.jsonl", limit=self.limit)
        return BenchmarkData("default", questions, corpus, (*notes, *gold_notes(questions, corpus)))
