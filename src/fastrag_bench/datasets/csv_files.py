"""`.csv` and `.tsv`, read strictly: a row that does not fit the header is an error with its line, never a guess."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.reading import ReadOptions, bad_byte, opened, read_lines, too_long
from fastrag_bench.datasets.records import Record
from fastrag_bench.errors import ConfigurationError, SchemaError

_LIMIT_LOCK = threading.Lock()


def read_csv(path: Path, options: ReadOptions) -> list[Record]:
    """Comma separated, with a header; quoted cells may hold line breaks."""
    return _read(path, options, ",")


def read_tsv(path: Path, options: ReadOptions) -> list[Record]:
    """Tab separated, else like CSV."""
    return _read(path, options, "\t")


def _read(path: Path, options: ReadOptions, delimiter: str) -> list[Record]:
    with opened(path) as file, _cells_up_to(options.max_cell):
        text = io.TextIOWrapper(file, encoding=options.encoding or "utf-8-sig", newline="")
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = _header(next(rows, []), path)
            return list(islice(_records(rows, header, path), options.limit))
        except csv.Error as error:
            raise _csv_error(error, path, rows.line_num, options) from None
        except UnicodeDecodeError as error:
            raise _undecodable(path, options, error) from None


@contextmanager
def _cells_up_to(limit: int) -> Iterator[None]:
    """The csv module's limit belongs to the process: it is raised for one reader at a time and put back."""
    with _LIMIT_LOCK:
        before = csv.field_size_limit(limit)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _header(cells: list[str], path: Path) -> list[str]:
    names = [cell.strip() or f"column_{number}" for number, cell in enumerate(cells, start=1)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SchemaError(f"{path}, line 1: the header names the column {twice[0]!r} twice")
    return names


def _records(rows: Any, header: list[str], path: Path) -> Iterator[Record]:
    for cells in rows:
        if not any(cells):
            continue
        where = f"{path}, line {rows.line_num}"
        if len(cells) > len(header):
            raise SchemaError(
                f"{where}: {len(cells)} cells under {len(header)} columns; a cell that holds a comma needs quotes"
            )
        padded: list[str | None] = [*cells, *[None] * (len(header) - len(cells))]
        yield Record(dict(zip(header, padded, strict=True)), where, is_text=True)


def _csv_error(error: csv.Error, path: Path, line: int, options: ReadOptions) -> ConfigurationError:
    if "field larger than" in str(error):
        return too_long(path, line, options)
    return SchemaError(f"{path}, line {line}: {error}; quotes have to be closed and doubled inside a quoted cell")


def _undecodable(path: Path, options: ReadOptions, error: UnicodeDecodeError) -> ConfigurationError:
    """The decoder reads ahead of the rows, so the line is looked for again."""
    try:
        for _ in read_lines(path, options):
            pass
    except ConfigurationError as found:
        return found
    return bad_byte(path, 1, error)
