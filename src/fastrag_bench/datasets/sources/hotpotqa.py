"""HotpotQA (Yang et al. 2018): questions over several paragraphs, with the sentences that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.documents import document_text
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import SchemaError
from fastrag_bench.relevance.align import span_id
from fastrag_bench.types import Corpus, Document, EvalSample


class HotpotQADataset(Component):
    """Records with `question`, `answer`, `context` (titles and sentences) and `supporting_facts` (titles and numbers).

    The paragraphs of all questions are the documents, named by their titles; each supporting sentence is a span of
    gold.
    """

    path: str
    """The file: .json, .jsonl or .parquet, with lists of pairs or columns of lists."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file; a note counts supporting sentences that are not there."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "hotpotqa")
        reader = _Reader()
        samples = [reader.sample(record) for record in read_records(path, ReadOptions(list_separator=None))]
        questions, corpus = QADataset(samples[: self.limit]), Corpus(reader.documents.values())
        notes = [f"{reader.lost} supporting sentences are not in the context and are no gold"] if reader.lost else []
        return BenchmarkData(path.name.split(".")[0], questions, corpus, (*notes, *gold_notes(questions, corpus)))


@dataclass
class _Reader:
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    titles: dict[str, int] = field(default_factory=dict)
    lost: int = 0

    def sample(self, record: Record) -> EvalSample:
        values, where = record.values, record.where
        question = values.get("question")
        if not isinstance(question, str) or not question.strip():
            raise SchemaError(f"{where}: the question is missing or blank")
        paragraphs = dict(_pairs(values.get("context"), "sentences", where))
        held = {title: self._document(title, sentences, where) for title, sentences in paragraphs.items()}
        ids = []
        for title, number in _pairs(values.get("supporting_facts", []), "sent_id", where):
            span = _sentence(paragraphs.get(title, ()), number)
            self.lost += span is None
            if span is not None:
                ids.append(span_id(str(held[title].id), *span))
        answer = values.get("answer")
        fields = {"_id": "id", "id": "id", "type": "type", "level": "level"}
        metadata = {name: values[key] for key, name in fields.items() if values.get(key) is not None}
        return EvalSample(question, [answer] if isinstance(answer, str) else [], list(dict.fromkeys(ids)), metadata)

    def _document(self, title: str, sentences: Any, where: str) -> Document:
        if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
            raise SchemaError(f"{where}: the sentences of {title!r} are a list of texts")
        text = document_text("".join(sentences))
        if (title, text) not in self.documents:
            number = self.titles[title] = self.titles.get(title, 0) + 1
            name = title if number == 1 else f"{title} ({number})"
            self.documents[title, text] = Document(text, {"title": title}, id=name)
        return self.documents[title, text]


def _pairs(value: Any, second: str, where: str) -> list[tuple[str, Any]]:
    """`[[title, x], ...]`, or `{"title": [...], second: [...]}`."""
    if isinstance(value, Mapping) and {"title", second} <= value.keys():
        value = list(zip(value["title"], value[second], strict=False))
    if isinstance(value, list) and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in value):
        return [(str(title), thing) for title, thing in value]
    raise SchemaError(f"{where}: expected pairs of a title and {second}, not {value!r:.80}")


def _sentence(sentences: Any, number: Any) -> tuple[int, int] | None:
    """The characters of a sentence in the paragraph, without the blanks around it."""
    if not isinstance(number, int) or not 0 <= number < len(sentences):
        return None
    before = len(document_text("".join(sentences[:number])))
    text = document_text(sentences[number])
    start = before + len(text) - len(text.lstrip())
    end = before + len(text.rstrip())
    return (start, end) if start < end else None
