"""Data in the layouts of other tools. What a layout cannot hold is said, never dropped in silence."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.datasets.native import native_text
from fastrag_bench.datasets.sources.collection import ANSWERS
from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.files import dump_json, write_atomic
from fastrag_bench.relevance.gold import gold_of, parse_span
from fastrag_bench.types import Corpus, Document, EvalSample

MODIFIED = "1970-01-01T00:00:00"
"""AutoRAG wants a time in each passage's metadata; a fixed one keeps files reproducible."""


@dataclass(frozen=True)
class Written:
    """What reads the files again, and what they could not hold."""

    settings: str
    notes: tuple[str, ...] = ()


def write_data(data: BenchmarkData, folder: Path, layout: str) -> Written:
    """Write questions and documents into a folder.

    Raises:
        ConfigurationError: an unknown layout, a folder with something in it, or ids the layout cannot hold.
        MissingExtraError: `autorag` without pyarrow.
    """
    if layout not in LAYOUTS:
        raise ConfigurationError(f"no layout is called {layout!r} (there is: {', '.join(LAYOUTS)})")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(f"{folder} is not an empty folder; name another one")
    if data.corpus is None and layout not in ("native", "csv"):
        raise ConfigurationError(f"{data.name} has no documents, which {layout} needs; write native or csv")
    return LAYOUTS[layout](data, folder)


def _native(data: BenchmarkData, folder: Path) -> Written:
    write_atomic(folder / "questions.json", native_text(data.questions.samples))
    return Written(_files_settings(data, folder, "questions.json"))


def _csv(data: BenchmarkData, folder: Path) -> Written:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["question", "expected_answers", "relevant_ids", "metadata"])
    for sample in data.questions:
        lists = [dump_json(value) for value in (sample.expected_answers, sample.relevant_ids, sample.metadata)]
        writer.writerow([sample.question, *lists])
    write_atomic(folder / "questions.csv", text.getvalue())
    return Written(_files_settings(data, folder, "questions.csv"))


def _files_settings(data: BenchmarkData, folder: Path, name: str) -> str:
    if data.corpus is None:
        return f"dataset=questions dataset.path={folder / name}"
    _documents(data.corpus, folder)
    return f"dataset=files dataset.path={folder / 'documents.jsonl'} dataset.questions={folder / name}"


def _documents(corpus: Corpus, folder: Path) -> None:
    _lines(
        folder / "documents.jsonl",
        ({"id": document.id, "text": document.text, **_metadata(document)} for document in corpus),
    )


def _metadata(document: Document) -> dict[str, Any]:
    return {key: value for key, value in document.metadata.items() if key not in ("id", "_id", "doc_id", "text")}


def _lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    write_atomic(path, "".join(dump_json(row) + "\n" for row in rows))


def _beir(data: BenchmarkData, folder: Path) -> Written:
    corpus = _corpus(data)
    _lines(folder / "corpus.jsonl", map(_beir_document, corpus))
    names = _names(data.questions.samples)
    _lines(folder / "queries.jsonl", (_beir_query(*pair) for pair in zip(names, data.questions, strict=True)))
    rows = ["query-id\tcorpus-id\tscore"]
    for name, sample in zip(names, data.questions, strict=True):
        rows += [f"{_plain(name, chr(9))}\t{_plain(document, chr(9))}\t{grade}" for document, grade in _judged(sample)]
    write_atomic(folder / "qrels" / "test.tsv", "\n".join(rows) + "\n")
    return Written(f"dataset=beir dataset.path={folder}", _lost(data.questions.samples, corpus))


def _beir_document(document: Document) -> dict[str, Any]:
    title = str(document.metadata.get("title") or "")
    head = title and document.text.startswith(f"{title} ")
    extra = {key: value for key, value in _metadata(document).items() if key != "title"}
    text = document.text[len(title) + 1 :] if head else document.text
    return {"_id": document.id, "title": title if head else "", "text": text, "metadata": extra}


def _beir_query(name: str, sample: EvalSample) -> dict[str, Any]:
    hidden = ("id", "relevance_grades", "relevance_groups")
    metadata = {key: value for key, value in sample.metadata.items() if key not in hidden}
    answers = {ANSWERS: sample.expected_answers} if sample.expected_answers else {}
    return {"_id": name, "text": sample.question, "metadata": {**metadata, **answers}}


