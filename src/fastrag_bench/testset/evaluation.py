"""`EvaluationDataset`: samples of one class, without the synthesizers' names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from fastrag_bench.errors import SchemaError
from fastrag_bench.files import write_atomic
from fastrag_bench.testset.rows import eval_sample_of, features_of, read_jsonl, rows_of_frame, to_jsonl_text
from fastrag_bench.testset.samples import EvalTurns, MultiTurnSample
from fastrag_bench.testset.tables import csv_text, read_csv_rows


@dataclass
class EvaluationDataset:
    """Samples that are all of a single turn, or all conversations."""

    samples: list[EvalTurns]

    def __post_init__(self) -> None:
        self.samples = list(self.samples)
        if len({type(sample) for sample in self.samples}) > 1:
            raise SchemaError(
                "an evaluation dataset holds samples of a single turn or conversations, not both; take one kind, such "
                "as [sample for sample in testset if isinstance(sample.eval_sample, SingleTurnSample)]"
            )

    def is_multi_turn(self) -> bool:
        """Whether it holds conversations; False where it is empty."""
        return bool(self.samples) and isinstance(self.samples[0], MultiTurnSample)

    def features(self) -> list[str]:
        """The names of the fields that any sample has, in order of first use."""
        return features_of(self.to_list())

    def to_list(self) -> list[dict[str, Any]]:
        """One object a sample, without the fields that are None."""
        return [sample.to_dict() for sample in self.samples]

    @classmethod
    def from_list(cls, data: Iterable[Mapping[str, Any]]) -> EvaluationDataset:
        """The reverse of `to_list`; raises SchemaError with the number of a row that is none."""
        return cls([eval_sample_of(row, f"row {number}") for number, row in enumerate(data, start=1)])

    from_dict = from_list

    def to_jsonl(self, path: str | os.PathLike[str]) -> None:
        """One object a line, UTF-8."""
        write_atomic(path, to_jsonl_text(self.to_list()))

    @classmethod
    def from_jsonl(cls, path: str | os.PathLike[str]) -> EvaluationDataset:
        """The reverse of `to_jsonl`; blank lines are skipped."""
        return cls([eval_sample_of(row, where) for where, row in read_jsonl(Path(path))])

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """All columns of all rows; lists as JSON."""
        write_atomic(path, csv_text(self.to_list(), self.features() or ["user_input"]))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> EvaluationDataset:
        """Reads lists as JSON or as Python prints them."""
        return cls([eval_sample_of(row, where) for where, row in read_csv_rows(Path(path))])

    def to_pandas(self) -> Any:
        """A data frame; needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_list())

    @classmethod
    def from_pandas(cls, frame: Any) -> EvaluationDataset:
        """The reverse of `to_pandas`; missing values are absent, lists in text cells are read."""
        return cls.from_list(rows_of_frame(frame))

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[EvalTurns]:
        return iter(self.samples)

    @overload
    def __getitem__(self, index: int) -> EvalTurns: ...
    @overload
    def __getitem__(self, index: slice) -> EvaluationDataset: ...
    def __getitem__(self, index: int | slice) -> EvalTurns | EvaluationDataset:
        return EvaluationDataset(self.samples[index]) if isinstance(index, slice) else self.samples[index]
