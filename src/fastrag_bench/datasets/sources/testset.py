"""A test set that was made from one's own documents, with those documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fastrag_bench.component import Component
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.dataset import QADataset
from fastrag_bench.datasets.reading import ReadOptions, check_file, read_lines, read_text
from fastrag_bench.datasets.sources.documents import read_document, read_jsonl_documents
from fastrag_bench.datasets.sources.gold import gold_notes
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, SchemaError
from fastrag_bench.relevance.stale import refuse_stale
from fastrag_bench.types import Corpus, EvalSample

QUESTIONS = "testset.jsonl"
DOCUMENTS = "corpus.json"


class TestsetDataset(Component):
    """The folder that `python -m fastrag_bench.testset` writes: `testset.jsonl` and `corpus.json`."""

    __test__ = False  # pytest collects classes by this beginning of their name

    path: str
    """The folder."""

    documents: str | None = None
    """Where the documents are now; null: where `corpus.json` says, relative to itself."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first so many questions."""

    allow_stale: bool = False
    """Where documents changed since: find the evidence again by its text instead of refusing it."""

    def load(self) -> BenchmarkData:
        """Questions in the order of the file; documents are those that were read when the test set was made.

        Raises:
            DatasetNotFoundError: a file or a document is not there.
            ConfigurationError: a document has changed, and `allow_stale` is not set.
        """
        folder = Path(self.path).expanduser()
        if not folder.is_dir():
            raise DatasetNotFoundError(f"{folder}: there is no such folder; python -m fastrag_bench.testset makes one")
        questions = read_questions(folder / QUESTIONS)[: self.limit]
        corpus = read_corpus(folder / DOCUMENTS, None if self.documents is None else Path(self.documents).expanduser())
        notes: tuple[str, ...] = ()
        moved = refuse_stale(questions.samples, corpus, allow_stale=self.allow_stale)
        if moved is not None:
            questions, notes = QADataset(moved.samples), moved.notes
        return BenchmarkData(folder.resolve().name, questions, corpus, (*notes, *gold_notes(questions, corpus)))


def read_questions(path: Path) -> QADataset:
    """The questions of a `testset.jsonl`."""
    check_file(path)
    rows = []
    for number, line in read_lines(path, ReadOptions()):
        if line.strip():
            try:
                rows.append((f"{path}, line {number}", json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise SchemaError(f"{path}, line {number}: not JSON: {error}") from None
    return questions_of_rows(rows)


def questions_of_rows(rows: Iterable[tuple[str, Any]], *, multi_turn: str = "error") -> QADataset:
    """Samples from (place, row): the question, its answers, its evidence; all else is metadata.

    Args:
        rows: as `Testset.to_list` gives them.
        multi_turn: what becomes of conversations: `error`, `skip` or `last`.

    Raises:
        SchemaError: a conversation, or a row without a question.
    """
    if multi_turn not in ("error", "skip", "last"):
        raise ConfigurationError(f"multi_turn is error, skip or last, not {multi_turn!r}")
    samples = []
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise SchemaError(f"{where}: expected an object, not {row!r:.80}")
        if isinstance(row.get("user_input"), list):
            if multi_turn == "error":
                raise SchemaError(f'{where}: a conversation; say multi_turn="skip", or "last" to ask its last question')
            if multi_turn == "skip":
                continue
        samples.append(_sample(row, where))
    return QADataset(samples)


def _sample(row: Mapping[str, Any], where: str) -> EvalSample:
    metadata: dict[str, Any] = dict(row.get("metadata") or {})
    question = row.get("user_input")
    if isinstance(question, list):
        asked = [n for n, turn in enumerate(question) if turn.get("type", turn.get("role")) in ("human", "user")]
        metadata["history"] = question[: asked[-1]] if asked else question
        question = question[asked[-1]]["content"] if asked else None
    if not isinstance(question, str) or not question.strip():
        raise SchemaError(f"{where}: no question under user_input")
    answers = [row["reference"]] if row.get("reference") else []
    answers += [text for text in metadata.pop("accepted_answers", []) if text not in answers]
    metadata = {"synthesizer": row.get("synthesizer_name"), **metadata}
    for name, field in (("persona", "persona_name"), ("style", "query_style"), ("length", "query_length")):
        if row.get(field) is not None:
            metadata[name] = row[field]
    if row.get("reference_contexts"):
        metadata["reference_contexts"] = row["reference_contexts"]
    ids = [str(name) for name in row.get("reference_context_ids") or []]
    ids += [name for group in metadata.get("relevance_groups", []) for name in group if name not in ids]
    return EvalSample(question, answers, list(dict.fromkeys(ids)), metadata)


def read_corpus(path: Path, documents: Path | None = None) -> Corpus:
    """The documents that a `corpus.json` lists.

    Args:
        path: the file.
        documents: where they are now; None is where the file says, relative to itself.

    Raises:
        DatasetNotFoundError: a document is not there.
        SchemaError: the file is no list of documents.
    """
    check_file(path)
    try:
        listing = json.loads(read_text(path, ReadOptions()))
        root, names = listing["root"], [entry["id"] for entry in listing["documents"]]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise SchemaError(f"{path}: not a list of documents: {type(error).__name__}: {error}") from None
    base = documents if documents is not None else (path.parent / root).resolve()
    if base.is_file():
        corpus, _ = read_jsonl_documents(base)
        missing = [name for name in names if name not in corpus.positions]
        found = [document for document in corpus if document.id in set(names)]
    else:
        missing = [name for name in names if not (base / name).is_file()]
        found = [] if missing else [read_document(base / name, name) for name in names]
    if missing:
        raise DatasetNotFoundError(
            f"{base}: {len(missing)} of {len(names)} documents are not there, e.g. {missing[0]!r}; "
            f"dataset.documents= says where they are now, or make the test set anew"
        )
    return Corpus(found)
