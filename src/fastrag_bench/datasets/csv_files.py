"""`.csv` and `.tsv`, read strictly: a row that does not fit the header is an error with its line, never a guess.

Rows with fewer cells than the header, which spreadsheets write where the last cells are empty, are filled and said.
"""

from __future__ import annotations

import csv
import io
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.delimiters import SAMPLE, delimiter_of
from fastrag_bench.datasets.reading import ReadOptions, bad_byte, encoding_of, head_of, opened, read_lines, too_long
from fastrag_bench.datasets.records import Record
from fastrag_bench.errors import ConfigurationError, SchemaError

_LIMIT_LOCK = threading.Lock()


def read_csv(path: Path, options: ReadOptions) -> list[Record]:
    """With a header; quoted cells may hold line breaks. The delimiter is given, or the one that fits."""
    return _read(path, options, ",")


def read_tsv(path: Path, options: ReadOptions) -> list[Record]:
    """Like CSV; where several delimiters fit, it is the tab."""
    return _read(path, options, "\t")


def _read(path: Path, options: ReadOptions, usual: str) -> list[Record]:
    encoding = encoding_of(path, head_of(path, 4), options)
    with _cells_up_to(options.max_cell):
        delimiter = options.delimiter or delimiter_of(head_of(path, SAMPLE), encoding, usual, where=str(path))
        with opened(path) as file:
            text = io.TextIOWrapper(file, encoding=encoding, newline="")
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
    short: list[int] = []
    for cells in rows:
        if not any(cells):
            continue
        where = f"{path}, line {rows.line_num}"
        if len(cells) > len(header):
            raise SchemaError(
                f"{where}: {len(cells)} cells under {len(header)} columns; a cell that holds the delimiter needs quotes"
            )
        if len(cells) < len(header):
            short.append(rows.line_num)
        padded: list[str | None] = [*cells, *[None] * (len(header) - len(cells))]
        yield Record(dict(zip(header, padded, strict=True)), where, is_text=True)
    if short:
        warnings.warn(
            f"{path}, line {short[0]}: fewer cells than the {len(header)} columns ({len(short)} such rows); "
            f"the missing cells are empty",
            UserWarning,
            stacklevel=2,
        )


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
