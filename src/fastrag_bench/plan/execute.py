"""Run the stages of a plan: a ready queue over an executor. A failure stops only what depends on it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from fastrag_bench.error_text import error_text
from fastrag_bench.plan.executors import Mode, SerialExecutor, make_executor, run_in_worker
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.stage import Source, Stage, parents
from fastrag_bench.plan.workspace import Report, Workspace


@dataclass(frozen=True)
class Failure:
    """Why a stage has no value."""

    kind: str
    key: str
    reason: str
    traceback: str = ""
    stopped: bool = False
    """True where nothing is wrong with the stage: it was not tried because of `stop_on_error`."""


@dataclass
class Execution:
    """What became of the stages that had to run, by key."""

    reports: dict[str, Report] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    not_run: dict[str, Failure] = field(default_factory=dict)
    """Stages that were not tried, with the failure that stopped them."""

    def failure_of(self, key: str) -> Failure | None:
        """The failure that keeps this stage from having a value, its own or one upstream."""
        return self.failures.get(key) or self.not_run.get(key)


def execute(
    plan: Plan, workspace: Workspace, *, mode: Mode = "serial", n_jobs: int = 1, stop_on_error: bool = False
) -> Execution:
    """Run every stage of the plan that is not complete.

    Results do not depend on the mode. A stage that raises, or that kills its worker process, is a failure with the
    reason; the stages that depend on it are not run. With `stop_on_error` nothing new is started after the first
    failure, be it of a stage or of a single row.
    """
    queue = _Queue(plan.needed(workspace), plan, stop_on_error)
    if mode == "processes":
        _publish_sources(plan, workspace)
    executor = SerialExecutor() if mode == "serial" else make_executor(mode, n_jobs)
    try:
        while queue.waiting or queue.running:
            executor = _step(queue, workspace, executor, mode, n_jobs)
    except BaseException:
        executor.shutdown(wait=mode != "processes", cancel_futures=True)
        raise
    executor.shutdown(wait=True)
    return queue.outcome


class _Queue:
    def __init__(self, stages: Sequence[Stage], plan: Plan, stop_on_error: bool) -> None:
        self.waiting = {stage.key: stage for stage in stages}
        self.running: dict[Future[Any], Stage] = {}
        self.suspects: dict[str, Stage] = {}
        self.outcome = Execution()
        self.stop_on_error = stop_on_error
        self.plan = plan

    def ready(self) -> list[Stage]:
        """Stages whose inputs are all settled; while a dead worker's stages are under suspicion, one of them alone."""
        if self.suspects:
            return [] if self.running else [self.waiting[next(iter(self.suspects))]]
        under_way = {stage.key for stage in self.running.values()}
        busy = self.waiting.keys() | under_way
        return [stage for stage in self.waiting.values() if not any(node.key in busy for node in parents(stage))]

    def succeed(self, stage: Stage, report: Report) -> None:
        self.outcome.reports[stage.key] = report
        if report.failed and self.stop_on_error:
            self._stop(stage, f"{report.failed} {stage.kind} rows failed")

    def fail(self, stage: Stage, error: BaseException) -> None:
        trace = "".join(traceback.format_exception(error))
        failure = Failure(stage.kind, stage.key, f"{stage.kind}: {error_text(error)}", trace)
        self.outcome.failures[stage.key] = failure
        for key, other in list(self.waiting.items()):
            if any(node.key == stage.key or node.key in self.outcome.not_run for node in parents(other)):
                self._drop(key, self.outcome.not_run.get(stage.key, failure))
        if self.stop_on_error:
            self._stop(stage, failure.reason)

    def _drop(self, key: str, failure: Failure) -> None:
        self.waiting.pop(key, None)
        self.outcome.not_run[key] = failure

    def _stop(self, stage: Stage, why: str) -> None:
        failure = Failure(stage.kind, stage.key, f"stopped by on_error=stop: {why}", stopped=True)
        for key in list(self.waiting):
            self._drop(key, failure)


def _step(queue: _Queue, workspace: Workspace, executor: Executor, mode: Mode, n_jobs: int) -> Executor:
    """Start what is ready, then settle what has finished; returns the executor to go on with."""
    for stage in queue.ready():
        del queue.waiting[stage.key]
        queue.running[_submit(executor, mode, workspace, stage)] = stage
        if mode == "serial" or len(queue.running) >= 2 * n_jobs:
            break
    if not queue.running:
        return executor
    done, _ = wait(queue.running, return_when=FIRST_COMPLETED)
    dead = [future for future in done if isinstance(future.exception(), BrokenExecutor)]
    if dead:
        return _after_a_death(queue, executor, mode, n_jobs)
    for future in done:
        _settle(queue, workspace, future)
    return executor


def _submit(executor: Executor, mode: Mode, workspace: Workspace, stage: Stage) -> Future[Any]:
    work: Callable[..., Report] = workspace.run
    try:
        if mode == "processes":
            return executor.submit(run_in_worker, workspace.store.root, workspace.settings, stage)
        return executor.submit(work, stage)
    except BrokenExecutor as error:
        future: Future[Any] = Future()
        future.set_exception(error)
        return future


def _settle(queue: _Queue, workspace: Workspace, future: Future[Any]) -> None:
    stage = queue.running.pop(future)
    queue.suspects.pop(stage.key, None)
    workspace.forget(stage)
    error = future.exception()
    if error is None:
        queue.succeed(stage, future.result())
    else:
        queue.fail(stage, error)


def _after_a_death(queue: _Queue, executor: Executor, mode: Mode, n_jobs: int) -> Executor:
    """A worker died and took its pool along: whoever was alone is the culprit, several are tried again one by one."""
    executor.shutdown(wait=True)
    lost = list(queue.running.values())
    queue.running.clear()
    if len(lost) == 1:
        queue.suspects.pop(lost[0].key, None)
        queue.fail(lost[0], RuntimeError("the worker process that ran it died (killed, out of memory, or os._exit)"))
    else:
        for stage in lost:
            queue.waiting[stage.key] = stage
            queue.suspects[stage.key] = stage
    return make_executor(mode, n_jobs)


def _publish_sources(plan: Plan, workspace: Workspace) -> None:
    """Put the sources into the store, where worker processes read them."""
    for node in plan.nodes.values():
        if isinstance(node, Source):
            folder = workspace.store.folder(node.kind, node.key)
            if not workspace.store.find(node.kind, node.key):
                _add_source(workspace, node)
            assert folder.is_dir()


def _add_source(workspace: Workspace, node: Source) -> None:
    def write(folder: Any) -> float:
        node.write(node.value, folder)
        return 0.0

    workspace.store.add(node.kind, node.key, write=write, identity=None, input_keys=(), input_digests=())
