"""Which delimiter a table has, told from its first rows."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import NamedTuple

from fastrag_bench.datasets.mapping import QUESTION
from fastrag_bench.errors import SchemaError

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 1 << 17
"""Bytes that are looked at."""

_ROWS = 20
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}


class _Fit(NamedTuple):
    """How well a delimiter fits; compared from left to right."""

    has_question: bool
    fits_rows: bool
    cells: int


def delimiter_of(head: bytes, encoding: str, usual: str, *, where: str) -> str:
    """Of `, ; tab |` the one that parts the header, best with a column `question` and rows as wide as the header.

    Args:
        head: the first bytes of the file.
        encoding: of the file.
        usual: what the suffix says; taken where nothing parts the header, or where it fits as well as any other.
        where: the file, for messages.

    Raises:
        SchemaError: two others fit equally well.
    """
    text = head.decode(encoding, "ignore")
    fits = {delimiter: _fit(text, delimiter, whole=len(head) < SAMPLE) for delimiter in DELIMITERS}
    best = max(fits.values())
    found = [delimiter for delimiter in DELIMITERS if fits[delimiter] == best]
    if best.cells < 2 or usual in found:
        return usual
    if len(found) > 1:
        names = " or ".join(_NAMES[delimiter] for delimiter in found)
        raise SchemaError(f"{where}, line 1: the columns could be parted by {names}; say which with delimiter=")
    return found[0]


def _fit(text: str, delimiter: str, *, whole: bool) -> _Fit:
    rows = _rows(text, delimiter, whole=whole)
    header = rows[0] if rows else []
    if len(header) < 2:
        return _Fit(False, False, 0)
    names = {cell.strip().casefold() for cell in header}
    fits = all(len(row) == len(header) for row in rows[1:])
    return _Fit(not names.isdisjoint(QUESTION), fits, len(header))


def _rows(text: str, delimiter: str, *, whole: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), _ROWS):
            rows.append(row)  # what was read before an error counts
    except csv.Error:
        return [row for row in rows if row]
    cut_off = not whole and len(rows) < _ROWS
    return [row for row in (rows[:-1] if cut_off and len(rows) > 1 else rows) if row]
