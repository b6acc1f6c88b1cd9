"""The questions of Chroma's chunking study (Smith and Troynikov 2024): character spans as evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.cells import parse_list
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions, read_text
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.documents import document_text, text_offset
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import DatasetNotFoundError, SchemaError
from fastrag_bench.relevance.align import span_id
from fastrag_bench.types import Corpus, Document, EvalSample


class ChromaDataset(Component):
    """A folder with `questions_df.csv` (question, references, corpus_id) and `corpora/<corpus_id>.md`.

    `references` is a JSON list of `{content, start_index, end_index}` in code points; each is a span of gold. What does
    not stand where it should is looked for in its corpus.
    """

    path: str
    """The folder."""

    questions: str = "questions_df.csv"
    """The file of questions in the folder."""

    corpora: str = "corpora"
    """The folder of `.md` or `.txt` files in the folder."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file, documents named by corpus_id."""
        folder = Path(self.path).expanduser()
        if folder.exists():
            insist(folder, "chroma", others=("files",))
        if not (folder / self.corpora).is_dir():
            raise DatasetNotFoundError(f"{folder / self.corpora}: there is no such folder; it holds the documents")
        raw = {
            path.stem: read_text(path, ReadOptions())
            for path in sorted((folder / self.corpora).iterdir())
            if path.suffix.lower() in (".md", ".txt")
        }
        reader = _Reader(raw)
        records = read_records(folder / self.questions, ReadOptions())
        questions = QADataset([reader.sample(record) for record in records][: self.limit])
        corpus = Corpus(Document(document_text(text), id=name) for name, text in raw.items())
        return BenchmarkData(folder.resolve().name, questions, corpus, (*reader.notes, *gold_notes(questions, corpus)))


@dataclass
class _Reader:
    raw: dict[str, str]
    moved: int = 0
    lost: list[str] = field(default_factory=list)

    def sample(self, record: Record) -> EvalSample:
        values, where = record.values, record.where
        question, name = values.get("question"), str(values.get("corpus_id") or "")
        if not isinstance(question, str) or not question.strip():
            raise SchemaError(f"{where}: the question is missing or blank")
        if name not in self.raw:
            raise SchemaError(f"{where}: there is no corpus {name!r} (there is: {', '.join(self.raw)})")
        references = values.get("references")
        found = parse_list(references, where) if isinstance(references, str) else references
        if not isinstance(found, list):
            raise SchemaError(f"{where}: references are a list of {{content, start_index, end_index}}")
        spans = [self._span(name, reference, where) for reference in found]
        ids = list(dict.fromkeys(span for span in spans if span is not None))
        metadata = {
            "corpus_id": name,
            "reference_contexts": [reference["content"] for reference in found],
            **{key: value for key, value in values.items() if key not in ("question", "references", "corpus_id")},
        }
        return EvalSample(question, relevant_ids=ids, metadata=metadata)

    def _span(self, name: str, reference: Any, where: str) -> str | None:
        try:
            content, start, end = reference["content"], reference["start_index"], reference["end_index"]
            held = self.raw[name][start:end]
        except (KeyError, TypeError):
            raise SchemaError(
                f"{where}: a reference is {{content, start_index, end_index}}, not {reference!r:.80}"
            ) from None
        if held != content:
            start = self.raw[name].find(content)
            if start < 0 or not content:
                self.lost.append(content)
                return None
            self.moved += 1
            end = start + len(content)
        return span_id(name, text_offset(self.raw[name], start), text_offset(self.raw[name], end))

    @property
    def notes(self) -> list[str]:
        """On references that are not where the file says."""
        found = []
        if self.moved:
            found.append(f"{self.moved} references do not stand at start_index; their first place is taken")
        if self.lost:
            found.append(
                f"{len(self.lost)} references are not in their corpus and are no gold, e.g. {self.lost[0]!r:.80}"
            )
        return found
