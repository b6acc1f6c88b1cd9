"""`.json` and `.jsonl`: strict about what could hide a mistake, lenient about the NaN that exported frames carry."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.reading import MIB, ReadOptions, check_file, read_lines, read_text
from fastrag_bench.datasets.records import Record, records_of
from fastrag_bench.errors import SchemaError


def read_json(path: Path, options: ReadOptions) -> list[Record]:
    """`{"samples": [...]}` or a bare list of objects."""
    value = parse(read_text(path, options), where=str(path))
    return records_of(sample_list(value, where=str(path))[: options.limit], where=str(path))


def read_value(path: Path) -> Any:
    """The value of a whole `.json` file, packed or not.

    Raises:
        ConfigurationError: there is no such file, or it is not JSON.
    """
    check_file(path)
    return parse(read_text(path, ReadOptions(max_bytes=2048 * MIB)), where=str(path))


def read_jsonl(path: Path, options: ReadOptions) -> list[Record]:
    """An object a line; blank lines are skipped, and no more is read than `limit` asks for."""
    return list(_objects(path, options))


def _objects(path: Path, options: ReadOptions) -> Iterator[Record]:
    if options.limit == 0:
        return
    count = 0
    for number, line in read_lines(path, options):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        value = parse(line, where=where)
        if not isinstance(value, dict):
            raise SchemaError(f"{where}: expected an object with named fields, not {type(value).__name__}")
        yield Record(value, where)
        count += 1
        if count == options.limit:
            return


def sample_list(value: Any, *, where: str) -> list[Any]:
    """The records in a whole file's value."""
    if isinstance(value, dict) and isinstance(value.get("samples"), list):
        value = value["samples"]
    if not isinstance(value, list):
        found = (
            f"an object with {', '.join(map(repr, list(value)[:5]))}" if isinstance(value, dict) else repr(value)[:60]
        )
        raise SchemaError(f'{where}: expected a list of records or {{"samples": [...]}}, found {found}')
    return value


def parse(text: str, *, where: str) -> Any:
    """Decode JSON; NaN and infinities are missing values, a key given twice is an error."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=lambda _: None, parse_float=_number)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text.rstrip("\n") else ""
        raise SchemaError(f"{where}{line}: not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise SchemaError(f"{where}: nested too deeply") from None
    except ValueError as error:
        raise SchemaError(f"{where}: {error}") from None


def _number(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice in one object")
    return found
