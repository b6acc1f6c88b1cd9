"""The command line, as real processes: what it prints and with which code it ends."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
COMMAND = [sys.executable, "-m", "fastrag_bench"]
SWEEP = ["retriever=bm25,hybrid", "k=3,5", "dataset.limit=20"]
RUNS = [f"dataset.limit=20,k={k},retriever={retriever}" for k in (3, 5) for retriever in ("bm25", "hybrid")]


def run(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words], cwd=cwd, env={**ENVIRONMENT, **environment}, capture_output=True, text=True, timeout=120
    )


def means(sweep: Path) -> dict[str, dict[str, float]]:
    """The means of the metrics that do not depend on the clock, of every run of a sweep."""
    found = {}
    for path in sorted(sweep.glob("*/result.json")):
        result = json.loads(path.read_text())
        summary = {name: row["mean"] for name, row in result["summary"].items() if name != "latency_ms"}
        found[result["name"]] = summary
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A folder with one sweep in it, run by our sweeper and launcher."""
    folder = tmp_path_factory.mktemp("ours")
    return folder, run(*SWEEP[:1], "-m", *SWEEP[1:], "sweep=mine", cwd=folder)


def test_help_lists_groups_settings_and_examples_and_does_not_wait_for_hydra(tmp_path: Path) -> None:
    began = time.perf_counter()
    done = run("--help", cwd=tmp_path)
    assert time.perf_counter() - began < 2
    assert (done.returncode, done.stderr) == (0, "")
    for expected in ("chunker", "recursive*", "candidates=100", "-m chunker=recursive,semantic k=5,10", "compare DIR"):
        assert expected in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_help_shows_the_options_of_a_user_s_folder(tmp_path: Path) -> None:
    (tmp_path / "own" / "chunker").mkdir(parents=True)
    (tmp_path / "own" / "chunker" / "paragraph.yaml").write_text("")
    assert "paragraph" in run("--help", "--config-dir", "own", cwd=tmp_path).stdout


