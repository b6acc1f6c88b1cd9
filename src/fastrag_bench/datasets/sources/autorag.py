"""AutoRAG's pair of files: questions with groups of passages, and the passages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.cells import as_answers, is_list, native, parse_list
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.dialects import insist
from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.sources.documents import corpus_of, document_text, identifier_of, text_of
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, SchemaError
from fastrag_bench.types import Document, EvalSample

TABLES = (".parquet", ".jsonl", ".csv")


class AutoragDataset(Component):
    """A table of questions (`query`, `retrieval_gt`, `generation_gt`) and one of passages (`doc_id`, `contents`).

    Passages are the documents. `retrieval_gt` is a list of groups: each group is needed, and any of its passages is
    enough. `path`, `start_end_idx` and `metadata` of a passage are in its metadata.
    """

    path: str
    """The folder with both files, or the file of questions."""

    corpus: str | None = None
    """The file of passages; null: the file whose name says corpus where the questions' says qa."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    def load(self) -> BenchmarkData:
        """Questions in the order of their file."""
        path = Path(self.path).expanduser()
        if path.exists():
            insist(path, "autorag", others=("questions",))
        file = _only(path, "qa") if path.is_dir() else path
        passages = self._passages(file)
        records = read_records(passages, ReadOptions(list_separator=None))
        corpus = corpus_of(records, [_document(record) for record in records], passages)
        samples = [_sample(record) for record in read_records(file, ReadOptions(list_separator=None))]
        questions = QADataset(samples[: self.limit])
        return BenchmarkData(file.name.split(".")[0], questions, corpus, gold_notes(questions, corpus))

    def _passages(self, questions: Path) -> Path:
        if self.corpus is not None:
            return Path(self.corpus).expanduser()
        before, found, after = questions.name.rpartition("qa")
        beside = questions.with_name(f"{before}corpus{after}")
        if not found or not beside.is_file():
            raise DatasetNotFoundError(f"{beside}: there is no such file; name the passages with dataset.corpus=")
        return beside


def _only(folder: Path, word: str) -> Path:
    found = sorted(path for path in folder.iterdir() if word in path.stem and path.suffix.lower() in TABLES)
    if len(found) == 1:
        return found[0]
    names = ", ".join(path.name for path in found) or "none"
    raise ConfigurationError(
        f"{folder}: expected one file of questions (…qa.parquet), found {names}; name it with path="
    )


def _document(record: Record) -> Document:
    values = record.values
    extra = values.get("metadata")
    metadata: dict[str, Any] = {"autorag": extra} if isinstance(extra, dict) else {}
    metadata |= {name: values[name] for name in ("path", "start_end_idx") if values.get(name) is not None}
    return Document(document_text(text_of(record, "contents")), metadata, id=identifier_of(record, ("doc_id",)))


def _sample(record: Record) -> EvalSample:
    question = record.values.get("query")
    if not isinstance(question, str) or not question.strip():
        raise SchemaError(f"{record.where}: the question is missing or blank; it stands under query")
    groups = _groups(record)
    metadata: dict[str, Any] = {"id": record.values["qid"]} if record.values.get("qid") is not None else {}
    if contents := record.values.get("retrieval_gt_contents"):
        metadata["reference_contexts"] = [text for group in contents for text in group]
    if any(len(group) > 1 for group in groups):
        metadata["relevance_groups"] = groups
    ids = list(dict.fromkeys(name for group in groups for name in group))
    return EvalSample(question, as_answers(_value(record, "generation_gt"), record.where), ids, metadata)


def _value(record: Record, name: str) -> Any:
    value = native(record.values.get(name))
    is_cell = record.is_text and isinstance(value, str) and is_list(value)
    return parse_list(value.strip(), record.where) if is_cell else value


def _groups(record: Record) -> list[list[str]]:
    value = _value(record, "retrieval_gt")
    outer = [value] if isinstance(value, str) else ([] if value is None else value)
    if not isinstance(outer, list):
        raise SchemaError(f"{record.where}: retrieval_gt is a list of lists of ids, not {value!r:.80}")
    groups = [[item] if isinstance(item, (str, int)) else item for item in outer]
    if not all(isinstance(group, list) for group in groups):
        raise SchemaError(f"{record.where}: retrieval_gt is a list of lists of ids, not {value!r:.80}")
    return [[str(name) for name in group if str(name).strip()] for group in groups if group]
