"""What works right after installation: no network, and no library beyond those that the package requires."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
OURS = {"fastrag_bench", "hydra_plugins"}  # an installed plugin of another package shares the namespace
GUARD = '''
"""Python runs this before anything else: libraries that are not required do not exist, and nothing can be reached."""
import sys
from importlib.machinery import PathFinder

REFUSED = frozenset({refused!r})
REACHING = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")


class CoreFinder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in REFUSED else super().find_spec(name, path, target)


def watch(event, arguments):
    if event in REACHING:
        with open({reached!r}, "a") as file:
            file.write(f"{{event}} {{arguments[1:]}}\\n")
        raise OSError("the network is off")


sys.meta_path[sys.meta_path.index(PathFinder)] = CoreFinder
sys.addaudithook(watch)
'''


def core() -> set[str]:
    """The names of the distributions that the package requires, and of all that those require on this platform."""
    wanted = list(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"])
    known: set[str] = set()
    while wanted:
        requirement = Requirement(wanted.pop())
        name = canonicalize_name(requirement.name)
        if name not in known and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            known.add(name)
            wanted += requires(name) or []
    return known


def refused_modules() -> list[str]:
    """The top-level modules that only distributions outside the core provide."""
    allowed = core()
    homes = packages_distributions().items()
    foreign = {module for module, names in homes if allowed.isdisjoint(canonicalize_name(name) for name in names)}
    return sorted(foreign - OURS)


class Offline:
    """A folder in which commands run cut off from all but the package and what it requires."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reached = folder / "reached.txt"
        guard = folder / "guard"
        guard.mkdir()
        (guard / "sitecustomize.py").write_text(GUARD.format(refused=refused_modules(), reached=str(self.reached)))
        self.path = os.pathsep.join([str(guard), str(ROOT / "src")])

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": self.path, "COLUMNS": "200"}
        return subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=180
        )


@pytest.fixture
def offline(tmp_path: Path) -> Offline:
    return Offline(tmp_path)


def test_the_core_is_what_it_is_known_to_be() -> None:
    assert {"hydra-core", "omegaconf", "pydantic", "numpy", "joblib", "bm25s", "pystemmer", "rich", "pyyaml"} <= core()
    assert {"pytest", "hypothesis", "scipy", "tokenizers", "torch"}.isdisjoint(core())


def test_the_guard_refuses_foreign_libraries_and_the_network(offline: Offline) -> None:
    assert "No module named 'pytest'" in offline.run("-c", "import pytest").stderr
    assert offline.run("-c", "from importlib.util import find_spec; print(find_spec('pytest'))").stdout == "None\n"
    assert offline.run("-c", "import numpy, hydra, pydantic, fastrag_bench").returncode == 0
    connect = "import socket; socket.create_connection(('127.0.0.1', 9))"
    assert "the network is off" in offline.run("-c", connect).stderr
    assert offline.reached.read_text().startswith("socket.getaddrinfo")


def test_the_main_job_runs_offline_with_the_core_alone(offline: Offline) -> None:
    done = offline.run("-m", "fastrag_bench", "-m", "chunker=recursive,semantic", "k=5,10")
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len(table) == 6, done.stdout
    for run in ("chunker=recursive,k=5", "chunker=recursive,k=10", "chunker=semantic,k=5", "chunker=semantic,k=10"):
        assert any(run in row for row in table)
    assert not offline.reached.exists()


def test_the_offline_parts_run_offline_with_the_core_alone_in_processes_too(offline: Offline) -> None:
    parts = ("chunker=none,fixed,sentence,recursive,markdown,semantic", "retriever=hybrid", "reranker=mmr")
    metrics = "metrics=[retrieval,ranking,answer,span,operational]"
    done = offline.run(
        "-m", "fastrag_bench", "-m", *parts, metrics, "dataset.limit=3", "execution=processes", "sweep=s"
    )
    assert done.returncode == 0, done.stderr
    results = list((offline.folder / "outputs" / "sweeps" / "s").glob("*/result.json"))
    assert len(results) == 6
    assert {json.loads(path.read_text())["status"]["errored"] for path in results} == {0}
    assert not offline.reached.exists()


@pytest.mark.parametrize("words", [["-c", "import fastrag_bench"], ["-m", "fastrag_bench", "--help"]])
def test_the_package_and_its_help_wait_for_no_library(tmp_path: Path, words: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "fastrag_bench" in imported
    assert imported.isdisjoint({"hydra", "omegaconf", "numpy", "joblib", "bm25s", "Stemmer", "rich"})
