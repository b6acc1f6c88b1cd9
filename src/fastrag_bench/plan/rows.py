"""The rows of a stage on disk: append-only JSON lines, each with a checksum, one file a writer.

A line is `{"sum":"<16 hex>","row":{...}}`; the sum is taken over the bytes of the row. A line that does not match its
sum, such as the torn last line of a killed writer, does not exist.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Iterable
from pathlib import Path

from fastrag_bench.plan.keys import canonical, short_digest
from fastrag_bench.plan.stage import Row

_PREFIX = '{"sum":"'
_MIDDLE = '","row":'
_BODY = len(_PREFIX) + 16 + len(_MIDDLE)


def encode(row: Row) -> bytes:
    """One line, with its line end."""
    record = {
        "id": row.id,
        "inputs": list(row.inputs),
        "value": row.value,
        "seconds": round(row.seconds, 9),
        **({"error": row.error} if row.error is not None else {}),
        **({"amortised": True} if row.amortised else {}),
    }
    body = canonical(record)
    return b"".join((_PREFIX.encode(), short_digest(body).encode(), _MIDDLE.encode(), body, b"}\n"))


def decode(line: bytes) -> Row | None:
    """The row of a line, or None where the line is damaged."""
    body = line[_BODY:-1]
    if not line.endswith(b"}") or line[len(_PREFIX) : len(_PREFIX) + 16] != short_digest(body).encode():
        return None
    record = json.loads(body)
    return with_digest(
        Row(
            id=record["id"],
            inputs=tuple(record["inputs"]),
            value=record["value"],
            seconds=record["seconds"],
            error=record.get("error"),
            amortised=record.get("amortised", False),
        )
    )


def with_digest(row: Row) -> Row:
    """The row with the digest of its value filled in."""
    if row.digest:
        return row
    return Row(row.id, row.inputs, row.value, row.seconds, row.error, row.amortised, short_digest(canonical(row.value)))


def read_rows(folder: Path) -> tuple[list[Row], int]:
    """All rows of a stage, file by file in order of name, and the number of damaged lines."""
    rows: list[Row] = []
    damaged = 0
    for path in sorted(folder.glob("rows-*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            row = decode(line) if line else None
            if row is not None:
                rows.append(row)
            elif line:
                damaged += 1
    return rows, damaged


def current_rows(rows: Iterable[Row], expected: dict[str, tuple[str | None, ...]]) -> dict[str, Row]:
    """For each expected item the row to use: computed from just these inputs, the first with a value, else an error.

    A None among the expected inputs is an input whose digest is not known any more; it contradicts nothing.
    """
    chosen: dict[str, Row] = {}
    for row in rows:
        inputs = expected.get(row.id)
        if inputs is None or not _agree(row.inputs, inputs):
            continue
        held = chosen.get(row.id)
        if held is None or not held.ok:
            chosen[row.id] = row
    return chosen


def _agree(found: tuple[str, ...], expected: tuple[str | None, ...]) -> bool:
    return len(found) == len(expected) and all(
        want is None or have == want for have, want in zip(found, expected, strict=True)
    )


class RowWriter:
    """Appends rows to a new file of its own; each row is with the operating system when `append` returns."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        host = "".join(letter for letter in socket.gethostname() if letter.isalnum())[:24] or "host"
        self._path = folder / f"rows-{host}-{os.getpid()}-{uuid.uuid4().hex[:12]}.jsonl"
        self._file = self._path.open("xb", buffering=0)

    def append(self, row: Row) -> None:
        """Write one row in one call."""
        line = encode(row)
        written = self._file.write(line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes could be written to {self._path}")

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.fsync(self._file.fileno())
        finally:
            self._file.close()
