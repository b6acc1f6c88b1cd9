"""What a person sees: the plan first, the table at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.comparison import Comparison
from fastrag_bench.plan.plan import PlanSummary
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import RESULT, Manifest, SweepPlan

NO_MATCH = (
    "no gold id ever matched a retrieved one; likely causes: ids of another corpus or of another version of it, "
    "texts in the id column (map it with columns), file names with and without their ending; "
    "allow_no_match=true lets this pass"
)


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def plan_line(combinations: int, summary: PlanSummary) -> str:
    """As in "4 combinations, 12 stages asked, 7 distinct, 0 stored"."""
    plural = "" if combinations == 1 else "s"
    stages = f"{summary.asked} stage{'' if summary.asked == 1 else 's'} asked"
    stages = f"{stages}, {summary.distinct} distinct, {summary.stored} stored"
    return f"{combinations} combination{plural}, {stages}"


def show_notes(notes: Sequence[str]) -> None:
    """Each note on a line of its own."""
    for note in notes:
        say(f"note: {note}")


def show_table(comparison: Comparison, *, first: str | None = None, shared: Sequence[str] = ()) -> None:
    """The comparison: on a terminal a table that fits its width, elsewhere Markdown.

    Args:
        comparison: what to show.
        first: the metric whose column comes first on a terminal.
        shared: parts of the run names that all runs have; left out of the names on a terminal.
    """
    if sys.stdout.isatty():
        _show_on_terminal(comparison, first, shared)
    else:
        say(comparison.to_markdown(mark_best=True))


def _show_on_terminal(comparison: Comparison, first: str | None, shared: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    cells, header, best = _cells(comparison, shared)
    order = sorted(range(1, len(header)), key=lambda column: (header[column] != first, column))
    shown, left_out = _fitting(cells, header, order, console.width)
    table = Table(header_style="bold", pad_edge=False)
    for column in shown:
        table.add_column(header[column], justify="left" if column == 0 else "right", overflow="fold")
    for number, row in enumerate(cells):
        table.add_row(*(_styled(row[column], (number, column) in best) for column in shown))
    console.print(table)
    for note in comparison.notes:
        console.print(f"note: {note}", style="yellow", markup=False)
    if shared:
        console.print(f"in every run: {', '.join(shared)}", markup=False)
    if left_out:
        console.print(f"not shown here: {', '.join(left_out)}", style="dim", markup=False)


def _styled(text: str, is_best: bool) -> Any:
    from rich.text import Text

    return Text(text, style="bold green" if is_best else "")


def _cells(
    comparison: Comparison, shared: Sequence[str]
) -> tuple[list[list[str]], list[str], frozenset[tuple[int, int]]]:
    table = comparison.table(mark_best=True)
    rows = [[_short(str(row[0]), shared), *(_shown(value) for value in row[1:])] for row in table.rows]
    return rows, list(table.header), table.best


def _shown(value: object) -> str:
    if value is None:
        return "—"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _short(name: str, shared: Sequence[str]) -> str:
    for part in shared:
        name = name.replace(f"{part},", "").removesuffix(f",{part}")
    return name


def _fitting(
    cells: Sequence[Sequence[str]], header: Sequence[str], order: Sequence[int], width: int
) -> tuple[list[int], list[str]]:
    """The columns that fit, the run's name always among them, and the names of those that do not."""
    needed = [max(map(len, column)) + 3 for column in zip(header, *cells, strict=True)]
    room = max(width - min(needed[0], width // 2), 0)
    shown = [0]
    for column in order:
        if needed[column] <= room:
            room -= needed[column]
            shown.append(column)
    return shown, [header[column] for column in order if column not in shown]


def show_run(manifest: Manifest, folder: Path, *, allow_no_match: bool) -> None:
    """A single run: its figures or its reason, and where the files are."""
    say("")
    if manifest.status == "ok":
        show_table(Comparison([BenchmarkResult.load(folder / RESULT)]))
    else:
        say(f"{manifest.status}: {manifest.reason}")
        if manifest.traceback:
            say(f"traceback: {shown_path(folder / manifest.traceback)}")
    say("")
    show_notes(SweepPlan.load(folder).notes)
    if manifest.matched is False:
        say(f"{'note' if allow_no_match else 'error'}: {NO_MATCH}")
    say(f"files: {shown_path(folder)}")
    say("next: sweep a setting with -m, for example: -m chunker=recursive,semantic k=5,10")


def shown_path(path: Path) -> str:
    """The path as a person would type it here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
