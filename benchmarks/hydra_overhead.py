"""What Hydra costs per job: our sweeper and launcher against the stock ones, with tasks that do nothing.

    python benchmarks/hydra_overhead.py [--rounds 1] [--only values]

Both sides use the same `conf/`, each in a fresh process, in turn. Processor time per job is (time of N jobs - time of 1
job) / (N - 1), so that start-up is left out; N is 200 for the stock side and 1,000 for ours, or the number of
combinations where the sweep has fewer. Ours composes, validates and names every combination and writes `.hydra/`; the
stock side composes twice, logs, and writes `.hydra/`. `files` are combinations that end as real runs, with one question
and one shared pipeline: plan, scores, result, samples and manifest of each included.

What dominates ours: of the 2.6 ms of a combination of `values`, 2.0 prepare it (cProfile over 1,000: texts of the
`.hydra/` files 29 %, copying and changing the node that the override sets 15 %, Hydra's grammar 15 %,
building and checking the RunConfig 12 %, looking for secrets 11 %, numbering 9 %, interpolations 8 %); the rest expands
the sweep and writes the files, without fsync. What `files` costs beyond `values` is the run's own: layout, scores,
result, samples and manifest. Of the stock side four fifths are Hydra's two composes, which read every file anew.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STOCK = ("hydra/launcher=basic", "hydra/sweeper=basic")
CHUNKERS = "chunker=fixed,markdown,none,recursive,semantic,sentence"
RETRIEVERS = "retriever=bm25,dense,hybrid"
SETS = (CHUNKERS, RETRIEVERS, "reranker=none,mmr")
TRIVIAL = ("dataset.limit=1", "retriever=bm25", "generator=none", "metrics.names=[recall]")
BARE = "import hydra\n@hydra.main(version_base=None, config_path=None)\ndef main(_): ...\nmain()\n"


@dataclass(frozen=True)
class Sweep:
    """A sweep at the size at which each side is timed."""

    ours: tuple[str, ...]
    ours_jobs: int
    stock: tuple[str, ...]
    stock_jobs: int
    real: bool = False
    """Ours runs for real."""


SWEEPS = {
    "values": Sweep(("seed=range(0,1000)",), 1000, ("seed=range(0,200)",), 200),
    "mixed": Sweep((RETRIEVERS, "seed=range(0,333)"), 999, (RETRIEVERS, "seed=range(0,66)"), 198),
    "36 sets": Sweep(SETS, 36, SETS, 36),
    "72 sets": Sweep((*SETS, "generator=extractive,none"), 72, SETS, 36),
    "files": Sweep((*TRIVIAL, "seed=range(0,1000)"), 1000, ("seed=range(0,200)",), 200, real=True),
}
"""One set of group choices; a few; as many as there are jobs, the worst case; and runs with all their files."""


def run_one(overrides: list[str], *, real: bool) -> None:
    """In a child process: the application, with nothing behind it unless `real`."""
    from omegaconf import DictConfig

    import fastrag_bench.sweep.application as application
    import fastrag_bench.sweep.hook as hook
    import fastrag_bench.sweep.run as run

    def nothing(*_: Any, **__: Any) -> None: ...

    def no_task(_: DictConfig) -> None: ...

    hook.ComparisonHook.on_multirun_end = nothing  # type: ignore[method-assign]
    if not real:
        run.run_sweep = nothing
        application.run = no_task
    raise SystemExit(application.run_application(["-m", *overrides], ROOT / "conf"))


def cpu_seconds(*words: str, code: str | None = None) -> float:
    """Of a fresh Python with this script, or with this code, in a folder of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        script = Path(folder) / "bare.py"
        script.write_text(code or "")
        command = [sys.executable, *([str(script)] if code else []), *words]
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def per_job(overrides: tuple[str, ...], jobs: int, *, real: bool = False) -> float:
    child = (__file__, "--real" if real else "--child")
    return (cpu_seconds(*child, *overrides) - cpu_seconds(*child, *(w for w in overrides if "," not in w))) / (jobs - 1)


def show(name: str, rounds: range) -> None:
    sweep = SWEEPS[name]
    ours = min(per_job(sweep.ours, sweep.ours_jobs, real=sweep.real) for _ in rounds) * 1000
    stock = min(per_job((*STOCK, *sweep.stock), sweep.stock_jobs) for _ in rounds) * 1000
    print(
        f"{name:9} ours {ours:5.1f} ms CPU a job ({sweep.ours_jobs} jobs), "
        f"stock {stock:5.1f} ms ({sweep.stock_jobs} jobs):"
        f" 1/{stock / ours:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="the best of so many is shown")
    parser.add_argument("--only", action="append", choices=SWEEPS, help="one of the sweeps; may be repeated")
    arguments = parser.parse_args()
    rounds = range(arguments.rounds)
    for name in arguments.only or SWEEPS:
        show(name, rounds)
    ours = min(cpu_seconds("-m", "fastrag_bench", "--help") for _ in range(3))
    bare = min(cpu_seconds("--help", code=BARE) for _ in range(3))
    print(f"--help    ours {ours * 1000:5.0f} ms CPU, a bare Hydra app {bare * 1000:5.0f} ms: {ours / bare:.2f} times")


if __name__ == "__main__":
    if sys.argv[1:2] in (["--child"], ["--real"]):
        run_one(sys.argv[2:], real=sys.argv[1] == "--real")
    main()
