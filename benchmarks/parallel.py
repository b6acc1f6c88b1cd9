"""Do two workers finish earlier than one? Stages of unequal length that wait, and such that compute.

    python benchmarks/parallel.py

Wall-clock seconds of the same plan, one after the other: serial, two threads, two processes. Those that compute gain as
far as the machine has idle processors.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastrag_bench.plan.execute import Policy, execute
from fastrag_bench.plan.plan import Plan
from fastrag_bench.plan.stage import ValueStage
from fastrag_bench.plan.store import Store
from fastrag_bench.plan.workspace import Workspace

LENGTHS = (1.6, 0.2, 0.9, 0.4, 0.7, 1.1, 0.3, 0.8, 0.5, 1.3, 0.6, 1.0)


@dataclass(frozen=True)
class Work:
    """Waits or computes for so long."""

    number: int
    seconds: float
    computes: bool
    kind: str = "work"
    reads_inputs: bool = False

    @property
    def identity(self) -> Any:
        return {"number": self.number}

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        began = time.thread_time() if self.computes else time.perf_counter()
        if not self.computes:
            time.sleep(self.seconds)
        while self.computes and time.thread_time() - began < self.seconds:
            sum(range(10_000))
        (folder / "value.json").write_text(json.dumps(self.number), encoding="utf-8")

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        return json.loads((folder / "value.json").read_text(encoding="utf-8"))


def wall(mode: Any, computes: bool) -> float:
    stages = [(ValueStage(Work(number, seconds, computes)),) for number, seconds in enumerate(LENGTHS)]
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        execution = execute(Plan(stages), Workspace(Store(Path(folder))), Policy(mode=mode, n_jobs=2))
        assert len(execution.reports) == len(LENGTHS)
        return time.perf_counter() - began


def main() -> None:
    for computes in (False, True):
        what = "compute" if computes else "wait"
        one = wall("serial", computes)
        for mode in ("threads", "processes"):
            print(f"stages that {what}: serial / 2 {mode}: {one / wall(mode, computes):.2f} times faster", flush=True)


if __name__ == "__main__":
    main()
