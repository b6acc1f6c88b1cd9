"""Artefacts on disk: `<root>/<kind>/<key>/`, a folder of value files and a `stage.json` that makes it exist.

A folder is written under a temporary name beside its place, synced, and renamed in one step. The first rename wins. A
value file that no longer has its checksum is set aside, said, and computed again. Losing the store costs time only.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import shutil
import socket
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastrag_bench.errors import ConfigurationError, StoreError
from fastrag_bench.plan.keys import Json, digest
from fastrag_bench.plan.locks import file_lock

MANIFEST = "stage.json"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Artefact:
    """A finished artefact: where it is, what it was computed from, and the digest of what it holds."""

    folder: Path
    record: dict[str, Any]

    @property
    def digest(self) -> str:
        """A digest over the names and checksums of all files."""
        return str(self.record["digest"])

    @property
    def input_digests(self) -> list[str]:
        """The digests of the inputs it was computed from."""
        return list(self.record["input_digests"])

    @property
    def seconds(self) -> float:
        """How long it took to compute."""
        return float(self.record["seconds"])


class Store:
    """The artefacts below one root folder."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root).absolute()

    def check_writable(self) -> None:
        """Raise ConfigurationError unless files can be made and renamed below the root."""
        probe = self.root / f".probe-{uuid.uuid4().hex}"
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise ConfigurationError(
                f"store={self.root}: cannot write there ({error}); choose another folder"
            ) from None

    def folder(self, kind: str, key: str) -> Path:
        """Where an artefact lies once it exists."""
        return self.root / kind / key

    def lock(self, key: str) -> AbstractContextManager[None]:
        """The lock that keeps two processes of this machine from computing one thing twice."""
        return file_lock(self.root / ".locks" / key)

    def find(self, kind: str, key: str) -> Artefact | None:
        """The artefact, if it exists and its files have their sizes; checksums are looked at by `verify`."""
        folder = self.folder(kind, key)
        try:
            record = json.loads((folder / MANIFEST).read_bytes())
            sizes = {name: entry["bytes"] for name, entry in record["files"].items()}
            whole = {"digest", "input_digests", "input_keys", "seconds"} <= record.keys()
            whole = whole and len(record["input_digests"]) == len(record["input_keys"])
            if whole and all((folder / name).stat().st_size == size for name, size in sizes.items()):
                return Artefact(folder, record)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        self.set_aside(kind, key, "its files are not those that were written")
        return None

    def verify(self, artefact: Artefact) -> bool:
        """Whether every file still has its checksum."""
        try:
            return all(
                _file_digest(artefact.folder / name) == entry["blake2b"]
                for name, entry in artefact.record["files"].items()
            )
        except OSError:
            return False

    def set_aside(self, kind: str, key: str, why: str) -> None:
        """Move a damaged artefact out of the way, to `<root>/damaged/`, and say so."""
        target = self.root / "damaged" / f"{kind}-{key}-{uuid.uuid4().hex[:8]}"
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.folder(kind, key).rename(target)
        except FileNotFoundError:
            return
        log.warning("stored %s %s is damaged (%s); set aside in %s and computed again", kind, key, why, target)

    def discard(self, kind: str, key: str) -> None:
        """Remove an artefact whose inputs have changed since."""
        target = self._temporary(kind, key)
        try:
            self.folder(kind, key).rename(target)
        except FileNotFoundError:
            return
        shutil.rmtree(target, ignore_errors=True)

    def add(
        self,
        kind: str,
        key: str,
        *,
        write: Callable[[Path], float],
        identity: Json,
        input_keys: Sequence[str],
        input_digests: Sequence[str],
    ) -> Artefact:
        """Write an artefact and make it exist in one step; where another writer was first, return the winner's.

        Args:
            kind: the stage's kind.
            key: the stage's key.
            write: writes the value files into the folder it is given and returns the seconds that the value cost.
            identity: what the operation is, for people and for later tools.
            input_keys: keys of the inputs.
            input_digests: digests of the inputs, compared on later hits.
        """
        temporary = self._temporary(kind, key)
        temporary.mkdir(parents=True)
        try:
            seconds = write(temporary)
            record = _describe(temporary) | {
                "kind": kind,
                "key": key,
                "identity": identity,
                "input_keys": list(input_keys),
                "input_digests": list(input_digests),
                "seconds": seconds,
                **_provenance(),
            }
            _write_synced(temporary / MANIFEST, json.dumps(record, indent=1).encode())
            _sync_folder(temporary)
            return self._publish(temporary, kind, key, record)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _publish(self, temporary: Path, kind: str, key: str, record: dict[str, Any]) -> Artefact:
        final = self.folder(kind, key)
        try:
            temporary.rename(final)
        except OSError:
            winner = self.find(kind, key)
            if winner is not None:
                return winner
            shutil.rmtree(final, ignore_errors=True)
            temporary.rename(final)
        _sync_folder(final.parent)
        return Artefact(final, record)

    def _temporary(self, kind: str, key: str) -> Path:
        return self.root / kind / f".tmp-{key}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _describe(folder: Path) -> dict[str, Any]:
    files: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            files[name] = {"bytes": path.stat().st_size, "blake2b": _file_digest(path)}
            _sync_file(path)
    return {"files": files, "digest": digest(sorted((name, entry["blake2b"]) for name, entry in files.items()))}


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@lru_cache
def _machine() -> dict[str, str]:
    from importlib.metadata import version

    return {"python": platform.python_version(), "numpy": version("numpy"), "host": socket.gethostname()}


def _provenance() -> dict[str, Any]:
    return {"created_at": datetime.now(UTC).isoformat(timespec="seconds"), "versions": _machine()}


def _write_synced(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_file(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    try:
        _sync_file(folder)
    except OSError as error:  # pragma: no cover - some file systems cannot sync a folder
        raise StoreError(f"{folder}: {error}") from error
