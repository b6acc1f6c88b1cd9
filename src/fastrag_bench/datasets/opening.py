"""A file or folder of any layout as a dataset source, for commands that are given nothing but a path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastrag_bench.component import Component, resolve
from fastrag_bench.contracts import DatasetSource
from fastrag_bench.datasets.dialects import recognise
from fastrag_bench.datasets.reading import head_of
from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError

SOURCES = {
    "beir": "beir.BeirDataset",
    "trec": "trec.TrecDataset",
    "squad": "squad.SquadDataset",
    "hotpotqa": "hotpotqa.HotpotQADataset",
    "ragas": "ragas.RagasDataset",
    "autorag": "autorag.AutoragDataset",
    "llamaindex": "llamaindex.LlamaIndexDataset",
    "deepeval": "deepeval.DeepEvalDataset",
    "chroma": "chroma.ChromaDataset",
    "files": "files.FilesDataset",
    "questions": "questions.QuestionsDataset",
}
"""Layout -> its class below `datasets.sources`."""


def open_source(path: Path, dialect: str | None = None, settings: Mapping[str, Any] | None = None) -> Component:
    """The source that reads a path.

    Args:
        path: a file or folder.
        dialect: its layout; None tells it from names and first records.
        settings: of the source, such as `{"split": "dev"}`; what can be told from the names of files is filled in.

    Raises:
        DatasetNotFoundError: there is no such path.
        ConfigurationError: the layout cannot be told, or a setting is wrong or missing.
    """
    if not path.exists():
        raise DatasetNotFoundError(f"{path}: there is no such file or folder (looked in {path.resolve().parent})")
    name = dialect or recognise(path)
    if name not in SOURCES:
        what = "no layout that is known" if name is None else f"{name!r}, which is no data set of its own"
        raise ConfigurationError(f"{path} has {what}; say which it is (there is: {', '.join(SOURCES)})")
    filled = {"path": str(path), **_guessed(path, name), **(settings or {})}
    return resolve({"_target_": f"fastrag_bench.datasets.sources.{SOURCES[name]}", **filled}, contract=DatasetSource)


def _guessed(path: Path, dialect: str) -> dict[str, str]:
    if path.is_dir() and dialect == "trec":
        return _trec_files(path)
    if dialect == "files" and path.is_dir():
        questions = next((file for file in sorted(path.glob("questions.*")) if file.is_file()), None)
        documents = path / "documents.jsonl"
        found = {"questions": str(questions)} if questions else {}
        return found | ({"path": str(documents)} if documents.is_file() else {})
    return {}


def _trec_files(folder: Path) -> dict[str, str]:
    """Documents by their content, topics and qrels by their names."""
    found: dict[str, str] = {}
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        name = file.name.casefold()
        if "qrel" in name:
            found.setdefault("qrels", str(file))
        elif "topic" in name or "quer" in name:
            found.setdefault("topics", str(file))
        elif b"<doc" in head_of(file, 4096).lower():
            found.setdefault("path", str(file))
    return found