def test_every_bad_override_is_told_at_once_with_code_2_and_nothing_is_written(tmp_path: Path) -> None:
    done = run("-m", "chunker=semntic,recursive", "chunker.siz=3", "k=5,200", "embedder.dimension=64", cwd=tmp_path)
    assert done.returncode == 2
    for expected in ("4 problems", "'semantic'", "'size'", "k=200", "candidates=100", "'dimensions'"):
        assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_single_run_is_checked_in_the_same_way(tmp_path: Path) -> None:
    done = run("chunker.siz=3", "k=0", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 problems" in done.stderr
    assert "did you mean 'size'" in done.stderr


def test_a_forgotten_m_gets_the_hint(tmp_path: Path) -> None:
    done = run("k=5,10", cwd=tmp_path)
    assert done.returncode == 2
    assert "add --multirun" in done.stderr


def test_a_traceback_is_there_for_those_who_ask(tmp_path: Path) -> None:
    done = run("k=0", cwd=tmp_path, HYDRA_FULL_ERROR="1")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


def test_a_value_may_suit_only_some_of_the_swept_parts(tmp_path: Path) -> None:
    done = run("-m", "chunker=recursive,semantic", "chunker.min_size=100", "dry_run=true", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "chunker.min_size does not exist with chunker=recursive: left out there" in done.stdout
    assert not (tmp_path / "outputs" / "sweeps").exists()


def test_a_sweep_writes_its_runs_and_their_comparison(ours: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = ours
    assert done.returncode == 0, done.stderr
    sweep = folder / "outputs" / "sweeps" / "mine"
    assert sorted(path.parent.name for path in sweep.glob("*/result.json")) == RUNS
    for run_folder in RUNS:
        written = sorted(path.name for path in (sweep / run_folder / ".hydra").iterdir())
        assert written == ["config.yaml", "hydra.yaml", "overrides.yaml"]
    assert (sweep / "multirun.yaml").is_file()
    assert (sweep / "comparison.md").is_file()


@pytest.mark.parametrize("stock", [("hydra/launcher=basic",), ("hydra/launcher=basic", "hydra/sweeper=basic")], ids=str)
def test_stock_plugins_give_the_same_results(
    ours: tuple[Path, subprocess.CompletedProcess[str]], stock: tuple[str, ...]
) -> None:
    folder, _ = ours
    done = run("-m", *stock, *SWEEP, f"sweep=stock{len(stock)}", cwd=folder)
    assert done.returncode == 0, done.stderr
    sweeps = folder / "outputs" / "sweeps"
    assert means(sweeps / f"stock{len(stock)}") == means(sweeps / "mine")
    assert (sweeps / f"stock{len(stock)}" / "comparison.md").is_file()


@pytest.mark.skipif(
    importlib.util.find_spec("hydra_plugins.hydra_joblib_launcher") is None, reason="needs hydra-joblib-launcher"
)
def test_joblib_s_launcher_gives_the_same_results(ours: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = ours
    done = run("-m", "hydra/launcher=joblib", *SWEEP, "sweep=joblib", cwd=folder)
    assert done.returncode == 0, done.stderr
    sweeps = folder / "outputs" / "sweeps"
    assert means(sweeps / "joblib") == means(sweeps / "mine")


@pytest.mark.skipif(
    importlib.util.find_spec("hydra_plugins.hydra_optuna_sweeper") is None, reason="needs hydra-optuna-sweeper"
)
@pytest.mark.parametrize("launcher", ["fastrag_bench", "basic"])
def test_optuna_optimises_the_primary_metric(tmp_path: Path, launcher: str) -> None:
    words = ("hydra.sweeper.direction=maximize", "hydra.sweeper.n_trials=4", "hydra.sweeper.n_jobs=1")
    settings = ("dataset.limit=10", "generator=none", "metrics.primary=recall", "sweep=o")
    plugins = ("hydra/sweeper=optuna", f"hydra/launcher={launcher}", *words)
    done = run("-m", *plugins, "k=choice(1,5)", "retriever=bm25", *settings, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    sweep = tmp_path / "outputs" / "sweeps" / "o"
    best = (sweep / "optimization_results.yaml").read_text()
    found = {name: summary["recall"] for name, summary in means(sweep).items()}
    assert f"best_value: {max(found.values())}" in best


def test_the_stock_sweeper_works_with_our_launcher(ours: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = ours
    done = run("-m", "hydra/sweeper=basic", *SWEEP, "sweep=sweeper", cwd=folder)
    assert done.returncode == 0, done.stderr
    sweeps = folder / "outputs" / "sweeps"
    assert means(sweeps / "sweeper") == means(sweeps / "mine")


def test_compare_rebuilds_the_comparison(ours: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = ours
    table = folder / "outputs" / "sweeps" / "mine" / "comparison.md"
    before = table.read_text()
    table.unlink()
    done = run("compare", "outputs/sweeps/mine", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert table.read_text() == before


def test_resume_insists_on_a_sweep_that_is_there(tmp_path: Path) -> None:
    done = run("-m", "k=3,5", "sweep=none", "resume=true", cwd=tmp_path)
    assert done.returncode == 2
    assert "no sweep" in done.stderr


SLOW_GENERATOR = """
import time
from fastrag_bench.component import Component
from fastrag_bench.contracts import Answer

class Slow(Component):
    seconds: float = 60.0
    def generate(self, query, passages):
        print("now it sleeps", flush=True)
        time.sleep(self.seconds)
        return Answer("")
"""


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_sweep_ends_cleanly_with_its_code(tmp_path: Path, stop: signal.Signals, code: int) -> None:
    (tmp_path / "slow.py").write_text(SLOW_GENERATOR)
    (tmp_path / "own" / "generator").mkdir(parents=True)
    (tmp_path / "own" / "generator" / "slow.yaml").write_text("_target_: slow.Slow\nseconds: 60.0\n")
    words = ["-m", "--config-dir", "own", "generator=slow", "k=3,5", "sweep=stopped"]
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])}
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while "now it sleeps" not in (line := process.stdout.readline()):
        assert line or process.poll() is None, process.communicate()[1]
    process.send_signal(stop)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    assert (tmp_path / "outputs" / "sweeps" / "stopped" / "plan.json").is_file()


def test_a_word_that_is_no_command_is_refused(tmp_path: Path) -> None:
    done = run("compar", "outputs", cwd=tmp_path)
    assert done.returncode == 2
    assert "no such command: compar (there is: compare" in done.stderr
