"""Run the product's command line and put its figures beside published ones."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIG = Path(__file__).resolve().parent / "conf"
"""Chunkers that only these scripts need."""

SOURCES = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Expected:
    """A published figure: which run and metric, the value as printed, and how far ours may be."""

    label: str
    overrides: Mapping[str, str]
    """Settings that tell the run from the others of its sweep, as in its manifest."""
    metric: str
    published: float
    tolerance: float
    statistic: str = "mean"


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data", type=Path, help="the folder of the data set")
    parser.add_argument("--work", type=Path, default=Path("outputs/reproduce"), help="where sweeps and store are put")
    return parser.parse_args()


def model_arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data", type=Path, help="the folder of the data set")
    parser.add_argument("--model", required=True, help="a folder with the model, or its name on the hub")
    parser.add_argument("--work", type=Path, default=Path("outputs/reproduce"), help="where sweeps and store are put")
    return parser.parse_args()


def command(work: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    """Run `python -m fastrag_bench WORDS` in a folder and return what it prints; its code has to be 0."""
    work.mkdir(parents=True, exist_ok=True)
    paths = [str(SOURCES), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    variables = {**os.environ, **(environment or {}), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    line = [sys.executable, "-m", "fastrag_bench", *words]
    print("$ fastrag-bench", *words, flush=True)
    done = subprocess.run(line, cwd=work, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stdout.write(done.stdout + done.stderr)
        raise SystemExit(done.returncode)
    return done.stdout


def sweep(work: Path, name: str, *words: str, environment: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """Run one sweep and return its runs: overrides and summary of each."""
    command(work, "-m", "--config-dir", str(CONFIG), f"sweep={name}", *words, environment=environment)
    runs = []
    for manifest in sorted((work / "outputs" / "sweeps" / name).glob("*/manifest.json")):
        record = json.loads(manifest.read_text(encoding="utf-8"))
        result = json.loads((manifest.parent / "result.json").read_text(encoding="utf-8"))
        overrides = dict(override.split("=", 1) for override in record["overrides"])
        runs.append({"overrides": overrides, "summary": result["summary"], "name": record["name"]})
    return runs


def report(runs: Sequence[Mapping[str, Any]], expectations: Sequence[Expected], *, scale: float = 1.0) -> bool:
    """Print ours, published, difference; whether every difference is within its tolerance."""
    good = True
    print(f"{'':44} {'ours':>10} {'published':>10} {'difference':>10} {'allowed':>8}")
    for expected in expectations:
        run = next(run for run in runs if expected.overrides.items() <= run["overrides"].items())
        ours = run["summary"][expected.metric][expected.statistic] * scale
        difference = ours - expected.published
        within = abs(difference) <= expected.tolerance
        good &= within
        print(
            f"{expected.label:44} {ours:10.5f} {expected.published:10.5f} {difference:+10.5f} "
            f"{expected.tolerance:8.5f}{'' if within else '  <-- outside'}"
        )
    return good
