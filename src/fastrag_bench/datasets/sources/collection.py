"""A test collection: documents, queries and judgements that join by id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.cells import as_answers
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.sources.documents import blank_notes
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.datasets.trec_files import Grades
from fastrag_bench.types import Corpus, EvalSample

ANSWERS = "expected_answers"
"""Where a query's metadata has its answers, in collections that this project wrote."""


@dataclass(frozen=True)
class Query:
    """A query's text and what else its file says of it."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Collection:
    """The three parts as their files have them, not yet joined."""

    name: str
    corpus: Corpus
    queries: dict[str, Query]
    grades: Grades

    def data(self, limit: int | None = None) -> BenchmarkData:
        """The judged queries in the order of their file.

        Documents of grade 1 and above are relevant. Where grades other than 0 and 1 occur, all grades of the question
        are in `metadata["relevance_grades"]`.
        """
        samples = [
            _sample(name, query, self.grades[name]) for name, query in self.queries.items() if name in self.grades
        ]
        questions = QADataset(samples[:limit])
        notes = (*self._unasked(), *blank_notes(self.corpus), *gold_notes(questions, self.corpus))
        return BenchmarkData(self.name, questions, self.corpus, notes)

    def _unasked(self) -> list[str]:
        missing = [name for name in self.grades if name not in self.queries]
        return [f"{len(missing)} judged queries have no text, e.g. {missing[0]!r}"] if missing else []


def _sample(identifier: str, query: Query, grades: dict[str, int]) -> EvalSample:
    metadata = {**query.metadata, "id": identifier}
    answers = metadata.pop(ANSWERS, [])
    if not set(grades.values()) <= {0, 1}:
        metadata["relevance_grades"] = grades
    relevant = [document for document, grade in grades.items() if grade > 0]
    return EvalSample(query.text, as_answers(answers, identifier), relevant, metadata)
