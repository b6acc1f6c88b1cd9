"""Which layout a file or folder has, told from its names and its first record."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.formats import READERS, read_records
from fastrag_bench.datasets.json_files import parse
from fastrag_bench.datasets.reading import UNPACKERS, ReadOptions, head_of, read_text
from fastrag_bench.errors import ConfigurationError

SETTINGS = {
    "beir": "dataset=beir dataset.path={path}",
    "trec": "dataset=trec dataset.path={path} dataset.topics=FILE dataset.qrels=FILE",
    "squad": "dataset=squad dataset.path={path}",
    "hotpotqa": "dataset=hotpotqa dataset.path={path}",
    "ragas": "dataset=ragas dataset.path={path}",
    "autorag": "dataset=autorag dataset.path={path}",
    "llamaindex": "dataset=llamaindex dataset.path={path}",
    "deepeval": "dataset=deepeval dataset.path={path}",
    "chroma": "dataset=chroma dataset.path={path}",
    "files": "dataset=files dataset.path={path} dataset.questions=FILE",
    "questions": "dataset=questions dataset.path={path}",
    "qrels": "dataset=beir or dataset.qrels={path} of dataset=trec",
    "run": "fastrag-bench data evaluate QRELS {path}",
}
"""What to say on the command line for each layout."""

_TABLES = ("jsonl", "jsonl.gz", "jsonl.bz2", "parquet", "csv", "tsv", "json")
_TEXTS = {".md", ".markdown", ".txt", ".html", ".htm", ".pdf"}
_SGML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<[\w-]+>\s*)?<(?:doc|top|topics?)\b", re.IGNORECASE)
_QRELS = re.compile(rb"\S+\s+\S+\s+\S+\s+-?[0-9]+\r?\n")
_RUN = re.compile(rb"\S+\s+\S+\s+\S+\s+[0-9]+\s+[-+.0-9eE]+\s+\S+\r?\n")


def recognise(path: Path) -> str | None:
    """The layout's name, or None where nothing tells it; damaged files tell nothing."""
    try:
        return _of_folder(path) if path.is_dir() else _of_file(path)
    except (ConfigurationError, OSError):
        return None


def insist(path: Path, dialect: str, *, others: Collection[str] = ()) -> None:
    """Refuse a file or folder that is plainly in another layout than `dialect`, and say how to read it.

    Raises:
        ConfigurationError: it is another one; `others` are let pass.
    """
    found = recognise(path)
    if found is not None and found != dialect and found not in others:
        raise ConfigurationError(
            f"{path} is in the layout {found!r}, not {dialect!r}; say {SETTINGS[found].format(path=path)}"
        )


def _of_folder(folder: Path) -> str | None:
    names = {path.name for path in folder.iterdir()}
    if all(any(f"{stem}.{suffix}" in names for suffix in _TABLES) for stem in ("corpus", "queries")):
        return "beir"
    tables = [name for name in names if name.endswith((".parquet", ".csv", ".jsonl"))]
    if any("corpus" in name for name in tables) and any("qa" in name for name in tables):
        return "autorag"
    if "questions_df.csv" in names:
        return "chroma"
    if "rag_dataset.json" in names:
        return "llamaindex"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))[:20]
    if any(_of_text(path) == "trec" for path in files if path.suffix.lower() not in _TEXTS):
        return "trec"
    return "files" if any(path.suffix.lower() in _TEXTS for path in files) else None


def _of_file(path: Path) -> str | None:
    suffix = path.suffix.lower()
    suffix = Path(path.stem).suffix.lower() if suffix in UNPACKERS else suffix
    if suffix in READERS:
        text = _of_text(path) if suffix in (".tsv", ".csv") else None
        return text or _of_value(_first_value(path, suffix))
    return _of_text(path)


def _of_text(path: Path) -> str | None:
    head = head_of(path, 4096)
    if _SGML.match(head):
        return "trec"
    if head.startswith(b"query-id\tcorpus-id") or (_QRELS.match(head) and len(head.split(b"\n")[0].split()) == 4):
        return "qrels"
    return "run" if _RUN.match(head) else None


def _first_value(path: Path, suffix: str) -> Any:
    if suffix == ".json":
        return parse(read_text(path, ReadOptions(max_bytes=1 << 31)), where=str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = read_records(path, ReadOptions(limit=1))
    return [dict(record.values) for record in records]


def _of_value(value: Any) -> str | None:
    if isinstance(value, Mapping):
        return _of_object(value)
    first = value[0] if isinstance(value, list) and value else None
    return _of_record(first) if isinstance(first, Mapping) else None


def _of_object(value: Mapping[str, Any]) -> str | None:
    if {"queries", "corpus", "relevant_docs"} <= value.keys():
        return "llamaindex"
    for key, record_key, dialect in (
        ("data", "paragraphs", "squad"),
        ("examples", "query", "llamaindex"),
        ("goldens", "input", "deepeval"),
        ("test_cases", "input", "deepeval"),
    ):
        items = value.get(key)
        if isinstance(items, list) and items and isinstance(items[0], Mapping) and record_key in items[0]:
            return dialect
    return "questions" if isinstance(value.get("samples"), list) else None


def _of_record(record: Mapping[str, Any]) -> str | None:
    keys = {str(key).strip() for key in record}
    for needed, dialect in (
        ({"question", "supporting_facts", "context"}, "hotpotqa"),
        ({"question", "references", "corpus_id"}, "chroma"),
        ({"query", "retrieval_gt"}, "autorag"),
        ({"question", "context", "answers"}, "squad"),
        ({"eval_sample"}, "ragas"),
        ({"user_input"}, "ragas"),
        ({"question", "contexts", "ground_truth"}, "ragas"),
        ({"question", "contexts", "ground_truths"}, "ragas"),
        ({"query", "reference_contexts", "reference_answer"}, "llamaindex"),
        ({"input", "expected_output"}, "deepeval"),
        ({"input", "actual_output"}, "deepeval"),
        ({"input", "expectedOutput"}, "deepeval"),
    ):
        if needed <= keys:
            return dialect
    return "questions" if keys & {"question", "query"} else None
