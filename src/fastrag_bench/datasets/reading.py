"""Opening a dataset file: what its suffix says, its encoding, and how much of it may be read."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fastrag_bench.errors import ConfigurationError, DatasetNotFoundError

MIB = 1 << 20
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNPACKERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read; the sizes keep a wrong path from eating the memory."""

    encoding: str | None = None
    """None is what the byte order mark says (UTF-8, UTF-16, UTF-32), and UTF-8 without one; nothing is guessed."""

    limit: int | None = None
    """Only the first so many samples."""

    list_separator: str | None = "|"
    """Parts the ids in a text cell that is not a list; None: a cell is one id."""

    max_bytes: int = 256 * MIB
    """The largest `.json` or `.yaml` file."""

    max_cell: int = 16 * MIB
    """The longest line or cell, in characters."""

    delimiter: str | None = None
    """Of `.csv` and `.tsv`: None finds out which of `, ; tab |` fits the first rows."""

    sheet: str | None = None
    """Of `.xlsx`: which sheet; None where only one has rows."""

    def __post_init__(self) -> None:
        if self.limit is not None and (isinstance(self.limit, bool) or self.limit < 0):
            raise ConfigurationError(f"limit is a number of samples, 0 or more, not {self.limit!r}")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise ConfigurationError(f"encoding {self.encoding!r} is not known to Python") from None
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ConfigurationError(f"delimiter is one character, not {self.delimiter!r}")


def check_file(path: Path) -> None:
    """Raise DatasetNotFoundError, or ConfigurationError for a folder."""
    if path.is_dir():
        raise ConfigurationError(f"{path} is a folder; name a file in it")
    if not path.is_file():
        raise DatasetNotFoundError(f"{path}: there is no such file (looked in {path.resolve().parent})")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked where it is packed; damage and unreadable files raise ConfigurationError."""
    opener = UNPACKERS.get(path.suffix.lower(), open)
    try:
        with opener(path, "rb") as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error


def read_text(path: Path, options: ReadOptions) -> str:
    """A whole file, which may hold at most `max_bytes`."""
    with opened(path) as file:
        data = file.read(options.max_bytes + 1)
    if len(data) > options.max_bytes:
        raise ConfigurationError(
            f"{path} holds more than {options.max_bytes / MIB:g} MiB; raise max_bytes, or use .jsonl, which is streamed"
        )
    try:
        return data.decode(encoding_of(path, data[:4], options))
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(error.encoding, "replace").count("\n") + 1
        raise bad_byte(path, line, error) from None


def encoding_of(path: Path, head: bytes, options: ReadOptions) -> str:
    """The encoding of a file that begins with these bytes; marks are dropped from the text.

    Raises:
        ConfigurationError: none is given, there is no mark, and every other byte is NUL.
    """
    if options.encoding is not None:
        return "utf-8-sig" if codecs.lookup(options.encoding).name == "utf-8" else options.encoding
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    if len(head) >= 4 and (head[1::2].strip(b"\0") == b"" or head[0::2].strip(b"\0") == b""):
        order = "le" if head[1] == 0 else "be"
        raise ConfigurationError(
            f'{path}, line 1: every other byte is NUL: UTF-16 without a byte order mark? Pass encoding="utf-16-{order}"'
        )
    return "utf-8-sig"


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked."""
    with opened(path) as file:
        return bytes(file.read(size))


def read_lines(path: Path, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """(number, line) of each line, ends included; only a line feed ends a line, whatever Unicode thinks of others."""
    encoding = encoding_of(path, head_of(path, 4), options)
    with opened(path) as file:
        if encoding == "utf-8-sig":
            yield from _utf8_lines(path, file, options)
        else:
            with io.TextIOWrapper(file, encoding=encoding, newline="\n") as text:
                yield from _other_lines(path, text, options)


def _utf8_lines(path: Path, file: IO[bytes], options: ReadOptions) -> Iterator[tuple[int, str]]:
    number = 0
    while data := file.readline(options.max_cell + 1):
        number += 1
        if len(data) > options.max_cell:
            raise too_long(path, number, options)
        try:
            yield number, data.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise bad_byte(path, number, error) from None


def _other_lines(path: Path, file: io.TextIOWrapper, options: ReadOptions) -> Iterator[tuple[int, str]]:
    number = 0
    while True:
        try:
            line = file.readline(options.max_cell + 1)
        except UnicodeDecodeError as error:
            raise bad_byte(path, _line_of_bad_byte(path, file.encoding) or number + 1, error) from None
        if not line:
            return
        number += 1
        if len(line) > options.max_cell:
            raise too_long(path, number, options)
        yield number, line


def _line_of_bad_byte(path: Path, encoding: str) -> int | None:
    """Decoders read ahead of the lines, so the line is counted again up to the bad byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with opened(path) as file:
        while block := file.read(MIB):
            try:
                line += decoder.decode(block).count("\n")
            except UnicodeDecodeError as error:
                return line + error.object[: error.start].decode(error.encoding, "replace").count("\n")
    return None


def bad_byte(path: Path, line: int, error: UnicodeDecodeError) -> ConfigurationError:
    """What is said of a byte that is not in the encoding."""
    return ConfigurationError(
        f"{path}, line {line}: byte 0x{error.object[error.start]:02x} is not {error.encoding}; save the file as UTF-8 "
        f'or pass encoding="..."'
    )


def too_long(path: Path, line: int, options: ReadOptions) -> ConfigurationError:
    """What is said of a line or cell above the limit."""
    return ConfigurationError(
        f"{path}, line {line}: a line or cell of more than {options.max_cell / MIB:g} MiB; raise max_cell to allow it"
    )
