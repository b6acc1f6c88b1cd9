"""This project's own file: `{"samples": [...]}`, each sample with its four fields, read back exactly as written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastrag_bench.datasets.records import Record
from fastrag_bench.errors import SchemaError
from fastrag_bench.files import dump_json
from fastrag_bench.types import EvalSample

FIELDS = frozenset({"question", "expected_answers", "relevant_ids", "metadata"})


def native_text(samples: Sequence[EvalSample]) -> str:
    """The file's content, one sample a line.

    Raises:
        SchemaError: a sample that could not be read back: a blank question, or metadata that is not data.
    """
    rows = [_row(sample, number) for number, sample in enumerate(samples, start=1)]
    return '{"samples": [\n' + ",\n".join(rows) + "\n]}\n" if rows else '{"samples": []}\n'


def _row(sample: EvalSample, number: int) -> str:
    if not isinstance(sample.question, str) or not sample.question.strip():
        raise SchemaError(f"sample {number} has no question, so that the file could not be loaded again")
    try:
        return dump_json(as_row(sample))
    except (TypeError, RecursionError) as error:
        raise SchemaError(f"sample {number}: {error}") from None


def as_row(sample: EvalSample) -> dict[str, Any]:
    """The four fields by name."""
    return {
        "question": sample.question,
        "expected_answers": sample.expected_answers,
        "relevant_ids": sample.relevant_ids,
        "metadata": sample.metadata,
    }


def native_samples(records: Sequence[Record]) -> list[EvalSample] | None:
    """The samples, if every record is exactly in this form; None if some record is foreign."""
    if not all(_is_native(record.values) for record in records):
        return None
    return [
        EvalSample(
            values["question"], list(values["expected_answers"]), list(values["relevant_ids"]), dict(values["metadata"])
        )
        for values in (record.values for record in records)
    ]


def _is_native(values: Any) -> bool:
    return (
        values.keys() == FIELDS
        and isinstance(values["question"], str)
        and bool(values["question"].strip())
        and _is_texts(values["expected_answers"])
        and _is_texts(values["relevant_ids"])
        and isinstance(values["metadata"], dict)
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
