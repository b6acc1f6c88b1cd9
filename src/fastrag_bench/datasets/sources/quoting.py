"""Questions whose evidence is quoted as text: found in documents, or made documents themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.cells import as_answers, is_list, is_missing, native, parse_list
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.documents import read_documents
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import SchemaError
from fastrag_bench.relevance.align import align
from fastrag_bench.types import Corpus, Document, EvalSample

QUOTED = "reference_contexts"
"""The field of the metadata that holds the quoted evidence."""

RETRIEVED = "retrieved_contexts"
"""The one that holds what some system retrieved: documents without being evidence."""


def quoting_data(path: Path, samples: Sequence[EvalSample], documents: str | None, limit: int | None) -> BenchmarkData:
    """Questions with gold from their quotes.

    With documents each quote is looked for in them (`align`). Without, each distinct text that any question quotes or
    retrieved is a document `context-1`, `context-2`, ... and the quoted ones are gold.
    """
    chosen = list(samples[:limit])
    corpus: Corpus | None
    notes: tuple[str, ...]
    if documents is not None:
        corpus, notes = read_documents(Path(documents).expanduser())
        alignment = align(chosen, corpus, quotes=QUOTED)
        chosen, notes = alignment.samples, (*notes, *alignment.notes)
    else:
        chosen, corpus, notes = _own_documents(chosen)
    questions = QADataset(chosen)
    return BenchmarkData(path.name.split(".")[0], questions, corpus, (*notes, *gold_notes(questions, corpus)))


def _own_documents(samples: Sequence[EvalSample]) -> tuple[list[EvalSample], Corpus | None, tuple[str, ...]]:
    names: dict[str, str] = {}
    for field in (QUOTED, RETRIEVED):
        for sample in samples:
            for text in sample.metadata.get(field, ()):
                names.setdefault(text, f"context-{len(names) + 1}")
    if not names:
        return list(samples), None, ()
    width = len(str(len(names)))
    names = {text: f"context-{int(name[8:]):0{width}}" for text, name in names.items()}
    found = [
        replace(sample, relevant_ids=list(dict.fromkeys(names[text] for text in sample.metadata.get(QUOTED, ()))))
        for sample in samples
    ]
    note = f"the {len(names)} contexts of the questions are the documents; name the real ones with dataset.documents="
    return found, Corpus(Document(text, id=name) for text, name in names.items()), (note,)


class Row:
    """One record, read by field names; of several the first that has a value."""

    def __init__(self, record: Record, aliases: Iterable[tuple[str, str]] = ()) -> None:
        renamed = dict(aliases)
        self.where = record.where
        self.values: dict[str, Any] = {
            renamed.get(key.strip(), key.strip()): native(value) for key, value in record.values.items()
        }
        self._is_text = record.is_text
        self.used: set[str] = set()

    def value(self, *names: str) -> Any:
        """The value, lists in text cells taken apart; None where there is none."""
        self.used.update(names)
        found = next((self.values[name] for name in names if not is_missing(self.values.get(name))), None)
        if self._is_text and isinstance(found, str) and is_list(found):
            return parse_list(found.strip(), self.where)
        return found

    def question(self, *names: str) -> str:
        """A text that has to be there; raises SchemaError."""
        value = self.value(*names)
        if isinstance(value, str) and value.strip():
            return value
        what = "is missing or blank" if value is None else "is not text (several turns are not read here)"
        raise SchemaError(
            f"{self.where}: the question {what}; it stands under {' or '.join(names)}. "
            f"The fields are: {', '.join(map(repr, self.values))}"
        )

    def texts(self, *names: str) -> list[str]:
        """A list of texts, or one text; blank ones are left out."""
        value = self.value(*names)
        texts = [value] if isinstance(value, str) else ([] if value is None else value)
        if isinstance(texts, list) and all(isinstance(text, str) or text is None for text in texts):
            return [text for text in texts if text and text.strip()]
        raise SchemaError(f"{self.where}: {names[0]!r} is a list of texts, not {value!r:.80}")

    def answers(self, *names: str) -> list[str]:
        """Answers as in any other file."""
        return as_answers(self.value(*names), self.where)

    def rest(self) -> dict[str, Any]:
        """The fields that nothing has asked for."""
        return {name: value for name, value in self.values.items() if name not in self.used}


def quotes_of(row: Row, quoted: Sequence[str], retrieved: Sequence[str]) -> dict[str, Any]:
    """The two lists of texts as metadata, each only where it has any."""
    fields = {QUOTED: row.texts(*quoted) if quoted else [], RETRIEVED: row.texts(*retrieved) if retrieved else []}
    return {name: texts for name, texts in fields.items() if texts}
