"""Run the stages of a plan: a ready queue over an executor. A failure stops only what depends on it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from fastrag_bench.error_text import error_text
from fastrag_bench.plan.executors import Mode, SerialExecutor, Trouble, abandon, make_executor, run_in_worker
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.stage import RowStage, Source, Stage, parents
from fastrag_bench.plan.workspace import Report, Workspace


@dataclass(frozen=True)
class Failure:
    """Why a stage has no value."""

    kind: str
    key: str
    reason: str
    traceback: str = ""
    stopped: bool = False
    """True where nothing is wrong with the stage: it was not tried, for `stop_on_error` or the budget."""


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


@dataclass(frozen=True)
class Policy:
    """Where stages run, and when no more are started."""

    mode: Mode = "serial"
    n_jobs: int = 1
    stop_on_error: bool = False
    """Start nothing after the first failure, be it of a stage or of a single row."""
    budget_s: float | None = None
    """Start no stage after so many seconds; what is running is finished."""


def execute(
    plan: Plan,
    workspace: Workspace,
    policy: Policy = Policy(),
    *,
    settled: Callable[[Execution, Sequence[str]], None] = lambda execution, keys: None,
) -> Execution:
    """Run every stage of the plan that is not complete.

    Results do not depend on the policy's mode. A stage that raises, or that kills or hangs its worker process, is a
    failure with the reason; the stages that depend on it are not run.

    Args:
        plan: what to run.
        workspace: where values are.
        policy: where stages run, and when to stop.
        settled: hears the keys of stages that have ended, one way or the other.
    """
    return _Loop(plan, workspace, policy).run(settled)


class _Loop:
    def __init__(self, plan: Plan, workspace: Workspace, policy: Policy) -> None:
        self.workspace = workspace
        self.policy = policy
        self.waiting = {stage.key: stage for stage in plan.needed(workspace)}
        self.running: dict[Future[Any], Stage] = {}
        self.started: dict[Future[Any], float] = {}
        self.suspects: dict[str, Stage] = {}
        self.outcome = Execution()
        self.fresh: list[str] = []
        self.began = time.monotonic()
        if policy.mode == "processes":
            _publish_sources(plan, workspace)
        self.executor = self._new_executor()

    def run(self, settled: Callable[[Execution, Sequence[str]], None]) -> Execution:
        try:
            while self.waiting or self.running:
                self._check_budget()
                self._start()
                self._settle()
                keys, self.fresh = self.fresh, []
                settled(self.outcome, keys)
        except BaseException:
            abandon(self.executor)
            raise
        self.executor.shutdown(wait=True)
        return self.outcome

    def _new_executor(self) -> Executor:
        return SerialExecutor() if self.policy.mode == "serial" else make_executor(self.policy.mode, self.policy.n_jobs)

    def _check_budget(self) -> None:
        budget = self.policy.budget_s
        if budget is not None and self.waiting and time.monotonic() - self.began > budget:
            self._stop(next(iter(self.waiting.values())), f"budget.seconds={budget:g} is used up", "stopped")

    def _start(self) -> None:
        for stage in self._ready():
            if len(self.running) >= self.policy.n_jobs or (self.policy.mode == "serial" and self.running):
                break
            del self.waiting[stage.key]
            future = self._submit(stage)
            self.running[future] = stage
            self.started[future] = time.monotonic()

    def _ready(self) -> list[Stage]:
        """Stages whose inputs are all settled; while a dead worker's stages are under suspicion, one of them alone."""
        if self.suspects:
            return [] if self.running else [self.waiting[next(iter(self.suspects))]]
        busy = self.waiting.keys() | {stage.key for stage in self.running.values()}
        return [stage for stage in self.waiting.values() if not any(node.key in busy for node in parents(stage))]

    def _submit(self, stage: Stage) -> Future[Any]:
        try:
            if self.policy.mode == "processes":
                return self.executor.submit(run_in_worker, self.workspace.store.root, self.workspace.settings, stage)
            return self.executor.submit(self.workspace.run, stage)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def _settle(self) -> None:
        if not self.running:
            return
        done, _ = wait(self.running, timeout=self._patience(), return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenExecutor) for future in done):
            self._after_a_death()
            return
        for future in done:
            stage = self._forget(future)
            error = future.exception()
            if error is not None:
                self._fail(stage, error_text(error), _trace(error))
            elif isinstance(result := future.result(), Trouble):
                self._fail(stage, result.text, result.traceback)
            else:
                self._succeed(stage, result)
        self._end_the_hanging()

    def _forget(self, future: Future[Any]) -> Stage:
        stage = self.running.pop(future)
        self.started.pop(future, None)
        self.suspects.pop(stage.key, None)
        self.workspace.forget(stage)
        return stage

    def _succeed(self, stage: Stage, report: Report) -> None:
        self.outcome.reports[stage.key] = report
        self.fresh.append(stage.key)
        if report.failed and self.policy.stop_on_error:
            self._stop(stage, f"{report.failed} {stage.kind} rows failed")

    def _fail(self, stage: Stage, text: str, trace: str = "") -> None:
        failure = Failure(stage.kind, stage.key, f"{stage.kind}: {text}", trace)
        self.outcome.failures[stage.key] = failure
        self.fresh.append(stage.key)
        for key, other in list(self.waiting.items()):
            if any(node.key == stage.key or node.key in self.outcome.not_run for node in parents(other)):
                self._drop(key, self.outcome.not_run.get(stage.key, failure))
        if self.policy.stop_on_error:
            self._stop(stage, failure.reason)

    def _drop(self, key: str, failure: Failure) -> None:
        self.waiting.pop(key, None)
        self.outcome.not_run[key] = failure
        self.fresh.append(key)

    def _stop(self, stage: Stage, why: str, what: str = "stopped by on_error=stop") -> None:
        failure = Failure(stage.kind, stage.key, f"{what}: {why}", stopped=True)
        for key in list(self.waiting):
            self._drop(key, failure)

    def _after_a_death(self) -> None:
        """A worker died and took its pool along: whoever was alone is the culprit, several are tried one by one."""
        abandon(self.executor)
        lost = [self._lost(future) for future in list(self.running)]
        if len(lost) == 1:
            self._fail(lost[0], "the worker process that ran it died (killed, out of memory, or os._exit)")
        else:
            self._suspect(lost)
        self.executor = self._new_executor()

    def _lost(self, future: Future[Any]) -> Stage:
        stage = self.running.pop(future)
        self.started.pop(future, None)
        self.suspects.pop(stage.key, None)
        return stage

    def _suspect(self, stages: Sequence[Stage]) -> None:
        for stage in stages:
            self.waiting[stage.key] = stage
            self.suspects[stage.key] = stage

    def _patience(self) -> float | None:
        """Look at running processes from time to time where one of them may hang."""
        return 0.5 if self._longest() is not None else None

    def _longest(self) -> float | None:
        """Seconds without any new row after which a process counts as hanging; None where nothing says so."""
        limits = self.workspace.settings.limits
        if self.policy.mode != "processes" or limits.timeout_s is None:
            return None
        return 10 + 2 * limits.timeout_s * (1 + limits.retries)

    def _end_the_hanging(self) -> None:
        """Kill the pool under a process that holds its interpreter and so cannot time its own question out."""
        longest = self._longest()
        if longest is None:
            return
        hanging = [future for future in self.running if self._quiet_for(future) > longest]
        if not hanging:
            return
        abandon(self.executor)
        innocent = [self._lost(future) for future in list(self.running) if future not in hanging]
        for future in hanging:
            self._fail(self._lost(future), f"nothing came of it for {longest:g} s; its process was killed")
        self.waiting.update({stage.key: stage for stage in innocent})
        self.executor = self._new_executor()

    def _quiet_for(self, future: Future[Any]) -> float:
        """Seconds since a row stage began or wrote its last row; 0 for stages that have no rows."""
        stage = self.running[future]
        if not isinstance(stage, RowStage):
            return 0.0
        folder = self.workspace.store.folder(stage.kind, stage.key)
        written = [time.time() - path.stat().st_mtime for path in folder.glob("rows-*.jsonl")]
        return min([time.monotonic() - self.started[future], *written])


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _publish_sources(plan: Plan, workspace: Workspace) -> None:
    """Put the sources into the store, where worker processes read them."""
    for node in plan.nodes.values():
        if isinstance(node, Source) and not workspace.store.find(node.kind, node.key):
            _add_source(workspace, node)


def _add_source(workspace: Workspace, node: Source) -> None:
    def write(folder: Any) -> float:
        node.write(node.value, folder)
        return 0.0

    workspace.store.add(node.kind, node.key, write=write, identity=None, input_keys=(), input_digests=())
