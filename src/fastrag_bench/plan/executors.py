"""Where stages run: here, in threads, or in worker processes. All have the semantics of `concurrent.futures`."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from fastrag_bench.error_text import error_text
from fastrag_bench.plan.stage import Stage
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.threads import ThreadExecutor
from fastrag_bench.plan.workspace import Report, Settings, Workspace

Mode = Literal["serial", "threads", "processes"]


class SerialExecutor(Executor):
    """Runs each call at once, in this thread; only an interrupt goes through, also past a part that exits."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the call and return its finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except (Exception, SystemExit, GeneratorExit) as error:
            future.set_exception(error)
        return future


def make_executor(mode: Mode, n_jobs: int) -> Executor:
    """The executor of a mode with `n_jobs` workers."""
    if mode == "serial":
        return SerialExecutor()
    if mode == "threads":
        return ThreadExecutor(n_jobs)
    from joblib.externals.loky import ProcessPoolExecutor

    executor: Executor = ProcessPoolExecutor(n_jobs, initializer=_prepare_worker, initargs=(os.getpid(), n_jobs))
    return executor


def abandon(executor: Executor) -> None:
    """Close at once: kill worker processes, leave threads behind; what they did is in the store as far as it got."""
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        with suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)
    executor.shutdown(wait=False)


def _prepare_worker(parent: int, n_jobs: int) -> None:
    """In a new worker: leave Ctrl-C to the parent, end when it is gone, and share the processors between workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True, name="fastrag-parent").start()
    share_processors(n_jobs)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def share_processors(n_jobs: int) -> None:
    """Limit the threads of numeric libraries that are loaded later to this worker's share of the processors."""
    share = str(max(1, (os.cpu_count() or 1) // n_jobs))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        os.environ.setdefault(name, share)


@lru_cache(maxsize=2)
def _worker_workspace(root: Path, settings: Settings) -> Workspace:
    return Workspace(Store(root), settings)


@dataclass(frozen=True)
class Trouble:
    """What a stage raised in a worker, as text: not every exception survives the way between processes."""

    text: str
    traceback: str


def run_in_worker(root: Path, settings: Settings, stage: Stage) -> Report | Trouble:
    """Run one stage in a worker process, which has nothing but the store."""
    workspace = _worker_workspace(root, settings)
    for node in (*stage.inputs, *getattr(stage, "upstream", ())):
        workspace.forget(node)
    try:
        return workspace.run(stage)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Trouble(error_text(error), "".join(traceback.format_exception(error)))
    finally:
        workspace.close()
