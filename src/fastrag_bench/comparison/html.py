"""A comparison as one HTML page that needs no network, no script and no other file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fastrag_bench.comparison.formats import shown
from fastrag_bench.comparison.stats import STATS, figure
from fastrag_bench.comparison.table import Failure, Table, display_names, metric_names
from fastrag_bench.results import BenchmarkResult

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8885; padding: .3rem .7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, td.text { text-align: left; }
td.text { white-space: normal; max-width: 40rem; }
thead th { border-bottom: 2px solid #888; }
td.best { font-weight: 700; background: #2a92; }
tbody tr:hover { background: #8881; }
pre { background: #8881; padding: .7rem; overflow-x: auto; }
"""


def html_page(
    table: Table, results: Sequence[BenchmarkResult], *, failures: Sequence[Failure], notes: Sequence[str]
) -> str:
    """The table, the notes, what failed and why, and every statistic of each metric; all text is escaped."""
    parts = ["<h1>Comparison</h1>", _table(table)]
    if notes:
        parts.append("<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>")
    if failures:
        parts.append("<h2>Failed runs</h2>" + "".join(map(_failure, failures)))
    if results:
        parts.append("<h2>Every statistic</h2>")
        parts += [_metric(metric, results) for metric in metric_names(results)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Comparison</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def html_fragment(table: Table, *, notes: Sequence[str] = ()) -> str:
    """The table and the notes alone, for a notebook."""
    return _table(table) + "".join(f"<p>{escape(note)}</p>" for note in notes)


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
    rows = []
    for row, values in enumerate(table.rows):
        cells = "".join(_cell(shown(value), value, (row, column) in table.best) for column, value in enumerate(values))
        rows.append(f"<tr>{cells}</tr>")
    body = "\n".join(rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _cell(text: str, value: object, best: bool) -> str:
    kind = ' class="best"' if best else ' class="text"' if isinstance(value, str) else ""
    return f"<td{kind}>{escape(text)}</td>"


def _failure(failure: Failure) -> str:
    trace = f"<pre>{escape(failure.traceback)}</pre>" if failure.traceback else ""
    return f"<details><summary>{escape(failure.name)}: {escape(failure.reason)}</summary>{trace}</details>"


def _metric(metric: str, results: Sequence[BenchmarkResult]) -> str:
    rows = [
        [name, *(figure(result, metric, stat) for stat in STATS)]
        for name, result in zip(display_names(results), results, strict=True)
        if metric in result.summary
    ]
    return f"<details><summary>{escape(metric)}</summary>{_table(Table(['run', *STATS], rows))}</details>"
