"""Parquet files and Hugging Face datasets; both need the extra `datasets`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.reading import ReadOptions
from fastrag_bench.datasets.records import Record, records_of
from fastrag_bench.errors import ConfigurationError, MissingExtraError
from fastrag_bench.files import plain_json


def read_parquet(path: Path, options: ReadOptions) -> list[Record]:
    """Rows as objects: nested lists and structs become lists and dicts, dates their ISO form.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError(f"Reading {path.name}", extra="datasets") from None
    try:
        with parquet.ParquetFile(path) as file:
            _check_names(file.schema_arrow.names, path)
            rows = list(islice(_rows(file), options.limit))
    except (pyarrow.ArrowException, OSError) as error:
        raise ConfigurationError(f"{path}: not a Parquet file that can be read: {error}") from None
    return records_of(rows, where=str(path))


def _check_names(names: list[str], path: Path) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigurationError(f"{path}: two columns are called {twice!r}")


def _rows(file: Any) -> Iterator[Any]:
    for batch in file.iter_batches(batch_size=1000):
        yield from plain_json(batch.to_pylist())


def read_hub(
    path: str, *, split: str | None, config: str | None, revision: str | None, limit: int | None
) -> list[Record]:
    """The rows of one split of a dataset on the hub or in a local folder; no code of the dataset is ever run.

    Raises:
        MissingExtraError: the library `datasets` is not installed.
        ConfigurationError: there are several splits and none is named, or the dataset cannot be had.
    """
    try:
        import datasets
    except ImportError:
        raise MissingExtraError(f"Reading the Hugging Face dataset {path!r}", extra="datasets") from None
    try:
        found = _load(datasets, path, config, revision)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(f"the Hugging Face dataset {path!r} cannot be loaded: {error}") from error
    table = _one_split(found, split, path)
    return records_of((plain_json(row) for row in islice(table, limit)), where=path)


def _load(datasets: Any, path: str, config: str | None, revision: str | None) -> Any:
    folder = Path(path)
    if (folder / "dataset_dict.json").is_file() or (folder / "state.json").is_file():
        return datasets.load_from_disk(path)
    old = int(datasets.__version__.split(".")[0]) < 4
    return datasets.load_dataset(path, config, revision=revision, **({"trust_remote_code": False} if old else {}))


def _one_split(found: Any, split: str | None, path: str) -> Any:
    if not isinstance(found, dict):
        if split is not None:
            raise ConfigurationError(f"{path!r} has no splits; leave split= out")
        return found
    if split is None and len(found) == 1:
        return next(iter(found.values()))
    if split not in found:
        names = ", ".join(map(repr, found))
        asked = "has several splits; name one with split=" if split is None else f"has no split {split!r}"
        raise ConfigurationError(f"{path!r} {asked} (there is: {names})")
    return found[split]
