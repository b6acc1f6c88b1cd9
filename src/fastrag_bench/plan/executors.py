"""Where stages run: here, in threads, or in worker processes. All have the semantics of `concurrent.futures`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from fastrag_bench.plan.stage import Stage
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.workspace import Report, Settings, Workspace

Mode = Literal["serial", "threads", "processes"]


class SerialExecutor(Executor):
    """Runs each call at once, in this thread; only `Exception` is kept in the future, the rest goes through."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the call and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def make_executor(mode: Mode, n_jobs: int) -> Executor:
    """The executor of a mode with `n_jobs` workers."""
    if mode == "serial":
        return SerialExecutor()
    if mode == "threads":
        return ThreadPoolExecutor(n_jobs, thread_name_prefix="fastrag-stage")
    from joblib.externals.loky import ProcessPoolExecutor

    executor: Executor = ProcessPoolExecutor(n_jobs)
    return executor


@lru_cache(maxsize=2)
def _worker_workspace(root: Path, settings: Settings) -> Workspace:
    return Workspace(Store(root), settings)


def run_in_worker(root: Path, settings: Settings, stage: Stage) -> Report:
    """Run one stage in a worker process, which has nothing but the store."""
    workspace = _worker_workspace(root, settings)
    for node in (*stage.inputs, *getattr(stage, "upstream", ())):
        workspace.forget(node)
    try:
        return workspace.run(stage)
    finally:
        workspace.close()
