"""A dataset as the sources of a plan: its corpus by the digest of its content, its questions as items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.component import once_per_object
from fastrag_bench.contracts import BenchmarkData
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.plan.keys import digest, digest_bytes
from fastrag_bench.plan.stage import Source
from fastrag_bench.types import Corpus, Document, EvalSample


def question_id(question: str) -> str:
    """The item id of a question: a digest of its text, so that equal questions share their rows."""
    return digest_bytes(question.encode("utf-8", "surrogatepass"))


def _items(samples: list[EvalSample]) -> dict[str, str]:
    return {question_id(sample.question): sample.question for sample in samples}


question_items = once_per_object(_items, maxsize=8)
"""The distinct questions of a list of samples by item id, in order."""


def _corpus_source(corpus: Corpus) -> Source:
    key = digest(["corpus", [_record(document) for document in corpus]])
    return Source("corpus", key, corpus, _write_corpus, _read_corpus)


corpus_source = once_per_object(_corpus_source, maxsize=8)
"""The source of a corpus; its key is the digest of all ids, texts, uris and metadata."""


def needed_corpus(data: BenchmarkData) -> Corpus:
    """The dataset's documents; a ConfigurationError where it has none."""
    if not data.corpus:
        raise ConfigurationError(
            f"dataset {data.name!r} has no documents, which target=rag needs; "
            "give it documents (dataset=files dataset.path=FOLDER) or choose target=engine"
        )
    return data.corpus


def _write_corpus(corpus: Sequence[Document], folder: Path) -> None:
    with open(folder / "documents.jsonl", "w", encoding="ascii", newline="\n") as file:
        for document in corpus:
            file.write(json.dumps(_record(document)) + "\n")


def _read_corpus(folder: Path) -> Corpus:
    with open(folder / "documents.jsonl", encoding="ascii") as file:
        records = [json.loads(line) for line in file]
    return Corpus(Document(record["text"], record["metadata"], record["id"], record["uri"]) for record in records)


def _record(document: Document) -> dict[str, Any]:
    """What of a document can reach a pipeline; metadata as JSON, whatever has none as its text."""
    metadata = json.loads(json.dumps(document.metadata, default=str))
    return {"id": document.id, "text": document.text, "uri": document.uri, "metadata": metadata}
