"""Run a sweep, or one job of it: prepare, plan, execute, score, write. The comparison is built from the files later."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fastrag_bench.config import RunConfig
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.plan.asking import Limits
from fastrag_bench.plan.execute import Execution, Policy, execute
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.workspace import Settings, Workspace
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.sweep.display import plan_line, say, show_notes, show_run
from fastrag_bench.sweep.finishing import Finishing
from fastrag_bench.sweep.live import Live
from fastrag_bench.sweep.manifest import PLAN, RESULT, Manifest, PlannedRun, SweepPlan, read_mean
from fastrag_bench.sweep.notes import notes_before
from fastrag_bench.sweep.outlook import show_outlook
from fastrag_bench.sweep.runs import Run, dataset_fingerprint, lay_out
from fastrag_bench.sweep.score import Scorer


def run_sweep(combinations: Sequence[Combination], *, folder: Path, notes: Sequence[str] = ()) -> None:
    """Execute all combinations as one plan and write each run's files below `folder`.

    Nothing that goes wrong at run time is raised: it is in the manifests. An interrupt is raised after what is finished
    has been written.

    Raises:
        ConfigurationError: before any work, with all that is wrong.
    """
    _run(combinations, folder, [folder / combination.folder for combination in combinations], notes=notes)


def run_job(combination: Combination, folder: Path, *, single: bool) -> int:
    """Run one combination into `folder`, planning for itself: the way of single runs and of other launchers.

    Returns:
        The exit code of a single run: 0, or 1 when no gold id matched, or 3 when it failed.
    """
    manifests = _run([combination], folder, [folder], shared=not single, quiet=not single)
    if not manifests:
        return 0
    (manifest,) = manifests
    if single:
        show_run(manifest, folder, allow_no_match=combination.config.allow_no_match)
    if manifest.status != "ok":
        return 3
    return 1 if manifest.matched is False and not combination.config.allow_no_match else 0


def _run(
    combinations: Sequence[Combination],
    folder: Path,
    folders: Sequence[Path],
    *,
    shared: bool = False,
    quiet: bool = False,
    notes: Sequence[str] = (),
) -> list[Manifest]:
    config = combinations[0].config
    runs = lay_out(combinations)
    plan = Plan(run.pipeline.wanted for run in runs)
    with Workspace(Store(Path(config.store)), _settings(config)) as workspace:
        workspace.store.check_writable()
        record = _record(runs, plan, workspace, notes)
        if not quiet:
            _announce(runs, plan, workspace, record)
        if config.dry_run:
            show_outlook(runs, plan, workspace)
            return []
        if not shared:
            record = _with_earlier(record, runs, folder)
            record.save(folder)
        return _execute(runs, plan, workspace, record, None if shared else folder, folders)


def _execute(
    runs: Sequence[Run],
    plan: Plan,
    workspace: Workspace,
    record: SweepPlan,
    folder: Path | None,
    folders: Sequence[Path],
) -> list[Manifest]:
    config = runs[0].combination.config
    needed = {stage.key for stage in plan.needed(workspace)}
    scorer = Scorer(workspace, Execution(), concurrency=_concurrency(config))
    began = time.perf_counter()
    with Live(len(needed), len(runs), runs[0].deciding, quiet=folder is None) as live:
        workspace.reporter = live
        finishing = Finishing(runs, folders, scorer, needed, live)
        try:
            execute(plan, workspace, _policy(config), settled=finishing.settled)
        except KeyboardInterrupt:
            finishing.interrupted()
            if folder is not None:
                replace(record, interrupted=True).save(folder)
            raise
    manifests = finishing.all_saved()
    if folder is not None:
        notes = dict.fromkeys([*record.notes, *_notes_of_pipelines(runs, manifests, workspace)])
        replace(record, notes=tuple(notes), paid_seconds=round(time.perf_counter() - began, 3)).save(folder)
    return manifests


def _policy(config: RunConfig) -> Policy:
    return Policy(
        mode=config.execution.name,
        n_jobs=config.execution.n_jobs,
        stop_on_error=config.on_error == "stop",
        budget_s=config.budget.seconds,
    )


def _notes_of_pipelines(runs: Sequence[Run], manifests: Sequence[Manifest], workspace: Workspace) -> list[str]:
    finished = [run for run, manifest in zip(runs, manifests, strict=True) if manifest.status == "ok"]
    notes = [note for run in finished for note in run.pipeline.notes(workspace)]
    partly = [manifest for manifest in manifests if manifest.failed_questions]
    for each in partly[:3]:
        count = f"{each.failed_questions} of {each.dataset['questions']} questions failed"
        notes.append(f"{each.name}: {count}; the first: {each.first_error}")
    if len(partly) > 3:
        notes.append(f"some questions failed in {len(partly) - 3} more runs; samples.jsonl of each tells which and why")
    return notes


def _record(runs: Sequence[Run], plan: Plan, workspace: Workspace, notes: Sequence[str]) -> SweepPlan:
    config, summary = runs[0].combination.config, plan.summary(workspace)
    return SweepPlan(
        runs=tuple(PlannedRun(run.name, run.combination.folder, tuple(run.combination.overrides)) for run in runs),
        primary=runs[0].deciding,
        allow_no_match=config.allow_no_match,
        notes=(*notes, *notes_before(runs)),
        summary={"asked": summary.asked, "distinct": summary.distinct, "stored": summary.stored},
    )


def _announce(runs: Sequence[Run], plan: Plan, workspace: Workspace, record: SweepPlan) -> None:
    for data in {id(run.data): run.data for run in runs}.values():
        documents = "no documents of its own" if data.corpus is None else f"{len(data.corpus)} documents"
        say(f"dataset {data.name}: {documents}, {len(data.questions.samples)} questions")
    say(plan_line(len(runs), plan.summary(workspace)))
    show_notes(record.notes)


def _with_earlier(record: SweepPlan, runs: Sequence[Run], folder: Path) -> SweepPlan:
    """Keep the runs of an earlier command in the same sweep, unless they are from another state of the dataset."""
    earlier = _earlier(folder)
    if earlier is None:
        return record
    now = {run.name for run in record.runs}
    fingerprints = {dataset_fingerprint(run.data) for run in runs}
    kept: list[PlannedRun] = []
    stale: list[PlannedRun] = []
    for run in earlier.runs:
        if run.name not in now:
            same = _fingerprint_of(folder / run.folder) in fingerprints
            (kept if same else stale).append(run)
    notes = [*record.notes, *([_apart(folder, stale, record.primary)] if stale else [])]
    return replace(record, runs=(*record.runs, *kept), notes=tuple(notes))


def _earlier(folder: Path) -> SweepPlan | None:
    """The plan of an earlier command; one that cannot be read is said and passed over."""
    if not (folder / PLAN).is_file():
        return None
    try:
        return SweepPlan.load(folder)
    except ConfigurationError as error:
        say(f"note: {error}; runs of earlier commands are left out of the comparison")
        return None


def _apart(folder: Path, stale: Sequence[PlannedRun], primary: str | None) -> str:
    """Results of another state of the dataset: told with their figure, and in no table with the others."""
    told = []
    for run in stale:
        mean = read_mean(folder / run.folder / RESULT, primary) if primary else None
        told.append(run.name if mean is None else f"{run.name} ({primary} {mean:.4f})")
    plural = "result is" if len(stale) == 1 else "results are"
    return f"{len(stale)} {plural} from another dataset version and shown apart: {'; '.join(told)}"


def _fingerprint_of(folder: Path) -> str | None:
    try:
        return str(Manifest.load(folder).dataset.get("fingerprint"))
    except ConfigurationError:
        return None


def _settings(config: RunConfig) -> Settings:
    return Settings(
        limits=Limits(config.timeout_s, config.retries),
        max_concurrent=_concurrency(config),
        parallel_rows=config.execution.parallel_queries,
    )


def _concurrency(config: RunConfig) -> int:
    if config.execution.parallel_queries:
        return max(config.max_concurrent, config.execution.n_jobs, 2)
    return config.max_concurrent
