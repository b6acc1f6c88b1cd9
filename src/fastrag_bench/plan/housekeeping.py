"""Looking after a store: what is in it, whether it is sound, and what nobody needs any more."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from fastrag_bench.plan.calls import Calls
from fastrag_bench.plan.rows import read_rows
from fastrag_bench.plan.store import MANIFEST, Artefact, Store

NOT_KINDS = {"calls", "damaged"}
ABANDONED_S = 24 * 3600
"""Temporary folders older than this belong to nobody."""


@dataclass(frozen=True)
class Entry:
    """One artefact, or the rows of one stage."""

    kind: str
    key: str
    folder: Path
    size: int
    modified: float


def entries(store: Store) -> Iterator[Entry]:
    """Everything a store holds, by kind and key."""
    for kind in sorted(path for path in store.root.glob("*") if path.is_dir()):
        if kind.name in NOT_KINDS or kind.name.startswith("."):
            continue
        for folder in sorted(path for path in kind.iterdir() if path.is_dir() and not path.name.startswith(".")):
            stats = [path.stat() for path in folder.rglob("*") if path.is_file()]
            modified = max((stat.st_mtime for stat in stats), default=folder.stat().st_mtime)
            yield Entry(kind.name, folder.name, folder, sum(stat.st_size for stat in stats), modified)


def damages(store: Store) -> Iterator[str]:
    """A sentence for each thing that is not as it was written; nothing is changed."""
    for entry in entries(store):
        if any(entry.folder.glob("rows-*.jsonl")):
            lines = read_rows(entry.folder)[1]
            if lines:
                yield f"{entry.kind}/{entry.key}: {lines} damaged rows"
        elif (trouble := _trouble(store, entry)) is not None:
            yield f"{entry.kind}/{entry.key}: {trouble}"
    for folder in sorted((store.root / "calls").glob("*")):
        if (found := Calls(folder).damaged) > 0:
            yield f"calls/{folder.name}: {found} damaged segments"


def _trouble(store: Store, entry: Entry) -> str | None:
    try:
        record = json.loads((entry.folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return f"no {MANIFEST}"
    except (OSError, ValueError):
        return f"{MANIFEST} cannot be read"
    if not isinstance(record, dict) or "files" not in record:
        return None if isinstance(record, dict) and "rows" in record else f"{MANIFEST} says nothing of files"
    return None if store.verify(Artefact(entry.folder, record)) else "a file differs from its checksum"


def unneeded(store: Store, keys: Collection[str], *, now: float | None = None) -> list[Entry]:
    """Entries that none of the keys names, and temporary or damaged leftovers that are a day old."""
    moment = time.time() if now is None else now
    found = [entry for entry in entries(store) if entry.key not in keys]
    leftovers = [*store.root.glob("*/.tmp-*"), *store.root.glob("damaged/*")]
    for folder in leftovers:
        modified = folder.stat().st_mtime
        if moment - modified > ABANDONED_S:
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            found.append(Entry(folder.parent.name, folder.name, folder, size, modified))
    return found


def remove(entry: Entry, store: Store) -> None:
    """Remove an entry, out of the way of anybody who is about to use it."""
    with store.lock(entry.key):
        shutil.rmtree(entry.folder, ignore_errors=True)
