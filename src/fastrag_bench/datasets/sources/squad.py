"""SQuAD (Rajpurkar et al. 2016, 2018): paragraphs, and answers as spans of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.cells import native
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.json_files import read_value
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.sources.documents import document_text, text_offset
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import SchemaError
from fastrag_bench.relevance.align import span_id
from fastrag_bench.types import Corpus, Document, EvalSample


class SquadDataset(Component):
    """SQuAD 1.1 and 2.0, as `{"data": [...]}` or as flat records with `context`, `question` and `answers`.

    Each paragraph is a document, named by its title and its number among the title's. The answers' spans are
    alternatives; questions without an answer have no gold and `answerable: false`.
    """

    path: str
    """The file: .json, or a flat .jsonl or .parquet."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file; a note says how many answers are not where the file says."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "squad")
        reader = _Reader()
        samples = [reader.sample(question) for question in _questions(path)]
        questions, corpus = QADataset(samples[: self.limit]), Corpus(reader.documents.values())
        return BenchmarkData(
            path.name.split(".")[0], questions, corpus, (*reader.notes, *gold_notes(questions, corpus))
        )


@dataclass(frozen=True)
class _Question:
    where: str
    title: str
    context: str
    fields: Mapping[str, Any]


def _questions(path: Path) -> Iterator[_Question]:
    if path.suffix.lower() == ".json":
        value = read_value(path)
        if isinstance(value, Mapping) and isinstance(value.get("data"), list):
            yield from _nested(value["data"], str(path))
            return
    for record in read_records(path, ReadOptions(list_separator=None)):
        fields = record.values
        if not isinstance(fields.get("context"), str):
            raise SchemaError(f"{record.where}: no text under 'context'; SQuAD has it beside 'question' and 'answers'")
        yield _Question(record.where, str(fields.get("title") or "document"), fields["context"], fields)


def _nested(articles: list[Any], where: str) -> Iterator[_Question]:
    try:
        for number, article in enumerate(articles, start=1):
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    place = f"{where}, article {number}, question {question.get('id')!r}"
                    yield _Question(place, str(article.get("title") or number), paragraph["context"], question)
    except (KeyError, TypeError, AttributeError) as error:
        raise SchemaError(
            f"{where}, article {number}: not an article of SQuAD ({type(error).__name__}: {error})"
        ) from None


@dataclass
class _Reader:
    documents: dict[tuple[str, str], Document] = field(default_factory=dict)
    titles: dict[str, int] = field(default_factory=dict)
    elsewhere: int = 0
    nowhere: int = 0

    def sample(self, question: _Question) -> EvalSample:
        document = self._document(question)
        texts, starts = _answers(question)
        spans = [self._span(question.context, document, *answer) for answer in zip(texts, starts, strict=True)]
        ids = list(dict.fromkeys(span for span in spans if span is not None))
        metadata: dict[str, Any] = {"id": question.fields["id"]} if "id" in question.fields else {}
        if not texts:
            metadata |= {"answerable": False, "document": document.id}
        if len(ids) > 1:
            metadata["relevance_groups"] = [ids]
        text = question.fields.get("question")
        if not isinstance(text, str) or not text.strip():
            raise SchemaError(f"{question.where}: the question is missing or blank")
        return EvalSample(text, list(dict.fromkeys(texts)), ids, metadata)

    def _document(self, question: _Question) -> Document:
        key = question.title, question.context
        if key not in self.documents:
            number = self.titles[question.title] = self.titles.get(question.title, 0) + 1
            text, metadata = document_text(question.context), {"title": question.title}
            self.documents[key] = Document(text, metadata, id=f"{question.title}/{number}")
        return self.documents[key]

    def _span(self, context: str, document: Document, text: str, start: int | None) -> str | None:
        if start is None or context[start : start + len(text)] != text:
            start = context.find(text)
            self.elsewhere += start >= 0
            self.nowhere += start < 0
            if start < 0:
                return None
        first, last = text_offset(context, start), text_offset(context, start + len(text))
        return span_id(str(document.id), first, last) if first < last else None

    @property
    def notes(self) -> list[str]:
        """On answers that are not where the file says."""
        found = []
        if self.elsewhere:
            found.append(f"{self.elsewhere} answers do not stand at answer_start; their first place is taken")
        if self.nowhere:
            found.append(f"{self.nowhere} answers are not in their paragraph and are no gold")
        return found


def _answers(question: _Question) -> tuple[list[str], list[int | None]]:
    """Texts and starts, from `[{"text", "answer_start"}]` or `{"text": [...], "answer_start": [...]}`."""
    value = native(question.fields.get("answers"))
    if question.fields.get("is_impossible") or value is None:
        return [], []
    try:
        if isinstance(value, Mapping):
            texts, starts = list(value["text"]), list(value.get("answer_start") or [None] * len(value["text"]))
        else:
            texts, starts = [each["text"] for each in value], [each.get("answer_start") for each in value]
    except (KeyError, TypeError, AttributeError):
        texts, starts = [None], []
    if len(texts) == len(starts) and all(isinstance(text, str) for text in texts):
        return texts, starts
    raise SchemaError(f"{question.where}: answers are texts with their answer_start, not {value!r:.80}")
