"""The comparison of a sweep, built from its files: written, shown, and turned into an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fastrag_bench.comparison import Comparison, Failure
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.display import say, show_table, shown_path
from fastrag_bench.sweep.manifest import MANIFEST, PLAN, RESULT, Manifest, PlannedRun, SweepPlan
from fastrag_bench.sweep.notes import notes_after

ALL_GOOD, SOME_FAILED, NOTHING = 0, 1, 3
COLD = "cold_s"
"""The column of what a pipeline costs in seconds when nothing of it is stored."""
NO_MATCH = (
    "no gold id ever matched a retrieved one; likely causes: ids of another corpus or of another version of it, "
    "texts in the id column (map it with columns), file names with and without their ending; "
    "allow_no_match=true lets this pass"
)


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
    folder: Path
    plan: SweepPlan
    manifests: list[Manifest]
    comparison: Comparison

    @property
    def failed(self) -> list[Manifest]:
        return [manifest for manifest in self.manifests if manifest.status != "ok"]

    @property
    def matched_nothing(self) -> bool:
        """Whether metrics looked for gold ids and none of the runs ever found one."""
        looked = [manifest.matched for manifest in self.manifests if manifest.matched is not None]
        return bool(looked) and not any(looked)


def _load(folder: Path) -> _Sweep:
    plan = SweepPlan.load(folder) if (folder / PLAN).is_file() else _plan_of_jobs(folder)
    manifests = [_manifest(folder, run) for run in plan.runs]
    results, failures = [], []
    for run, manifest in zip(plan.runs, manifests, strict=True):
        if manifest.status == "ok":
            results.append(BenchmarkResult.load(folder / run.folder / RESULT))
        else:
            trace = str(Path(run.folder) / manifest.traceback) if manifest.traceback else ""
            failures.append(Failure(run.name, manifest.reason or manifest.status, trace))
    notes = [*plan.notes, *notes_after(results)]
    cold: dict[str, str | int | float | None] = {each.name: each.cold_seconds for each in manifests}
    comparison = Comparison(results, failures=failures, notes=notes, extra={COLD: cold})
    return _Sweep(folder, plan, manifests, comparison)


def _manifest(folder: Path, run: PlannedRun) -> Manifest:
    if not (folder / run.folder / MANIFEST).is_file():
        return Manifest(name=run.name, status="missing", reason="did not run; the same command continues")
    return Manifest.load(folder / run.folder)


def _plan_of_jobs(folder: Path) -> SweepPlan:
    """The plan of a sweep that another launcher ran: the jobs that wrote a manifest."""
    paths = sorted(folder.glob(f"*/{MANIFEST}"))
    if not paths:
        raise ConfigurationError(f"{folder}: no run has written anything")
    manifests = [(path.parent, Manifest.load(path.parent)) for path in paths]
    manifests.sort(key=lambda pair: pair[1].created_at)
    return SweepPlan(tuple(PlannedRun(run.name, place.name, tuple(run.overrides)) for place, run in manifests))


def _write(sweep: _Sweep) -> None:
    for suffix in ("md", "csv", "json", "html"):
        sweep.comparison.save(sweep.folder / f"comparison.{suffix}")


def _show(sweep: _Sweep) -> None:
    say("")
    show_table(sweep.comparison, first=sweep.plan.primary, shared=_shared(sweep.plan.runs))
    _show_best(sweep)
    say("")
    _show_failures(sweep.failed, sweep.folder, sweep.plan.runs)
    if sweep.matched_nothing:
        say(f"{'note' if sweep.plan.allow_no_match else 'error'}: {NO_MATCH}")
    say(f"files: {shown_path(sweep.folder)}/comparison.{{md,csv,json,html}} and a folder for each run")
    say(f"next: {_next_step(sweep)}")


def _show_best(sweep: _Sweep) -> None:
    """The best run by the primary metric, and how many are equal to it."""
    primary, comparison = sweep.plan.primary, sweep.comparison
    if primary is None or len(comparison.results) < 2 or not any(_count(each, primary) for each in comparison.results):
        return
    best = comparison.best(primary)
    value = best.summary[primary].mean
    equal = sum(_count(each, primary) > 0 and each.summary[primary].mean == value for each in comparison.results) - 1
    say(f"best {primary}: {value:.4f}, {best.name}" + (f" (and {equal} more with the same value)" if equal else ""))


def _count(result: BenchmarkResult, metric: str) -> int:
    return result.summary[metric].count if metric in result.summary else 0


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
