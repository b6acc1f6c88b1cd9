"""Which reader a suffix names. A new format is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastrag_bench.datasets.arrow_files import read_parquet
from fastrag_bench.datasets.csv_files import read_csv, read_tsv
from fastrag_bench.datasets.excel_files import read_xlsx
from fastrag_bench.datasets.json_files import read_json, read_jsonl
from fastrag_bench.datasets.reading import UNPACKERS, ReadOptions, check_file
from fastrag_bench.datasets.records import Record
from fastrag_bench.datasets.yaml_files import read_yaml
from fastrag_bench.errors import ConfigurationError

READERS: dict[str, Callable[[Path, ReadOptions], list[Record]]] = {
    ".json": read_json,
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".parquet": read_parquet,
    ".xlsx": read_xlsx,
}
NOT_PACKED = {".parquet", ".xlsx"}


def read_records(path: Path, options: ReadOptions) -> list[Record]:
    """The records of a file.

    Raises:
        ConfigurationError: a suffix that is not read, before the file is looked for; or what the reader finds wrong.
    """
    suffix = path.suffix.lower()
    packed = suffix in UNPACKERS
    if packed:
        suffix = Path(path.stem).suffix.lower()
    if suffix not in READERS or (packed and suffix in NOT_PACKED):
        raise ConfigurationError(
            f"{path}: files that end in {path.suffix!r} are not read; these are: {' '.join(READERS)} "
            f"(text formats also packed: {' '.join(UNPACKERS)})"
        )
    check_file(path)
    return READERS[suffix](path, options)
