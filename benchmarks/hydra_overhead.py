"""What Hydra costs per job: our sweeper and launcher against the stock ones, with tasks that do nothing.

    python benchmarks/hydra_overhead.py [--rounds 1]

Both sides use the same `conf/` and the same overrides, each in a fresh process, in turn. Processor time per job is
(time of N jobs - time of 1 job) / (N - 1), so that start-up is left out. Ours composes, validates and names every
combination and writes `.hydra/`; the stock side composes twice, logs, and writes `.hydra/`.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STOCK = ["hydra/launcher=basic", "hydra/sweeper=basic"]
SWEEPS: dict[str, tuple[int, list[str]]] = {
    "values": (200, ["seed=range(0,200)"]),
    "mixed": (198, ["retriever=bm25,dense,hybrid", "seed=range(0,66)"]),
    "groups": (
        36,
        ["chunker=fixed,markdown,none,recursive,semantic,sentence", "retriever=bm25,dense,hybrid", "reranker=none,mmr"],
    ),
}
"""Jobs and overrides: one set of group choices, a few, and as many as there are jobs (the worst case for ours)."""


def run_one(overrides: list[str]) -> None:
    """In a child process: the application, with nothing behind it."""
    from omegaconf import DictConfig

    import fastrag_bench.sweep.application as application
    import fastrag_bench.sweep.hook as hook
    import fastrag_bench.sweep.run as run

    def nothing(*_: Any, **__: Any) -> None: ...

    def no_task(_: DictConfig) -> None: ...

    run.run_sweep = nothing  # type: ignore[assignment]
    hook.ComparisonHook.on_multirun_end = nothing  # type: ignore[method-assign]
    application.run = no_task  # type: ignore[assignment]
    raise SystemExit(application.run_application(["-m", *overrides], ROOT / "conf"))


def cpu_seconds(overrides: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        command = [sys.executable, __file__, "--child", *overrides]
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def per_job(sweep: str, plugins: list[str]) -> float:
    jobs, overrides = SWEEPS[sweep]
    return (cpu_seconds([*plugins, *overrides]) - cpu_seconds([*plugins, "seed=0"])) / (jobs - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="the best of so many is shown")
    rounds = range(parser.parse_args().rounds)
    for sweep, (jobs, _) in SWEEPS.items():
        pairs = [(per_job(sweep, []), per_job(sweep, STOCK)) for _ in rounds]
        ours, stock = (min(column) * 1000 for column in zip(*pairs, strict=True))
        print(
            f"{sweep:6} {jobs:4} jobs: ours {ours:6.1f} ms, stock {stock:6.1f} ms CPU a job, ratio {ours / stock:.3f}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        run_one(sys.argv[2:])
    main()
