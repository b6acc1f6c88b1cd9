"""What a sweep's folder holds, as results, failures and a study of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastrag_bench.comparison import Comparison, Failure
from fastrag_bench.comparison.study import Study, settings_in
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.metrics.fairness import compares_chunkers, follows_k
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import MANIFEST, PLAN, RESULT, SAMPLES, Manifest, PlannedRun, SweepPlan

K_AXES = ("k", "target.k")
COLD = "cold_s"
"""The column of what a pipeline costs in seconds when nothing of it is stored."""


@dataclass(frozen=True)
class SweepFolder:
    """A sweep as its files tell it: also an old one, one that stopped, or one of another launcher."""

    folder: Path
    plan: SweepPlan
    manifests: list[Manifest]
    """In the order of the plan."""

    results: list[BenchmarkResult]
    """Of the runs that have one, in the same order."""

    @property
    def failed(self) -> list[Manifest]:
        """The manifests of runs without a result."""
        return [manifest for manifest in self.manifests if manifest.status != "ok"]

    @property
    def places(self) -> dict[str, Path]:
        """The folder of each run."""
        return {run.name: self.folder / run.folder for run in self.plan.runs}

    @property
    def failures(self) -> list[Failure]:
        """The runs without a result, with their reasons."""
        folders = {run.name: run.folder for run in self.plan.runs}
        return [
            Failure(
                each.name,
                each.reason or each.status,
                str(Path(folders[each.name]) / each.traceback) if each.traceback else "",
            )
            for each in self.failed
        ]

    @property
    def header(self) -> str:
        """How all combinations ended, in one line."""
        partly = sum(result.status.errored > 0 for result in self.results)
        states = [manifest.status for manifest in self.manifests]
        counts = {
            "ok": states.count("ok") - partly,
            "partly failed": partly,
            "failed": states.count("failed"),
            "missing": states.count("missing"),
        }
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count or name == "ok")
        return f"{len(states)} combination{'' if len(states) == 1 else 's'}: {told}"


def read_sweep(folder: Path) -> SweepFolder:
    """Read a sweep's folder.

    Raises:
        ConfigurationError: nothing in it was written by a sweep, or a file is damaged.
    """
    plan = SweepPlan.load(folder) if (folder / PLAN).is_file() else _plan_of_jobs(folder)
    manifests = [_manifest(folder, run) for run in plan.runs]
    results = [
        BenchmarkResult.load(folder / run.folder / RESULT)
        for run, manifest in zip(plan.runs, manifests, strict=True)
        if manifest.status == "ok"
    ]
    return SweepFolder(folder, plan, manifests, results)


def _manifest(folder: Path, run: PlannedRun) -> Manifest:
    if not (folder / run.folder / MANIFEST).is_file():
        return Manifest(name=run.name, status="missing", reason="did not run; the same command continues")
    return Manifest.load(folder / run.folder)


def _plan_of_jobs(folder: Path) -> SweepPlan:
    """The plan of a sweep that another launcher ran: the jobs that wrote a manifest."""
    paths = sorted(folder.glob(f"*/{MANIFEST}"))
    if not paths:
        raise ConfigurationError(f"{folder}: no run has written anything")
    manifests = [(path.parent, Manifest.load(path.parent)) for path in paths]
    manifests.sort(key=lambda pair: pair[1].created_at)
    return SweepPlan(tuple(PlannedRun(run.name, place.name, tuple(run.overrides)) for place, run in manifests))


def study_of(sweep: SweepFolder) -> Study:
    """Gold and tags from the runs' `samples.jsonl`, settings from their names, identity from their manifests."""
    gold, tags = _questions(sweep)
    done = [manifest for manifest in sweep.manifests if manifest.status == "ok"]
    metrics = {name for result in sweep.results for name in result.summary}
    primary = sweep.plan.primary or _configured_primary(done)
    return Study(
        primary=primary if primary in metrics else None,
        gold=gold,
        tags=tags,
        settings={manifest.name: settings_in(manifest.name) for manifest in done},
        identical={each.name: each.identical_to for each in done if each.identical_to is not None},
        follows=dict.fromkeys(K_AXES, frozenset(name for name in metrics if follows_k(name))),
        leans=_leans(primary, done, tags),
    )


def _configured_primary(done: Sequence[Manifest]) -> str | None:
    """The metric that the runs' own configuration calls primary."""
    for manifest in done:
        settings = manifest.config.get("metrics")
        if isinstance(settings, Mapping) and isinstance(settings.get("primary"), str):
            return str(settings["primary"])
    return None


def _questions(sweep: SweepFolder) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    """Read once for each dataset."""
    gold: dict[str, list[str]] = {}
    tags: dict[str, dict[str, Any]] = {}
    seen: set[Any] = set()
    for manifest in sweep.manifests:
        path = sweep.places[manifest.name] / SAMPLES
        mark = manifest.dataset.get("fingerprint")
        if manifest.status == "ok" and mark not in seen and path.is_file():
            seen.add(mark)
            for row in read_samples(path):
                gold.setdefault(row["question"], [str(name) for name in row.get("gold") or ()])
                tags.setdefault(row["question"], row.get("tags") or {})
    return gold, tags


def read_samples(path: Path) -> list[dict[str, Any]]:
    """The rows of a `samples.jsonl`.

    Raises:
        ConfigurationError: with the line that cannot be read.
    """
    rows = []
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                row = json.loads(line)
                if not isinstance(row, dict) or not isinstance(row.get("question"), str):
                    raise ConfigurationError(f"{path}, line {number}: not a question's row")
                rows.append(row)
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{path}: cannot be read ({error})") from None
    return rows


def _leans(primary: str | None, done: Sequence[Manifest], tags: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    found = {}
    if done and all(manifest.unit == "document" for manifest in done):
        found["chunker"] = "the gold names whole documents, so every chunk of the right one counts"
    elif primary is not None and not compares_chunkers(primary):
        found["chunker"] = f"{primary} counts chunks, so larger ones have it easier"
    filtered = sum("bm25" in json.dumps(each).lower() for each in tags.values())
    if filtered > len(tags) / 2:
        found["retriever"] = "the questions were filtered by BM25, which it favours or punishes"
    return found


def comparison_of(sweep: SweepFolder, notes: Sequence[str] = ()) -> Comparison:
    """The comparison of one sweep."""
    cold: dict[str, str | int | float | None] = {each.name: each.cold_seconds for each in sweep.manifests}
    return Comparison(
        sweep.results,
        failures=sweep.failures,
        notes=[*sweep.plan.notes, *notes],
        extra={COLD: cold},
        study=study_of(sweep),
        header=sweep.header,
    )
