"""What is written beside the results: `plan.json` of a sweep and `manifest.json` of a run."""

from __future__ import annotations

import json
import platform
import subprocess
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from fastrag_bench.component import library_version
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import dump_json, write_atomic

PLAN, MANIFEST, RESULT, SAMPLES, TRACEBACK = (
    "plan.json",
    "manifest.json",
    "result.json",
    "samples.jsonl",
    "traceback.txt",
)
Status = Literal["ok", "failed", "missing"]


@lru_cache
def _versions() -> dict[str, str | None]:
    """Versions of this package, Python and the libraries that decide results."""
    names = ("fastrag_bench", "hydra-core", "omegaconf", "pydantic", "numpy", "joblib", "bm25s", "PyStemmer")
    return {"python": platform.python_version(), **{name: library_version(name) for name in names}}


@lru_cache
def _checkout() -> dict[str, Any] | None:
    """Commit and whether anything is changed, of the checkout in the current folder; None outside of one."""
    commit = _git("rev-parse", "HEAD")
    return None if commit is None else {"commit": commit, "changed": bool(_git("status", "--porcelain", "-uno"))}


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True)
class PlannedRun:
    """A run of a sweep: its name, its folder below the sweep's, and the overrides that made it."""

    name: str
    folder: str
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True)
class SweepPlan:
    """`plan.json`: which runs belong to a sweep, and what its comparison needs to know."""

    runs: tuple[PlannedRun, ...]
    primary: str | None = None
    allow_no_match: bool = False
    notes: tuple[str, ...] = ()
    summary: dict[str, int] = field(default_factory=dict)
    paid_seconds: float = 0.0
    interrupted: bool = False

    def save(self, folder: Path) -> None:
        """Write it into the sweep's folder."""
        record = {"kind": "fastrag_bench.plan", "schema_version": 1, **asdict(self)}
        write_atomic(folder / PLAN, dump_json(record))

    @classmethod
    def load(cls, folder: Path) -> SweepPlan:
        """Read a sweep's plan; ConfigurationError where there is none to read."""
        record = read_json(folder / PLAN, "fastrag_bench.plan", "runs")
        known = {key: record[key] for key in cls.__dataclass_fields__ if key in record}
        runs = tuple(PlannedRun(run["name"], run["folder"], tuple(run["overrides"])) for run in record["runs"])
        return cls(**{**known, "runs": runs, "notes": tuple(record.get("notes", ()))})


@dataclass(frozen=True)
class Manifest:
    """`manifest.json`: what a run was, what became of it, and what it cost."""

    name: str
    status: Status
    reason: str | None = None
    traceback: str | None = None
    """The file with the traceback, below the run's folder."""
    overrides: tuple[str, ...] = ()
    config: dict[str, Any] = field(default_factory=dict)
    dataset: dict[str, Any] = field(default_factory=dict)
    unit: str | None = None
    seed: int | None = None
    identical_to: str | None = None
    """The first run whose pipeline is the same."""
    matched: bool | None = None
    """Whether any gold id matched anything retrieved; None where no metric looked."""
    cached: bool = True
    concurrency: int = 1
    """Questions in flight at once; above 1, latencies are not those of a question asked alone."""
    cold_seconds: float | None = None
    """What this pipeline costs when nothing is stored."""
    paid_seconds: float | None = None
    """What this sweep spent on stages that no earlier run had paid for."""
    stages: tuple[dict[str, Any], ...] = ()
    failed_questions: int = 0
    first_error: str | None = None
    """Why the first of them failed."""
    computation: str | None = None
    """What the scores were computed from: equal for equal rows, questions, metrics and version of this package."""
    files: dict[str, str] = field(default_factory=dict)
    """Digests of the files that belong to this computation."""
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    versions: dict[str, str | None] = field(default_factory=_versions)
    git: dict[str, Any] | None = field(default_factory=_checkout)

    def save(self, folder: Path) -> None:
        """Write it into the run's folder."""
        record = {"kind": "fastrag_bench.manifest", "schema_version": 1, **asdict(self)}
        write_atomic(folder / MANIFEST, dump_json(record))

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read a run's manifest; ConfigurationError where there is none to read."""
        record = read_json(folder / MANIFEST, "fastrag_bench.manifest", "name", "status")
        known = {key: record[key] for key in cls.__dataclass_fields__ if key in record}
        return cls(**known)


def read_json(path: Path, kind: str, *needed: str) -> dict[str, Any]:
    """An object of this kind with these keys from a file; ConfigurationError names the file otherwise."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: there is no such file; is this the folder of a sweep?") from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error})") from None
    if not isinstance(record, dict) or record.get("kind") != kind or record.get("schema_version", 1) > 1:
        raise ConfigurationError(f"{path}: not a {kind} file of a version that this one reads")
    if missing := [key for key in needed if key not in record]:
        raise ConfigurationError(f"{path}: it has no {', '.join(missing)}")
    return record


def read_mean(path: Path, metric: str) -> float | None:
    """The mean of a metric in a result file; None where it has none."""
    try:
        summary = json.loads(path.read_bytes())["summary"][metric]
        return float(summary["mean"]) if summary["count"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
