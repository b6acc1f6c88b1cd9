"""Test sets as CSV: for people who review in a spreadsheet, and the files that other tools write."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.cells import parse_list
from fastrag_bench.datasets.csv_files import read_csv
from fastrag_bench.datasets.reading import ReadOptions, check_file
from fastrag_bench.files import dump_json

LISTS = frozenset(
    {
        "reference_contexts",
        "retrieved_contexts",
        "reference_context_ids",
        "retrieved_context_ids",
        "multi_responses",
        "contexts",
        "reference_topics",
        "reference_tool_calls",
    }
)
OBJECTS = frozenset({"rubrics", "metadata"})
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """A header and one line a row, line feeds, lists and objects as JSON.

    A text that a spreadsheet would run as a formula gets an apostrophe before it, and so does a text that begins with
    an apostrophe, so that reading gives back what was written.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in columns])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return dump_json(value)
    return f"'{value}" if value.startswith((*_FORMULA, "'")) else value


def read_csv_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(place, row) of each line; lists are read as JSON or as Python prints them, empty cells are absent.

    Raises:
        ConfigurationError: the file cannot be read, or a cell is no list where its column holds lists.
    """
    check_file(path)
    for record in read_csv(path, ReadOptions()):
        present = {name: value for name, value in record.values.items() if value not in (None, "")}
        yield record.where, {name: cell_value(name, value, record.where) for name, value in present.items()}


def cell_value(name: str, value: Any, where: str) -> Any:
    """What a cell of this column means."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if (name in LISTS and text.startswith("[")) or (name in OBJECTS and text.startswith("{")):
        return parse_list(text, f"{where}, {name}")
    if name == "user_input" and text.startswith(('[{"', "[{'")):
        return parse_list(text, f"{where}, {name}")
    if value.startswith("'") and value[1:2] in (*_FORMULA, "'"):
        return value[1:]
    return value
