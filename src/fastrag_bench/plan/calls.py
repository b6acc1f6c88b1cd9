"""The memory of single calls: what a model said to exactly this, in append-only checksummed segments, one a writer.

Segments are merged by key on read and the first record of a key counts, so no lock is needed; a torn or damaged record
is skipped, and what it held is asked again.
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
import uuid
import zlib
from pathlib import Path
from typing import BinaryIO

_HEAD = struct.Struct("<16sfI")
_CRC = struct.Struct("<I")


def call_key(*parts: bytes) -> bytes:
    """16 bytes that name a call by its parts."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


class Calls:
    """The calls to one thing (a model with all its settings): key to (seconds it took, reply)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[bytes, tuple[float, bytes]] = {}
        self._file: BinaryIO | None = None
        self.damaged = 0
        for path in sorted(folder.glob("*.seg")) if folder.is_dir() else ():
            self._load(path.read_bytes())

    def get(self, key: bytes) -> tuple[float, bytes] | None:
        """Seconds and reply of an earlier call, or None."""
        return self._known.get(key)

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        """Remember a call; the first reply to a key counts."""
        with self._lock:
            if key in self._known:
                return
            self._known[key] = (seconds, reply)
            if self._file is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                path = self._folder / f"{os.getpid()}-{uuid.uuid4().hex[:12]}.seg"
                self._file = path.open("ab")
            body = _HEAD.pack(key, seconds, len(reply)) + reply
            self._file.write(body + _CRC.pack(zlib.crc32(body)))

    def flush(self) -> None:
        """Hand everything to the operating system."""
        with self._lock:
            if self._file is not None:
                self._file.flush()

    def close(self) -> None:
        """Flush, sync and close the segment."""
        with self._lock:
            if self._file is not None:
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                self._file = None

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self, content: bytes) -> None:
        place = 0
        while place + _HEAD.size + _CRC.size <= len(content):
            key, seconds, size = _HEAD.unpack_from(content, place)
            end = place + _HEAD.size + size
            if end + _CRC.size > len(content) or zlib.crc32(content[place:end]) != _CRC.unpack_from(content, end)[0]:
                self.damaged += 1
                return
            self._known.setdefault(key, (seconds, content[place + _HEAD.size : end]))
            place = end + _CRC.size
