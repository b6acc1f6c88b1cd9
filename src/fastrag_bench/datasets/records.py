"""Foreign records (rows of a table, JSON objects) become samples."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastrag_bench.datasets.cells import as_answers, as_ids, grades_of, is_list, is_missing, native, parse_list
from fastrag_bench.datasets.mapping import ColumnMapping, Columns, find_columns
from fastrag_bench.errors import ConfigurationError, SchemaError
from fastrag_bench.types import EvalSample

PROSE_LENGTH = 60
"""Ids whose median is longer than this many characters, and that hold spaces, are probably texts."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record, and where it stands in its file."""

    values: Mapping[str, Any]
    where: str
    is_text: bool = False
    """Whether every value is a text cell, so that lists have to be read out of texts."""


def records_of(rows: Iterable[Any], *, where: str) -> list[Record]:
    """Typed records; raises SchemaError with the number of one that is not an object."""
    records = []
    for number, row in enumerate(rows, start=1):
        place = f"{where}, record {number}"
        if not isinstance(row, Mapping):
            raise SchemaError(f"{place}: expected an object with named fields, not {type(row).__name__} {row!r:.60}")
        records.append(Record({str(key): value for key, value in row.items()}, place))
    return records


def build_samples(
    records: Sequence[Record], mapping: ColumnMapping | None, *, where: str, list_separator: str | None
) -> list[EvalSample]:
    """Samples in the order of the records; a column that is no field goes to `metadata`.

    Raises:
        ConfigurationError: the columns cannot be decided, or a record has no question; it names the record.
    """
    if mapping is not None and not isinstance(mapping, ColumnMapping):
        raise ConfigurationError(f"columns is a ColumnMapping, not {mapping!r}")
    if not records:
        return []
    available = list(dict.fromkeys(key for record in records for key in record.values))
    columns = find_columns(available, mapping or ColumnMapping(), where=where)
    samples = [_sample(record, columns, list_separator) for record in records]
    if columns.relevant_ids is not None and columns.detected_ids:
        _warn_about_prose(samples, columns.relevant_ids, where)
    return samples


def _sample(record: Record, columns: Columns, list_separator: str | None) -> EvalSample:
    ids = _value(record, columns.relevant_ids)
    if record.is_text and isinstance(ids, str):
        ids = _split(ids, list_separator, record.where)
    answers = _value(record, columns.expected_answers)
    if record.is_text and isinstance(answers, str) and is_list(answers):
        answers = parse_list(answers.strip(), record.where)
    metadata = _metadata(record, columns)
    if isinstance(native(ids), Mapping):
        metadata.setdefault("relevance_grades", grades_of(native(ids), record.where))
    return EvalSample(
        question=_question(record, columns.question),
        expected_answers=as_answers(answers, record.where),
        relevant_ids=as_ids(ids, record.where),
        metadata=metadata,
    )


def _value(record: Record, column: str | None) -> Any:
    return None if column is None else record.values.get(column)


def _question(record: Record, column: str) -> str:
    question = native(record.values.get(column))
    if isinstance(question, str) and question.strip():
        return question
    what = "is not text" if question is not None and not is_missing(question) else "is missing or blank"
    raise SchemaError(
        f"{record.where}: the question {what} (column {column!r}). "
        f"The columns are: {', '.join(map(repr, record.values))}"
    )


def _split(cell: str, separator: str | None, where: str) -> Any:
    text = cell.strip()
    if is_list(text) or text.startswith(('{"', "{'")):
        return parse_list(text, where)
    parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts if part.strip()]


def _metadata(record: Record, columns: Columns) -> dict[str, Any]:
    fields = (columns.question, columns.expected_answers, columns.relevant_ids)
    others = {key: value for key, value in record.values.items() if key not in fields}
    base = native(others.get(columns.metadata)) if columns.metadata is not None else None
    if record.is_text and isinstance(base, str) and base.lstrip().startswith("{"):
        base = parse_list(base.strip(), record.where)
    if columns.metadata is not None and (isinstance(base, Mapping) or is_missing(base)):
        others.pop(columns.metadata, None)
    return {**others, **{str(key): value for key, value in base.items()}} if isinstance(base, Mapping) else others


def _warn_about_prose(samples: Sequence[EvalSample], column: str, where: str) -> None:
    ids = [identifier for sample in samples for identifier in sample.relevant_ids]
    spaced = sum(" " in identifier for identifier in ids)
    if ids and spaced * 2 > len(ids) and statistics.median(map(len, ids)) > PROSE_LENGTH:
        warnings.warn(
            f"{where}: the values of {column!r} look like texts, not ids; as ids they match nothing and every "
            f'retrieval metric becomes 0. Say ColumnMapping(relevant_ids="") if there are no ids',
            UserWarning,
            stacklevel=4,
        )
