"""From flat rows to samples and back; what a row may look like and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fastrag_bench.component import problems_of
from fastrag_bench.datasets.cells import is_missing, native
from fastrag_bench.datasets.reading import ReadOptions, read_lines
from fastrag_bench.errors import SchemaError
from fastrag_bench.files import dump_json
from fastrag_bench.testset.samples import MULTI_ONLY, EvalTurns, MultiTurnSample, SingleTurnSample, TestsetSample

Rows = Sequence[Mapping[str, Any]]


def eval_sample_of(row: Any, where: str) -> EvalTurns:
    """A list under `user_input` is a conversation; anything else, and nothing, is a single turn.

    Raises:
        SchemaError: the row is no object, a field has the wrong type, or fields of a conversation stand without one.
    """
    if not isinstance(row, Mapping):
        raise SchemaError(f"{where}: expected an object, not {row!r:.80}")
    kind: type[MultiTurnSample] | type[SingleTurnSample]
    kind = MultiTurnSample if isinstance(row.get("user_input"), (list, tuple)) else SingleTurnSample
    stray = sorted(name for name in MULTI_ONLY & row.keys() if row[name] is not None)
    if kind is SingleTurnSample and row.get("user_input") is None and stray:
        raise SchemaError(f"{where}: {', '.join(stray)} belong to a conversation, and user_input holds no messages")
    try:
        return kind.model_validate(dict(row))
    except ValidationError as error:
        raise SchemaError(f"{where}: " + "; ".join(map(str, problems_of(error, kind, "")))) from None


def testset_sample_of(row: Any, where: str) -> TestsetSample:
    """A row of a test set; also one of ragas 0.1 (`question`, `contexts`, `ground_truth`, `evolution_type`).

    Raises:
        SchemaError: as `eval_sample_of`, or without `synthesizer_name`, or with metadata that is no object.
    """
    if isinstance(row, Mapping) and "evolution_type" in row and "synthesizer_name" not in row:
        row = _modern(row)
    if isinstance(row, Mapping) and not isinstance(row.get("synthesizer_name"), str):
        raise SchemaError(f"{where}: no synthesizer_name; the columns are {', '.join(map(str, row)) or 'none'}")
    sample = eval_sample_of(row, where)
    metadata = row.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise SchemaError(f"{where}: metadata is an object, not {metadata!r:.60}")
    return TestsetSample(
        eval_sample=sample, synthesizer_name=row["synthesizer_name"], metadata=dict(metadata) if metadata else {}
    )


def _modern(row: Mapping[str, Any]) -> dict[str, Any]:
    contexts = row.get("contexts")
    source = row.get("metadata")
    return {
        "user_input": row.get("question"),
        "reference_contexts": [contexts] if isinstance(contexts, str) else contexts,
        "reference": row.get("ground_truth"),
        "synthesizer_name": row["evolution_type"],
        "metadata": {"source": source} if source else None,
    }


def features_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The union of the rows' keys in order of first use."""
    return list(dict.fromkeys(name for row in rows for name in row))


def to_jsonl_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """One object a line."""
    return "".join(dump_json(dict(row)) + "\n" for row in rows)


def read_jsonl(path: Path) -> Iterator[tuple[str, Any]]:
    """(place, object) of each line that is not blank.

    Raises:
        ConfigurationError: the file cannot be read; a line that is no JSON is named.
    """
    from fastrag_bench.datasets.reading import check_file

    check_file(path)
    for number, line in read_lines(path, ReadOptions()):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield where, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise SchemaError(f"{where}: not JSON: {error}") from None


def rows_of_frame(frame: Any) -> list[dict[str, Any]]:
    """The rows of a data frame; missing values are left out, lists are read from text cells."""
    from fastrag_bench.testset.tables import cell_value

    rows = []
    for record in frame.to_dict("records"):
        values = {str(name): _plain(value) for name, value in record.items()}
        rows.append({name: cell_value(name, value, "frame") for name, value in values.items() if value is not None})
    return rows


def _plain(value: Any) -> Any:
    value = native(value)
    return None if is_missing(value) and not (isinstance(value, str) and value) else value
