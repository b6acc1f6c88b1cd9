"""Writing files so that a reader sees the old content or the new one, never a half; JSON as this project writes it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_atomic(path: str | os.PathLike[str], content: str | bytes, *, sync: bool = True) -> Path:
    r"""Write a whole file in one step: a temporary file in the same folder, flushed to disk, then renamed.

    Parent folders are made; text is written as UTF-8 with the line ends it has. A lone surrogate, which UTF-8 cannot
    hold, becomes the escape `\udXXX`, so that JSON text stays readable. A link is written through, not replaced.

    Args:
        path: the file to write.
        content: all of it.
        sync: wait until it is on disk; False for files that can be made again.

    Returns:
        The path written.

    Raises:
        OSError: the disk refused; the old file, if any, is untouched and no temporary file stays behind.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        _write_new(temporary, data, sync=sync)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(target.parent)
    return Path(path)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_new(path: Path, data: bytes, *, sync: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def dump_json(value: Any, *, indent: int | None = None, sort_keys: bool = False) -> str:
    """JSON text of plain data, readable in any script; NaN and the infinities become null.

    Sets are written sorted, dates in ISO form, paths as text, numpy values as the numbers they hold.

    Raises:
        TypeError: something that is not data, such as an open connection.
    """
    try:
        return _dump(value, indent=indent, sort_keys=sort_keys)
    except (TypeError, ValueError):
        return _dump(plain_json(value), indent=indent, sort_keys=sort_keys)


def _dump(value: Any, *, indent: int | None, sort_keys: bool) -> str:
    separators = (",", ":") if sort_keys and indent is None else None
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=sort_keys, separators=separators
    )


def plain_json(value: Any) -> Any:
    """A copy made only of dicts with text keys, lists, text, finite numbers, booleans and None.

    Raises:
        TypeError: something that is not data.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain_json(item) for item in value), key=repr)
    return _plain_leaf(value)


def _plain_leaf(value: Any) -> Any:
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return Path(value).as_posix()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "backslashreplace")
    if hasattr(value, "__float__"):
        return plain_json(float(value))
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON: {value!r:.80}")
