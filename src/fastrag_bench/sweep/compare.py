"""The comparison of a sweep, built from its files: written, shown, and turned into an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fastrag_bench.comparison import Comparison
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import write_atomic
from fastrag_bench.report.content import page_content
from fastrag_bench.report.folders import SweepFolder, comparison_of, read_sweep
from fastrag_bench.report.page import html_report
from fastrag_bench.report.texts import document_texts
from fastrag_bench.sweep.display import NO_MATCH, say, show_table, shown_path
from fastrag_bench.sweep.manifest import Manifest, PlannedRun, SweepPlan
from fastrag_bench.sweep.notes import notes_after

ALL_GOOD, SOME_FAILED, NOTHING = 0, 1, 3


def build_comparison(folder: Path) -> int:
    """Read a sweep's folder, write `comparison.{md,csv,json,html}` into it, show the table, return the exit code."""
    try:
        sweep = _load(folder)
        _write(sweep)
    except (ConfigurationError, OSError) as error:
        sys.stderr.write(f"the comparison of {folder} cannot be built: {error}\n")
        return NOTHING
    _show(sweep)
    return _exit_code(sweep)


@dataclass(frozen=True)
class _Sweep:
    files: SweepFolder
    comparison: Comparison

    @property
    def folder(self) -> Path:
        return self.files.folder

    @property
    def plan(self) -> SweepPlan:
        return self.files.plan

    @property
    def failed(self) -> list[Manifest]:
        return self.files.failed

    @property
    def matched_nothing(self) -> bool:
        """Whether metrics looked for gold ids and none of the runs ever found one."""
        looked = [manifest.matched for manifest in self.files.manifests if manifest.matched is not None]
        return bool(looked) and not any(looked)


def _load(folder: Path) -> _Sweep:
    files = read_sweep(folder)
    return _Sweep(files, comparison_of(files, notes_after(files.results)))


def _write(sweep: _Sweep) -> None:
    for suffix in ("md", "csv", "json"):
        sweep.comparison.save(sweep.folder / f"comparison.{suffix}")
    page = page_content(sweep.comparison, sweep.files.places, document_texts(sweep.files.manifests))
    write_atomic(sweep.folder / "comparison.html", html_report(page, title=sweep.folder.name))


def _show(sweep: _Sweep) -> None:
    say("")
    if sys.stdout.isatty():
        say(sweep.comparison.header)
    show_table(sweep.comparison, first=sweep.plan.primary, shared=_shared(sweep.plan.runs))
    _show_answer(sweep)
    say("")
    _show_failures(sweep.failed, sweep.folder, sweep.plan.runs)
    if sweep.matched_nothing:
        say(f"{'note' if sweep.plan.allow_no_match else 'error'}: {NO_MATCH}")
    say(f"files: {shown_path(sweep.folder)}/comparison.{{md,csv,json,html}} and a folder for each run")
    say(f"next: {_next_step(sweep)}")


def _show_answer(sweep: _Sweep) -> None:
    """The recommendation; in a table that is not a terminal's it stands already."""
    if sys.stdout.isatty():
        for sentence in sweep.comparison.answer:
            say(sentence)


def _shared(runs: Sequence[PlannedRun]) -> list[str]:
    """The overrides that every run has."""
    if len(runs) < 2:
        return []
    common = set.intersection(*(set(run.overrides) for run in runs))
    return [override for override in runs[0].overrides if override in common]


def _show_failures(failed: Sequence[Manifest], folder: Path, runs: Sequence[PlannedRun]) -> None:
    places = {run.name: run.folder for run in runs}
    for manifest in failed:
        where = (
            f" (traceback: {shown_path(folder / places[manifest.name] / manifest.traceback)})"
            if manifest.traceback
            else ""
        )
        say(f"{manifest.status}: {manifest.name}: {manifest.reason}{where}")


def _next_step(sweep: _Sweep) -> str:
    if sweep.failed:
        return "the same command tries again what is missing, and computes nothing else"
    names = [result.name for result in sweep.comparison.results]
    if len(names) == 1:
        return "sweep a setting with -m, for example: -m chunker=recursive,semantic k=5,10"
    return "add values to an axis: whatever is already stored is not computed again"


def _exit_code(sweep: _Sweep) -> int:
    if not sweep.comparison.results:
        return NOTHING
    return SOME_FAILED if sweep.failed or (sweep.matched_nothing and not sweep.plan.allow_no_match) else ALL_GOOD
