"""What a person sees: the plan first, a progress bar while it runs, the table at the end. Quiet when not a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastrag_bench.comparison import Comparison
from fastrag_bench.plan.plan import PlanSummary
from fastrag_bench.plan.stage import Stage
from fastrag_bench.plan.workspace import Report
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import RESULT, Manifest


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def plan_line(combinations: int, summary: PlanSummary) -> str:
    """As in "4 combinations, 12 stages asked, 7 distinct, 0 stored"."""
    plural = "" if combinations == 1 else "s"
    stages = f"{summary.asked} stages asked, {summary.distinct} distinct, {summary.stored} stored"
    return f"{combinations} combination{plural}, {stages}"


def show_notes(notes: Sequence[str]) -> None:
    """Each note on a line of its own."""
    for note in notes:
        say(f"note: {note}")


class Progress:
    """A progress bar on standard error, by stage and question, with the time left; silent where that is no terminal."""

    def __init__(self, stages: int) -> None:
        self._stages = max(stages, 1)
        self._ended = 0
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._shown = 0.0

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def stage_started(self, stage: Stage) -> None:
        """Name the stage."""
        self._show(stage.kind, 0.0, force=True)

    def row_done(self, stage: Stage, done: int, total: int) -> None:
        """Move on by one question."""
        self._show(f"{stage.kind} {done}/{total}", done / total)

    def stage_ended(self, stage: Stage, report: Report) -> None:
        """Move on by one stage."""
        with self._lock:
            self._ended += 1
        self._show(stage.kind, 0.0, force=True)

    def _show(self, text: str, part: float, *, force: bool = False) -> None:
        if self._bar is None or (not force and time.monotonic() - self._shown < 0.1):
            return
        self._shown = time.monotonic()
        done = min(self._ended + part, self._stages)
        self._bar.update(self._task, completed=done, description=text)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=self._stages)
        self._bar.start()


def show_table(comparison: Comparison) -> None:
    """The comparison: as a table on a terminal, as Markdown elsewhere."""
    if not sys.stdout.isatty():
        say(comparison.to_markdown(mark_best=True))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(comparison.to_markdown(mark_best=True)))


def show_run(manifest: Manifest, folder: Path) -> None:
    """A single run: its figures or its reason, and where the files are."""
    say("")
    if manifest.status == "ok":
        show_table(Comparison([BenchmarkResult.load(folder / RESULT)]))
    else:
        say(f"{manifest.status}: {manifest.reason}")
        if manifest.traceback:
            say(f"traceback: {shown_path(folder / manifest.traceback)}")
    say("")
    say(f"files: {shown_path(folder)}")
    say("next: sweep a setting with -m, for example: -m chunker=recursive,semantic k=5,10")


def shown_path(path: Path) -> str:
    """The path as a person would type it here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
