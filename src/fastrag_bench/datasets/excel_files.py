"""`.xlsx`: the cells of one sheet, with the values a spreadsheet program saved; needs the extra `xlsx`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record
from fastrag_bench.errors import ConfigurationError, MissingExtraError, SchemaError

Row = tuple[Any, ...]


def read_xlsx(path: Path, options: ReadOptions) -> list[Record]:
    """The rows of a sheet whose first row is the header; numbers stay numbers, dates become ISO text.

    Raises:
        MissingExtraError: openpyxl is not installed.
        ConfigurationError: several sheets have rows and none is named, or a cell holds an error such as #N/A.
    """
    try:
        openpyxl: Any = importlib.import_module("openpyxl")
    except ImportError:
        raise MissingExtraError(f"Reading {path.name}", extra="xlsx") from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        raise ConfigurationError(f"{path}: not an Excel file that can be read: {error}") from None
    try:
        name, rows = _sheet(book, options.sheet, path)
        return list(islice(_records(rows, f"{path}, sheet {name}"), options.limit))
    finally:
        book.close()


def _sheet(book: Any, wanted: str | None, path: Path) -> tuple[str, list[Row]]:
    names: list[str] = list(book.sheetnames)
    if wanted is not None:
        if wanted not in names:
            raise ConfigurationError(f"{path}: no sheet is called {wanted!r} (there is: {', '.join(map(repr, names))})")
        return wanted, _rows(book[wanted])
    filled = {name: rows for name in names if (rows := _rows(book[name]))}
    if len(filled) > 1:
        raise ConfigurationError(
            f"{path}: several sheets have rows; name one with sheet= (there is: {', '.join(map(repr, filled))})"
        )
    return next(iter(filled.items()), (names[0], []))


def _rows(sheet: Any) -> list[Row]:
    """With their numbers in front; blank rows are left out."""
    rows = enumerate(sheet.iter_rows(values_only=True), start=1)
    return [(number, *cells) for number, cells in rows if any(cell is not None for cell in cells)]


def _records(rows: list[Row], where: str) -> Iterator[Record]:
    if not rows:
        return
    names = _header(rows[0][1:], where)
    for number, *cells in rows[1:]:
        values = {}
        for name, cell in zip(names, [*cells, *[None] * (len(names) - len(cells))], strict=False):
            values[name] = _value(cell, f"{where}, row {number}")
        if any(cell is not None for cell in cells[len(names) :]):
            raise SchemaError(f"{where}, row {number}: a cell to the right of the header")
        yield Record(values, f"{where}, row {number}", is_text=True)


def _header(cells: Row, where: str) -> list[str]:
    last = max(number for number, cell in enumerate(cells, start=1) if cell is not None)
    names = [" ".join(str(cell or "").split()) or f"column_{number}" for number, cell in enumerate(cells[:last], 1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SchemaError(f"{where}, row 1: the header names the column {twice!r} twice")
    return names


def _value(cell: Any, where: str) -> Any:
    if isinstance(cell, str) and cell.startswith("#") and cell.rstrip("!?").isupper() and cell[-1] in "!?A":
        raise SchemaError(f"{where}: a cell holds the error {cell}; mend the formula and save the file again")
    return cell.isoformat() if hasattr(cell, "isoformat") else cell
