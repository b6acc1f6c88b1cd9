"""A table as Markdown and CSV, a comparison as JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from fastrag_bench.comparison.table import Extra, Failure, Table, Value
from fastrag_bench.files import dump_json
from fastrag_bench.results import BenchmarkResult

NOTHING = "—"
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def shown(value: Value) -> str:
    """A value as a person reads it: four decimals, whole numbers whole, an em dash for nothing."""
    if value is None:
        return NOTHING
    if isinstance(value, float):
        text = f"{value:.4f}"
        return text.lstrip("-") if float(text) == 0 else text
    return str(value)


def markdown_table(table: Table, notes: Sequence[str] = (), *, header: str = "", answer: Sequence[str] = ()) -> str:
    """A Markdown table; a header above it, and below it the answer as a paragraph and the notes as a list."""
    lines = [header, ""] if header else []
    lines += [_line(map(_escaped, table.header)), _line(["---", *["---:"] * (len(table.header) - 1)])]
    for row, values in enumerate(table.rows):
        cells = [_escaped(shown(value)) for value in values]
        lines.append(_line(f"**{cell}**" if (row, column) in table.best else cell for column, cell in enumerate(cells)))
    if answer:
        lines += ["", *(" ".join(sentence.split()) for sentence in answer)]
    if notes:
        lines += ["", *(f"- {' '.join(note.split())}" for note in notes)]
    return "\n".join(lines) + "\n"


def _line(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").splitlines())


def csv_table(table: Table) -> str:
    """CSV in full precision; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_harmless(cell) for cell in table.header])
    for row in table.rows:
        writer.writerow(["" if value is None else _harmless(value) for value in row])
    return stream.getvalue()


def _harmless(value: str | int | float) -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    text = text.replace("\0", "")
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not _PLAIN_NUMBER.fullmatch(text) else text


def json_text(
    results: Sequence[BenchmarkResult],
    names: Sequence[str],
    *,
    failures: Sequence[Failure],
    notes: Sequence[str],
    extra: Extra,
    more: Mapping[str, Any] | None = None,
) -> str:
    """Every figure of every run; the questions stay in the runs' own files."""
    runs = [
        {
            "run": shown_name,
            "name": result.name,
            "created_at": result.created_at.isoformat(),
            "duration_s": result.duration_s,
            "status": asdict(result.status),
            "summary": {name: asdict(summary) for name, summary in result.summary.items()},
            "higher_is_better": result.higher_is_better,
            "extra": {column: values.get(result.name) for column, values in extra.items()},
        }
        for shown_name, result in zip(names, results, strict=True)
    ]
    value = {
        "kind": "fastrag_bench.comparison",
        "schema_version": 1,
        "runs": runs,
        "failures": [
            {**asdict(failure), "extra": {column: values.get(failure.name) for column, values in extra.items()}}
            for failure in failures
        ],
        "notes": list(notes),
        **(more or {}),
    }
    return dump_json(value, indent=2) + "\n"
