"""Runs by folder, file or pattern, also from several sweeps, as one comparison."""

from __future__ import annotations

import glob
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fastrag_bench.comparison import Comparison, Failure
from fastrag_bench.comparison.study import Study
from fastrag_bench.comparison.table import Value
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.report.folders import COLD, SweepFolder, comparison_of, read_samples, read_sweep
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import MANIFEST, PLAN, RESULT, SAMPLES, Manifest
from fastrag_bench.sweep.notes import notes_after


@dataclass(frozen=True)
class Gathered:
    """Runs from wherever they were named."""

    comparison: Comparison
    places: Mapping[str, Path]
    """The folder of each run."""

    manifests: Sequence[Manifest]


def gather(patterns: Sequence[str]) -> Gathered:
    """Read sweeps' folders, runs' folders and result files, by name or pattern.

    Runs of several sources keep their names where these are unique; else the name of their sweep stands in front.

    Raises:
        ConfigurationError: a pattern that matches nothing, or a file that cannot be read.
    """
    parts = [_part(path) for pattern in patterns for path in _paths(pattern)]
    if len(parts) == 1:
        return parts[0]
    counted = Counter(result.name for part in parts for result in part.comparison.results)
    return _joined([_renamed(part, counted) for part in parts])


def _paths(pattern: str) -> list[Path]:
    if Path(pattern).exists():
        return [Path(pattern)]
    found = sorted(map(Path, glob.glob(pattern, recursive=True)), key=Path.as_posix)
    if not found:
        raise ConfigurationError(f"nothing matches {pattern!r} (from {Path.cwd()})")
    return found


def _part(path: Path) -> Gathered:
    if path.is_dir() and (path / RESULT).is_file():
        return _run(path / RESULT)
    if path.is_dir() and not (path / PLAN).is_file() and not any(path.glob(f"*/{MANIFEST}")):
        return _loose(path)
    if path.is_dir():
        sweep = read_sweep(path)
        return Gathered(comparison_of(sweep, notes_after(sweep.results)), _places(sweep), sweep.manifests)
    return _run(path)


def _places(sweep: SweepFolder) -> dict[str, Path]:
    return {result.name: sweep.places[result.name] for result in sweep.results}


def _loose(folder: Path) -> Gathered:
    """A folder of result files that no sweep wrote."""
    files = sorted(folder.glob("*.json"), key=Path.as_posix)
    if not files:
        raise ConfigurationError(f"{folder}: neither a sweep's folder nor one of result files")
    return _joined([_run(path) for path in files])


def _run(path: Path) -> Gathered:
    """One result file, with what lies beside it."""
    result = BenchmarkResult.load(path)
    folder = path.parent
    rows = read_samples(folder / SAMPLES) if (folder / SAMPLES).is_file() and path.name == RESULT else []
    study = Study(
        gold={row["question"]: [str(name) for name in row.get("gold") or ()] for row in rows},
        tags={row["question"]: row.get("tags") or {} for row in rows},
    )
    beside = path.name == RESULT and (folder / MANIFEST).is_file()
    manifests = [Manifest.load(folder)] if beside else []
    return Gathered(Comparison([result], study=study), {result.name: folder} if rows else {}, manifests)


def _renamed(part: Gathered, counted: Mapping[str, int]) -> Gathered:
    """The same runs, those whose name another source has too with their folder's name in front."""
    comparison = part.comparison
    names = {
        result.name: f"{part.places[result.name].parent.name}/{result.name}"
        for result in comparison.results
        if counted[result.name] > 1 and result.name in part.places
    }

    def new(name: str) -> str:
        return names.get(name, name)

    study = comparison.study
    changed = Comparison(
        [replace(result, name=new(result.name)) for result in comparison.results],
        failures=comparison.failures,
        notes=comparison.notes,
        extra={column: {new(run): value for run, value in runs.items()} for column, runs in comparison.extra.items()},
        study=replace(
            study,
            settings={new(result.name): study.settings_of(result.name) for result in comparison.results},
            identical={new(run): new(first) for run, first in study.identical.items()},
        ),
        header=comparison.header,
    )
    return Gathered(changed, {new(run): place for run, place in part.places.items()}, part.manifests)


def _joined(parts: Sequence[Gathered]) -> Gathered:
    studies = [part.comparison.study for part in parts]
    primaries = {study.primary for study in studies if study.primary is not None}
    cold: dict[str, Value] = {}
    failures: list[Failure] = []
    for part in parts:
        cold |= part.comparison.extra.get(COLD, {})
        failures += part.comparison.failures
    study = Study(
        primary=primaries.pop() if len(primaries) == 1 else None,
        gold={key: ids for each in studies for key, ids in each.gold.items()},
        tags={key: tags for each in studies for key, tags in each.tags.items()},
        settings={key: settings for each in studies for key, settings in each.settings.items()},
        identical={key: first for each in studies for key, first in each.identical.items()},
        follows={key: names for each in studies for key, names in each.follows.items()},
        leans={key: why for each in studies for key, why in each.leans.items()},
    )
    results = [result for part in parts for result in part.comparison.results]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        comparison = Comparison(
            results,
            failures=failures,
            notes=list(dict.fromkeys(note for part in parts for note in part.comparison.notes)),
            extra={COLD: cold} if cold else None,
            study=study,
            header=f"{len(results) + len(failures)} runs of {len(parts)} sources",
        )
    comparison.notes += [str(warning.message) for warning in caught]
    places = {run: place for part in parts for run, place in part.places.items()}
    return Gathered(comparison, places, [manifest for part in parts for manifest in part.manifests])
