"""The file of a result: JSON that a person can read, checked field by field when it is read back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, get_args

from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError, SchemaError
from fastrag_bench.files import dump_json
from fastrag_bench.results import BenchmarkResult, SampleResult, SampleStatus, StatusCounts
from fastrag_bench.types import DistributionSummary

KIND = "fastrag_bench.result"
SCHEMA_VERSION = 1
STATUSES = get_args(SampleStatus)

T = TypeVar("T")


def result_text(result: BenchmarkResult) -> str:
    """The file's content: one line for each field, each metric and each question."""
    head = {
        "kind": KIND,
        "schema_version": SCHEMA_VERSION,
        "name": result.name,
        "created_at": result.created_at.isoformat(),
        "status": asdict(result.status),
    }
    lines = [f'  "{key}": {dump_json(value)}' for key, value in head.items()]
    rows = [f"    {dump_json(name)}: {dump_json(vars(summary))}" for name, summary in result.summary.items()]
    lines.append(_block("summary", rows, "{}"))
    lines.append(_block("samples", [f"    {dump_json(vars(sample))}" for sample in result.samples], "[]"))
    lines.append(f'  "duration_s": {dump_json(result.duration_s)}')
    lines.append(f'  "higher_is_better": {dump_json(result.higher_is_better)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _block(name: str, rows: list[str], brackets: str) -> str:
    inner = "\n" + ",\n".join(rows) + "\n  " if rows else ""
    return f'  "{name}": {brackets[0]}{inner}{brackets[1]}'


def load_result(path: str | os.PathLike[str]) -> BenchmarkResult:
    """Read and check a result file; see `BenchmarkResult.load`."""
    try:
        value = json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise DatasetNotFoundError(f"{path}: there is no such result file") from None
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path}: not JSON, so not a result file: {error}") from None
    return read_result(value, where=str(path))


def read_result(value: Any, *, where: str) -> BenchmarkResult:
    """A result from its JSON value; raises SchemaError with the field that is wrong."""
    fields = Fields(value, where)
    _check_kind(fields)
    result = BenchmarkResult(
        name=fields.text("name"),
        created_at=fields.read("created_at", read_time),
        status=fields.read("status", _counts),
        summary=fields.read("summary", _by_name(_summary)),
        samples=fields.read("samples", _list_of(read_sample)),
        duration_s=fields.number("duration_s"),
        higher_is_better=fields.read("higher_is_better", _by_name(_flag), default={}),
    )
    if result.status != StatusCounts.of(result.samples):
        raise SchemaError(f"{where}: status does not agree with the samples; the file was changed or cut")
    return result


def _check_kind(fields: Fields) -> None:
    kind = fields.values.get("kind", KIND)
    if kind != KIND:
        raise SchemaError(f"{fields.where}: kind is {kind!r}, a result file says {KIND!r}")
    version = fields.values.get("schema_version", SCHEMA_VERSION)
    major = str(version).split(".")[0]
    if isinstance(version, bool) or not major.isdecimal():
        raise SchemaError(f"{fields.where}: schema_version is {version!r}, not a number")
    if int(major) > SCHEMA_VERSION:
        raise SchemaError(
            f"{fields.where}: schema_version {version} is newer than {SCHEMA_VERSION}, which this release reads"
        )


class Fields:
    """The fields of one JSON object, each read with its type checked."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise SchemaError(f"{where}: expected an object, not {type(value).__name__}")
        self.values: dict[str, Any] = value
        self.where = where

    def read(self, name: str, reader: Callable[[Any, str], T], *, default: T | None = None) -> T:
        """A required field, or one with a default, through a reader of its own."""
        if name in self.values:
            return reader(self.values[name], f"{self.where}: {name}")
        if default is None:
            raise SchemaError(f"{self.where}: {name} is missing")
        return default

    def text(self, name: str) -> str:
        """A required text."""
        return self.read(name, _text)

    def number(self, name: str) -> float:
        """A required finite number."""
        return self.read(name, _number)


def read_sample(value: Any, where: str) -> SampleResult:
    """The result of one question from its JSON value."""
    fields = Fields(value, where)
    status = fields.text("status")
    if status not in STATUSES:
        raise SchemaError(f"{where}: status is {status!r}, not one of {', '.join(STATUSES)}")
    return SampleResult(
        question=fields.text("question"),
        status=status,  # type: ignore[arg-type]
        scores=fields.read("scores", _by_name(_score)),
        answer=_optional_text(fields.values.get("answer"), f"{where}: answer"),
        retrieved_ids=fields.read("retrieved_ids", _texts, default=[]),
        retrieved_uris=fields.read("retrieved_uris", _texts, default=[]),
        latency_ms=fields.read("latency_ms", _number, default=0.0),
        error=_optional_text(fields.values.get("error"), f"{where}: error"),
    )


def _counts(value: Any, where: str) -> StatusCounts:
    fields = Fields(value, where)
    return StatusCounts(*(fields.read(status, _whole) for status in STATUSES))


def _summary(value: Any, where: str) -> DistributionSummary:
    fields = Fields(value, where)
    return DistributionSummary(
        count=fields.read("count", _whole),
        missing=fields.read("missing", _whole),
        mean=fields.number("mean"),
        median=fields.number("median"),
        std=fields.number("std"),
        min=fields.number("min"),
        max=fields.number("max"),
        percentiles=fields.read("percentiles", _by_name(_number), default={}),
    )


def _by_name(reader: Callable[[Any, str], T]) -> Callable[[Any, str], dict[str, T]]:
    return lambda value, where: {
        name: reader(item, f"{where}: {name}") for name, item in Fields(value, where).values.items()
    }


def _list_of(reader: Callable[[Any, str], T]) -> Callable[[Any, str], list[T]]:
    def read(value: Any, where: str) -> list[T]:
        if not isinstance(value, list):
            raise SchemaError(f"{where}: expected a list, not {type(value).__name__}")
        return [reader(item, f"{where}[{index}]") for index, item in enumerate(value)]

    return read


def read_time(value: Any, where: str) -> datetime:
    """An ISO 8601 time; one without an offset stays without."""
    try:
        return datetime.fromisoformat(_text(value, where))
    except ValueError as error:
        raise SchemaError(f"{where}: not an ISO 8601 time: {value!r}") from error


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    raise SchemaError(f"{where}: expected text, not {value!r:.60}")


def _optional_text(value: Any, where: str) -> str | None:
    return None if value is None else _text(value, where)


def _texts(value: Any, where: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise SchemaError(f"{where}: expected a list of texts, not {value!r:.60}")


def _number(value: Any, where: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise SchemaError(f"{where}: expected a number, not {value!r:.60}")


def _score(value: Any, where: str) -> float | None:
    return None if value is None else _number(value, where)


def _whole(value: Any, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise SchemaError(f"{where}: expected a whole number from 0, not {value!r:.60}")


def _flag(value: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise SchemaError(f"{where}: expected true or false, not {value!r:.60}")
