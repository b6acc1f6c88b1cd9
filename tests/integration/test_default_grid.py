"""The default dataset tells settings apart: along each axis of the shipped grid figures move, and none is saturated."""

from __future__ import annotations

import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from .command import environment

AXES = ("chunker", "chunker.size", "retriever", "reranker")


@pytest.mark.slow
def test_each_axis_moves_ndcg_and_no_metric_is_saturated(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fastrag_bench", "experiment=grid", "sweep=g", "metrics=[retrieval]"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "outputs" / "sweeps" / "g"
    runs = json.loads((folder / "plan.json").read_text())["runs"]
    settings = {run["name"]: dict(override.split("=", 1) for override in run["overrides"]) for run in runs}
    with open(folder / "comparison.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 108
    for axis in AXES:
        levels: dict[str, list[float]] = {}
        for row in rows:
            levels.setdefault(settings[row["run"]][axis], []).append(float(row["ndcg"]))
        means = [statistics.mean(values) for values in levels.values()]
        assert max(means) - min(means) >= 0.03, axis
    for metric in ("recall", "precision", "ndcg", "mrr", "hit", "map", "recall@2000chars"):
        assert max(float(row[metric]) for row in rows) <= 0.95, metric
