"""A sweep while it runs: a bar with the time left and the best runs so far; plain lines where there is no terminal."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

from fastrag_bench.plan.stage import Stage
from fastrag_bench.plan.workspace import Report
from fastrag_bench.sweep.manifest import Manifest

SHOWN = 8
REFRESH_S = 0.2


@dataclass(frozen=True)
class Finished:
    """A run that has ended, with the mean of the metric that decides."""

    manifest: Manifest
    mean: float | None


class Live:
    """Hears of stages, questions and finished runs, and shows them on standard error.

    Args:
        stages: how many stages have to run.
        runs: how many runs there are.
        metric: the metric that decides which is best.
        quiet: show nothing.
    """

    def __init__(self, stages: int, runs: int, metric: str, *, quiet: bool = False) -> None:
        self._stages = max(stages, 1)
        self._runs = runs
        self._metric = metric
        self._quiet = quiet
        self._ended = 0
        self._finished: list[Finished] = []
        self._view: Any = None
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._shown_at = 0.0

    def __enter__(self) -> Live:
        if sys.stderr.isatty() and not self._quiet:
            self._open()
        return self

    def __exit__(self, *_: object) -> None:
        if self._view is not None:
            self._view.stop()

    def stage_started(self, stage: Stage) -> None:
        """Name the stage."""
        self._show(stage.kind, 0.0, force=True)

    def row_done(self, stage: Stage, done: int, total: int) -> None:
        """Move on by one question."""
        self._show(f"{stage.kind} {done}/{total}", done / total)

    def stage_ended(self, stage: Stage, report: Report) -> None:
        """Move on by one stage."""
        self._ended += 1
        self._show(stage.kind, 0.0, force=True)

    def stages_settled(self, settled: int) -> None:
        """So many stages have ended, also those that other processes ran."""
        self._ended = max(self._ended, settled)
        self._show("", 0.0, force=True)

    def run_finished(self, manifest: Manifest, mean: float | None) -> None:
        """Add a run to the table, or print its line."""
        with self._lock:
            self._finished.append(Finished(manifest, mean))
        if self._view is None:
            self._say_line(manifest, mean)
        elif manifest.status != "ok":
            self._view.console.print(f"{manifest.status}: {manifest.name}: {manifest.reason}", markup=False)
        self._show("", 0.0, force=True)

    def _say_line(self, manifest: Manifest, mean: float | None) -> None:
        if self._quiet or self._runs < 2:
            return
        told = f"{self._metric} {mean:.4f}" if mean is not None else manifest.reason or manifest.status
        sys.stderr.write(f"[{len(self._finished)}/{self._runs}] {manifest.name}: {told}\n")
        sys.stderr.flush()

    def _show(self, text: str, part: float, *, force: bool = False) -> None:
        now = time.monotonic()
        if self._view is None or (not force and now - self._shown_at < REFRESH_S):
            return
        self._shown_at = now
        done = min(self._ended + part, self._stages)
        self._bar.update(self._task, completed=done, **({"description": text} if text else {}))
        self._view.update(self._render())

    def _open(self) -> None:
        from rich.console import Console
        from rich.live import Live as View
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns)
        self._task = self._bar.add_task("", total=self._stages)
        self._view = View(self._render(), console=Console(stderr=True), transient=True, auto_refresh=True)
        self._view.start()

    def _render(self) -> Any:
        from rich.console import Group
        from rich.table import Table

        with self._lock:
            finished = list(self._finished)
        if self._runs < 2 or not finished:
            return self._bar
        best = sorted((each for each in finished if each.mean is not None), key=lambda each: -(each.mean or 0.0))
        table = Table(f"best of {len(finished)} of {self._runs} runs so far", self._metric, box=None, pad_edge=False)
        for each in best[:SHOWN]:
            table.add_row(each.manifest.name, f"{each.mean:.4f}")
        return Group(self._bar, table)