def _trec(data: BenchmarkData, folder: Path) -> Written:
    corpus = _corpus(data)
    documents = [
        f"<DOC>\n<DOCNO>{_plain(document.id or '')}</DOCNO>\n{_escaped(document.text)}\n</DOC>\n" for document in corpus
    ]
    names = [_plain(name) for name in _names(data.questions.samples)]
    pairs = list(zip(names, data.questions, strict=True))
    topics = [
        f"<top>\n<num>{name}</num>\n<title>{_escaped(' '.join(sample.question.split()))}</title>\n</top>\n"
        for name, sample in pairs
    ]
    rows = [f"{name} 0 {_plain(document)} {grade}\n" for name, sample in pairs for document, grade in _judged(sample)]
    for file, parts in (("documents.trec", documents), ("topics.trec", topics), ("qrels.txt", rows)):
        write_atomic(folder / file, "".join(parts))
    answers = sum(bool(sample.expected_answers) for sample in data.questions)
    notes = [f"the expected answers of {answers} questions have no place in TREC's files"] if answers else []
    files = f"dataset.topics={folder / 'topics.trec'} dataset.qrels={folder / 'qrels.txt'}"
    settings = f"dataset=trec dataset.path={folder / 'documents.trec'} {files}"
    return Written(settings, (*notes, *_lost(data.questions.samples, corpus)))


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _ragas(data: BenchmarkData, folder: Path) -> Written:
    corpus = _corpus(data)
    _documents(corpus, folder)
    _lines(folder / "ragas.jsonl", (_ragas_row(sample, corpus) for sample in data.questions))
    several = sum(len(sample.expected_answers) > 1 for sample in data.questions)
    notes = (f"{several} questions have several answers; ragas has one reference, the first",) if several else ()
    settings = f"dataset=ragas dataset.path={folder / 'ragas.jsonl'} dataset.documents={folder / 'documents.jsonl'}"
    return Written(settings, notes)


def _ragas_row(sample: EvalSample, corpus: Corpus) -> dict[str, Any]:
    texts = [text for name in sample.relevant_ids if (text := text_of_id(name, corpus)) is not None]
    row: dict[str, Any] = {"user_input": sample.question, "reference_contexts": texts}
    row |= {"reference": sample.expected_answers[0]} if sample.expected_answers else {}
    return {**sample.metadata, **row, "reference_context_ids": sample.relevant_ids}


def text_of_id(name: str, corpus: Corpus) -> str | None:
    """The text of a span or document that an id names; None for an id that names nothing."""
    document = corpus.get(name)
    if document is not None:
        return document.text
    span = parse_span(name)
    held = corpus.get(span.document) if span is not None else None
    return None if span is None or held is None else held.text[span.start : span.end]


def _autorag(data: BenchmarkData, folder: Path) -> Written:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("Writing Parquet files", extra="datasets") from None
    corpus = _corpus(data)
    rows = [
        {
            "qid": name,
            "query": sample.question,
            "retrieval_gt": [list(dict.fromkeys(map(_document_of, group))) for group in gold_of(sample).groups],
            "generation_gt": sample.expected_answers,
        }
        for name, sample in zip(_names(data.questions.samples), data.questions, strict=True)
    ]
    passages = [
        {"doc_id": document.id, "contents": document.text, "metadata": {"last_modified_datetime": MODIFIED}}
        for document in corpus
    ]
    folder.mkdir(parents=True, exist_ok=True)
    texts = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema(
        [
            *(("qid", pyarrow.string()), ("query", pyarrow.string())),
            *(("retrieval_gt", pyarrow.list_(texts)), ("generation_gt", texts)),
        ]
    )
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), folder / "qa.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(passages), folder / "corpus.parquet")
    return Written(f"dataset=autorag dataset.path={folder}", _spans_lost(data.questions.samples, corpus))


LAYOUTS: dict[str, Callable[[BenchmarkData, Path], Written]] = {
    "native": _native,
    "csv": _csv,
    "beir": _beir,
    "trec": _trec,
    "ragas": _ragas,
    "autorag": _autorag,
}
"""Layout -> its writer."""


def _corpus(data: BenchmarkData) -> Corpus:
    assert data.corpus is not None
    return data.corpus


def _names(samples: Sequence[EvalSample]) -> list[str]:
    """The ids of questions, `q1`, `q2`, ... where they have none or equal ones."""
    names = [str(sample.metadata.get("id", "")) for sample in samples]
    if all(names) and len(set(names)) == len(names):
        return names
    return [f"q{number}" for number in range(1, len(samples) + 1)]


def _document_of(name: str) -> str:
    span = parse_span(name)
    return name if span is None else span.document


def _judged(sample: EvalSample) -> list[tuple[str, int]]:
    """Documents with their grades: those given, and 1 for evidence without one; spans stand for their documents."""
    grades = sample.metadata.get("relevance_grades") or {}
    found = {str(name): int(grade) for name, grade in grades.items()}
    for name in sample.relevant_ids:
        found.setdefault(_document_of(name), 1)
    return list(found.items())


def _plain(name: str, forbidden: str | None = None) -> str:
    """An id that a file of columns can hold."""
    if name and (not any(mark in name for mark in (forbidden, "\n")) if forbidden else len(name.split()) == 1):
        return name
    what = "a tab or line break" if forbidden else "blank space"
    raise ConfigurationError(f"the id {name!r} has {what} in it, which this layout's columns cannot hold")


def _lost(samples: Sequence[EvalSample], corpus: Corpus) -> tuple[str, ...]:
    groups = sum(bool(sample.metadata.get("relevance_groups")) for sample in samples)
    notes = (f"{groups} questions have groups of alternatives, which became needed one by one",) if groups else ()
    return (*notes, *_spans_lost(samples, corpus))


def _spans_lost(samples: Sequence[EvalSample], corpus: Corpus) -> tuple[str, ...]:
    spans = sum(
        parse_span(name) is not None and corpus.get(name) is None for each in samples for name in each.relevant_ids
    )
    return (f"{spans} gold spans became their documents",) if spans else ()
