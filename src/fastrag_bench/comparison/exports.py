"""A comparison in the forms that papers, notebooks and other programs take."""

from __future__ import annotations

import importlib
import io
from collections.abc import Collection, Sequence
from typing import Any

from fastrag_bench.comparison.formats import shown
from fastrag_bench.comparison.table import Table, Value
from fastrag_bench.errors import MissingExtraError

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "—": "---",
}
MARK = r"$^\dagger$"


def latex_table(table: Table, *, equal: Collection[str], metric: str | None, caption: str = "") -> str:
    """A booktabs table, best values in bold.

    Args:
        table: what to print.
        equal: runs that cannot be told from the best one; the metric's value gets a dagger.
        metric: the column those marks belong to.
        caption: below the table.
    """
    column = table.header.index(metric) if metric in table.header else -1
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}", r"\toprule"]
    lines += [" & ".join(map(_latex, table.header)) + r" \\", r"\midrule"]
    for number, row in enumerate(table.rows):
        cells = []
        for place, value in enumerate(row):
            text = _latex(shown(value))
            text = rf"\textbf{{{text}}}" if (number, place) in table.best else text
            cells.append(text + (MARK if place == column and row[0] in equal else ""))
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\caption{{{_latex(caption)}}}"] if caption else []
    if equal and column > 0:
        lines.append(rf"\par\smallskip{{\footnotesize {MARK} not distinguishable from the best (max-T, $\alpha=.05$)}}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(text.split()))


def columns(table: Table) -> dict[str, list[Value]]:
    """The table by column; a header that stands twice is numbered."""
    names: list[str] = []
    for name in table.header:
        names.append(name if name not in names else f"{name}#{table.header.index(name) + len(names)}")
    return {name: [row[place] for row in table.rows] for place, name in enumerate(names)}


def pandas_frame(values: dict[str, list[Value]]) -> Any:
    """A `pandas.DataFrame`.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise MissingExtraError("a data frame (pandas)", extra="report") from None
    return pandas.DataFrame(values)


def parquet_bytes(values: dict[str, list[Value]]) -> bytes:
    """A Parquet file.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("Parquet (pyarrow)", extra="datasets") from None
    stream = io.BytesIO()
    parquet.write_table(arrow.table(values), stream)
    return stream.getvalue()


def sample_columns(results: Sequence[Any], names: Sequence[str], metrics: Sequence[str]) -> dict[str, list[Value]]:
    """One row for each run and question: its status, scores and latency."""
    rows = [
        [name, sample.question, sample.status, *(sample.scores.get(metric) for metric in metrics)]
        for name, result in zip(names, results, strict=True)
        for sample in result.samples
    ]
    return columns(Table(["run", "question", "status", *metrics], rows))
