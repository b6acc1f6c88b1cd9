"""The journal of a run: each finished question, one line of JSON, flushed as it is written."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from fastrag_bench.datasets import EvalSample, QADataset, sample_digest
from fastrag_bench.errors import ConfigurationError, SchemaError
from fastrag_bench.files import dump_json
from fastrag_bench.result_files import Fields, read_sample, read_time
from fastrag_bench.results import SampleResult

KIND = "fastrag_bench.journal"


@dataclass
class Journal:
    """An open journal, and what an earlier run of the same thing left in it."""

    file: IO[bytes]
    digests: list[str]
    created_at: datetime
    elapsed_s: float = 0.0
    """Seconds that earlier runs spent."""

    finished: dict[int, SampleResult] = field(default_factory=dict)
    """By position; questions that errored are left out, so that they are asked again."""

    def append(self, index: int, result: SampleResult, elapsed_s: float) -> None:
        """Write down a finished question."""
        row = {
            "index": index,
            "sample": self.digests[index],
            "elapsed_s": self.elapsed_s + elapsed_s,
            "result": vars(result),
        }
        self._write(row)

    def _write(self, row: dict[str, Any]) -> None:
        self.file.write(dump_json(row).encode("utf-8", "backslashreplace") + b"\n")
        self.file.flush()

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def open_journal(
    path: str | os.PathLike[str],
    *,
    name: str,
    samples: Sequence[EvalSample],
    metrics: Sequence[str],
    resume: bool,
) -> Journal:
    """Begin a journal, or go on with one that is about the same name, questions and metrics.

    Raises:
        ConfigurationError: the file has something in it and `resume` is false, or it is about something else.
    """
    where = Path(path)
    where.parent.mkdir(parents=True, exist_ok=True)
    header = {"kind": KIND, "name": name, "dataset": QADataset(list(samples)).fingerprint(), "metrics": list(metrics)}
    rows, end = _read(where)
    if rows and not resume:
        raise ConfigurationError(f"{path}: the journal of an earlier run; resume=True goes on with it, or remove it")
    file = where.open("r+b" if where.exists() else "w+b")
    try:
        file.truncate(end)
        file.seek(end)
        return _continued(file, rows, header, samples, str(path))
    except BaseException:
        file.close()
        raise


def _continued(
    file: IO[bytes], rows: list[dict[str, Any]], header: dict[str, Any], samples: Sequence[EvalSample], where: str
) -> Journal:
    journal = Journal(file, [sample_digest(sample) for sample in samples], datetime.now(UTC))
    if not rows:
        journal._write({**header, "created_at": journal.created_at.isoformat()})
        return journal
    for key, value in header.items():
        if rows[0].get(key) != value:
            raise ConfigurationError(f"{where}: the journal is of another run: its {key} differs; name another file")
    journal.created_at = read_time(rows[0].get("created_at"), f"{where}, line 1: created_at")
    for number, row in enumerate(rows[1:], start=2):
        _take(journal, Fields(row, f"{where}, line {number}"))
    return journal


def _take(journal: Journal, row: Fields) -> None:
    index = row.values.get("index")
    if not isinstance(index, int) or not 0 <= index < len(journal.digests):
        raise SchemaError(f"{row.where}: index is {index!r}")
    if row.values.get("sample") != journal.digests[index]:
        raise SchemaError(f"{row.where}: is about another question")
    result = row.read("result", read_sample)
    journal.elapsed_s = row.number("elapsed_s")
    journal.finished.pop(index, None)
    if result.status != "errored":
        journal.finished[index] = result


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The rows, and where the last whole line ends; a torn last line is what a killed process leaves."""
    data = path.read_bytes() if path.is_file() else b""
    end = data.rfind(b"\n") + 1
    rows = []
    for number, line in enumerate(data[:end].split(b"\n")[:-1], start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SchemaError(f"{path}, line {number}: not JSON: {error}; name another file for the journal") from None
        if not isinstance(row, dict):
            raise SchemaError(f"{path}, line {number}: not the journal of a run")
        rows.append(row)
    return rows, end
