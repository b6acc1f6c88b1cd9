"""The subcommands `status` and `store`: how far a sweep is, and what the store holds."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.plan.housekeeping import Entry, damages, entries, remove, unneeded
from fastrag_bench.plan.store import Store
from fastrag_bench.sweep.display import say, shown_path
from fastrag_bench.sweep.manifest import MANIFEST, RESULT, Manifest, SweepPlan, read_mean


def status(words: Sequence[str]) -> int:
    """`status DIR`: each run of a sweep with its state; exit code 1 while something is missing or failed."""
    parser = argparse.ArgumentParser(prog="fastrag-bench status", description="How far a sweep is, from its files.")
    parser.add_argument("folder", type=Path, help="a sweep's folder, such as outputs/sweeps/NAME")
    folder: Path = parser.parse_args(words).folder
    try:
        plan = SweepPlan.load(folder)
    except ConfigurationError as error:
        parser.error(str(error))
    states: Counter[str] = Counter()
    for run in plan.runs:
        manifest = _manifest(folder / run.folder, run.name)
        states[manifest.status] += 1
        mean = read_mean(folder / run.folder / RESULT, plan.primary) if plan.primary else None
        told = f"{plan.primary} {mean:.4f}" if mean is not None else manifest.reason or ""
        say(f"{manifest.status:8} {run.name}  {told}")
    say(f"{len(plan.runs)} runs: " + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))
    return 0 if set(states) <= {"ok"} else 1


def _manifest(folder: Path, name: str) -> Manifest:
    try:
        return Manifest.load(folder)
    except ConfigurationError:
        return Manifest(name=name, status="missing", reason="not finished yet")


def store(words: Sequence[str]) -> int:
    """`store ls|verify|gc`: list what is stored, check it, or remove what no result needs."""
    parser = argparse.ArgumentParser(prog="fastrag-bench store", description="Look after finished stages.")
    parser.add_argument("action", choices=("ls", "verify", "gc"), help="list, check every checksum, or remove")
    parser.add_argument("--store", type=Path, default=Path("outputs/store"), help="the store (default: %(default)s)")
    parser.add_argument(
        "--outputs", type=Path, action="append", help="gc: where results lie; may be repeated (default: outputs)"
    )
    parser.add_argument("--yes", action="store_true", help="gc: remove; without it only say what would be")
    given = parser.parse_args(words)
    if not given.store.is_dir():
        parser.error(f"no such store: {given.store}")
    held = Store(given.store)
    if given.action == "ls":
        return _list(held)
    if given.action == "verify":
        return _verify(held)
    return _collect(held, given.outputs or [Path("outputs")], remove_them=given.yes)


def _list(held: Store) -> int:
    kinds: dict[str, list[Entry]] = {}
    for entry in entries(held):
        kinds.setdefault(entry.kind, []).append(entry)
    for kind, found in kinds.items():
        say(f"{kind:16} {len(found):6} {_size(sum(entry.size for entry in found)):>10}")
    every = [entry for found in kinds.values() for entry in found]
    say(f"{'all':16} {len(every):6} {_size(sum(entry.size for entry in every)):>10}  in {shown_path(held.root)}")
    return 0


def _verify(held: Store) -> int:
    found = list(damages(held))
    for line in found:
        say(line)
    say(f"{len(found)} damaged; they are computed again when they are needed" if found else "everything is sound")
    return 1 if found else 0


def _collect(held: Store, outputs: Sequence[Path], *, remove_them: bool) -> int:
    keys = {stage["key"] for folder in outputs for path in folder.rglob(MANIFEST) for stage in _stages(path)}
    found = unneeded(held, keys)
    for entry in found if remove_them else ():
        remove(entry, held)
    freed = _size(sum(entry.size for entry in found))
    if remove_them:
        say(f"removed {len(found)} stages that no result needs, {freed}")
    else:
        say(f"{len(found)} stages are needed by no result, {freed}; remove them with --yes")
    return 0


def _stages(path: Path) -> Sequence[dict[str, str]]:
    try:
        return Manifest.load(path.parent).stages
    except ConfigurationError:
        return ()


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
