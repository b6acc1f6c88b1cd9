"""`QADataset`: the questions of a benchmark."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from fastrag_bench.datasets.formats import read_records
from fastrag_bench.datasets.mapping import ColumnMapping
from fastrag_bench.datasets.native import as_row, native_samples, native_text
from fastrag_bench.datasets.reading import MIB, ReadOptions
from fastrag_bench.datasets.records import build_samples, records_of
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import dump_json, write_atomic
from fastrag_bench.types import EvalSample


@dataclass
class QADataset:
    """Questions in a fixed order.

    Load one with `load`, `from_records` or `from_huggingface`, or give the samples. A dataset iterates over its
    samples; an index gives a sample, a slice a dataset.
    """

    samples: list[EvalSample]

    def __post_init__(self) -> None:
        self.samples = list(self.samples)
        wrong = next((sample for sample in self.samples if not isinstance(sample, EvalSample)), None)
        if wrong is not None:
            raise ConfigurationError(
                f"QADataset takes EvalSample objects, not {type(wrong).__name__}; QADataset.from_records takes dicts"
            )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        columns: ColumnMapping | None = None,
        *,
        limit: int | None = None,
        encoding: str | None = None,
        list_separator: str | None = "|",
        max_bytes: int = 256 * MIB,
        max_cell: int = 16 * MIB,
        delimiter: str | None = None,
        sheet: str | None = None,
    ) -> QADataset:
        """Read a file by its suffix: .json .jsonl .csv .tsv .yaml .yml, also packed as .gz or .bz2; .parquet or .xlsx.

        Args:
            path: the file.
            columns: which column is what, where the names do not say it.
            limit: read only the first so many samples.
            encoding: of a text file that is not UTF-8 and has no byte order mark.
            list_separator: parts the ids in one text cell of a table.
            max_bytes: the largest .json or .yaml file.
            max_cell: the longest line or cell.
            delimiter: of .csv and .tsv; None is the one of `, ; tab |` that fits.
            sheet: of .xlsx; None where only one has rows.

        Raises:
            DatasetNotFoundError: there is no such file.
            MissingExtraError: .parquet without pyarrow, .xlsx without openpyxl.
            ConfigurationError: anything else that is not right, with the file and the line.
        """
        where = Path(path)
        options = ReadOptions(encoding, limit, list_separator, max_bytes, max_cell, delimiter, sheet)
        records = read_records(where, options)
        native = native_samples(records) if columns is None else None
        if native is not None:
            return cls(native)
        return cls(build_samples(records, columns, where=str(path), list_separator=list_separator))

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], columns: ColumnMapping | None = None) -> QADataset:
        """Samples from dicts, such as the rows of a data frame (`frame.to_dict("records")`).

        Raises:
            ConfigurationError: the columns cannot be decided, or a record has no question.
        """
        found = records_of(records, where="records")
        return cls(build_samples(found, columns, where="records", list_separator=None))

    @classmethod
    def from_huggingface(
        cls,
        path: str,
        *,
        split: str | None = None,
        config: str | None = None,
        revision: str | None = None,
        columns: ColumnMapping | None = None,
        limit: int | None = None,
    ) -> QADataset:
        """A dataset of the Hugging Face hub, or of a local folder; remote code is never run.

        Raises:
            MissingExtraError: without the extra; its text is the command that installs it.
            ConfigurationError: several splits and none named, or the dataset cannot be loaded.
        """
        from fastrag_bench.datasets.arrow_files import read_hub

        ReadOptions(limit=limit)
        records = read_hub(path, split=split, config=config, revision=revision, limit=limit)
        return cls(build_samples(records, columns, where=path, list_separator=None))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `{"samples": [...]}` in one step, making parent folders; `load` gives an equal dataset.

        Raises:
            ConfigurationError: another suffix than .json, or a sample that could not be read back.
        """
        if Path(path).suffix.lower() not in {".json", ""}:
            raise ConfigurationError(f"{path}: a dataset is saved as JSON; name it {Path(path).stem}.json")
        write_atomic(path, native_text(self.samples))

    def filter(self, keep: Callable[[EvalSample], bool]) -> QADataset:
        """The samples for which `keep` is true, in order."""
        return QADataset([sample for sample in self.samples if keep(sample)])

    def split(self, seed: int = 0, *, fraction: float = 0.5) -> tuple[QADataset, QADataset]:
        """Two datasets without common samples, the first with `fraction` of them; both keep the order.

        Which sample goes where depends on the seed and the samples alone: equal on every machine, whatever the order.

        Raises:
            ConfigurationError: a fraction outside 0 to 1.
        """
        if not 0 <= fraction <= 1:
            raise ConfigurationError(f"fraction is between 0 and 1, not {fraction!r}")
        ranks = [hashlib.sha256(f"{seed} {sample_digest(sample)}".encode()).digest() for sample in self.samples]
        order = sorted(range(len(ranks)), key=lambda position: (ranks[position], position))
        first = set(order[: round(fraction * len(order))])
        return (
            QADataset([sample for position, sample in enumerate(self.samples) if position in first]),
            QADataset([sample for position, sample in enumerate(self.samples) if position not in first]),
        )

    def fingerprint(self) -> str:
        """64 hex digits that change with any sample or the order of samples, and with nothing else."""
        digest = hashlib.sha256(b"fastrag_bench.dataset 1\n")
        for sample in self.samples:
            digest.update(sample_digest(sample).encode())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[EvalSample]:
        return iter(self.samples)

    @overload
    def __getitem__(self, index: int) -> EvalSample: ...
    @overload
    def __getitem__(self, index: slice) -> QADataset: ...
    def __getitem__(self, index: int | slice) -> EvalSample | QADataset:
        return QADataset(self.samples[index]) if isinstance(index, slice) else self.samples[index]


def sample_digest(sample: EvalSample) -> str:
    """SHA-256 of a sample's four fields in canonical form, in hex.

    Raises:
        ConfigurationError: metadata that is not data.
    """
    try:
        text = dump_json(as_row(sample), sort_keys=True)
    except (TypeError, RecursionError) as error:
        raise ConfigurationError(f"a sample with metadata that is not data has no identity: {error}") from None
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
