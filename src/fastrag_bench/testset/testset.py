"""`Testset`: the questions that were made from documents."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import write_atomic
from fastrag_bench.testset.annotated import annotated_text, read_annotated
from fastrag_bench.testset.costs import NO_COUNTING, CostCallback, TokenUsage
from fastrag_bench.testset.evaluation import EvaluationDataset
from fastrag_bench.testset.rows import features_of, read_jsonl, rows_of_frame, testset_sample_of, to_jsonl_text
from fastrag_bench.testset.samples import TestsetSample
from fastrag_bench.testset.tables import csv_text, read_csv_rows

if TYPE_CHECKING:
    from fastrag_bench.datasets.dataset import QADataset

COLUMNS = [
    "user_input",
    "reference_contexts",
    "reference",
    "persona_name",
    "query_style",
    "query_length",
    "synthesizer_name",
]
"""The header of an empty table."""


@dataclass
class Testset:
    """Questions with their evidence, in order; an index gives a sample, a slice a test set."""

    __test__ = False  # pytest collects classes by this beginning of their name

    samples: list[TestsetSample]
    run_id: str = field(default_factory=lambda: str(uuid.uuid4()), repr=False, compare=False)
    """Of the run that made it, or of the reading."""

    cost_cb: CostCallback | None = field(default=None, repr=False)
    """Who counted the tokens, if anybody did."""

    def to_evaluation_dataset(self) -> EvaluationDataset:
        """The questions without their synthesizers; raises SchemaError (a ValueError) where turns are mixed."""
        return EvaluationDataset([sample.eval_sample for sample in self.samples])

    def to_list(self) -> list[dict[str, Any]]:
        """One flat object a sample, without fields that are None."""
        return [sample.to_row() for sample in self.samples]

    @classmethod
    def from_list(cls, data: Iterable[Mapping[str, Any]]) -> Testset:
        """The reverse of `to_list`; the rows are left as they are.

        Raises:
            SchemaError: a row without `synthesizer_name` or of the wrong shape, with its number.
        """
        return cls([testset_sample_of(row, f"row {number}") for number, row in enumerate(data, start=1)])

    from_dict = from_list

    def total_tokens(self) -> TokenUsage | list[TokenUsage]:
        """Tokens spent on making it; raises ValueError where nobody counted."""
        return self._counted().total_tokens()

    def total_cost(
        self,
        cost_per_input_token: float | None = None,
        cost_per_output_token: float | None = None,
        *,
        per_model_costs: Mapping[str, tuple[float, float]] | None = None,
    ) -> float:
        """Money spent on making it; raises ValueError where nobody counted, or a price is missing."""
        return self._counted().total_cost(cost_per_input_token, cost_per_output_token, per_model_costs)

    def _counted(self) -> CostCallback:
        if self.cost_cb is None:
            raise ValueError(NO_COUNTING)
        return self.cost_cb

    @classmethod
    def from_annotated(cls, path: str | os.PathLike[str]) -> Testset:
        """The samples of a reviewed file whose `approval_status` is exactly `approved`.

        Raises:
            SchemaError: the file is no list, an item has no status, or an approved sample is empty.
        """
        return cls(read_annotated(Path(path)))

    def to_annotated(self, path: str | os.PathLike[str], *, status: str = "pending") -> None:
        """A file for review."""
        write_atomic(path, annotated_text(self.samples, status))

    def to_jsonl(self, path: str | os.PathLike[str]) -> None:
        """One object a line, UTF-8."""
        write_atomic(path, to_jsonl_text(self.to_list()))

    @classmethod
    def from_jsonl(cls, path: str | os.PathLike[str]) -> Testset:
        """The reverse of `to_jsonl`; blank lines are skipped."""
        return cls([testset_sample_of(row, where) for where, row in read_jsonl(Path(path))])

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """All columns of all rows; lists as JSON; an empty set has a header."""
        write_atomic(path, csv_text(self.to_list(), self.features() or COLUMNS))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> Testset:
        """Reads lists as JSON or as Python prints them."""
        return cls([testset_sample_of(row, where) for where, row in read_csv_rows(Path(path))])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Testset:
        """By suffix: .jsonl, .csv, or .json, which is a reviewed file.

        Raises:
            ConfigurationError: another suffix.
        """
        readers = {".jsonl": cls.from_jsonl, ".csv": cls.from_csv, ".json": cls.from_annotated}
        suffix = Path(path).suffix.lower()
        if suffix not in readers:
            raise ConfigurationError(f"{path}: a test set is a .jsonl, .csv or reviewed .json file")
        return readers[suffix](path)

    def to_pandas(self) -> Any:
        """A data frame; needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_list())

    @classmethod
    def from_pandas(cls, frame: Any) -> Testset:
        """The reverse of `to_pandas`; missing values are absent, lists in text cells are read."""
        return cls.from_list(rows_of_frame(frame))

    def features(self) -> list[str]:
        """The names of the columns that any row has, in order of first use."""
        return features_of(self.to_list())

    def to_qa_dataset(self, *, multi_turn: str = "error") -> QADataset:
        """Questions for a benchmark, with the evidence as gold.

        Args:
            multi_turn: what becomes of conversations: `error`, `skip`, or `last`, which asks the last thing the person
                says and keeps what was said before in the metadata.
        """
        from fastrag_bench.datasets.sources.testset import questions_of_rows

        return questions_of_rows([(f"row {n}", row) for n, row in enumerate(self.to_list(), 1)], multi_turn=multi_turn)

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[TestsetSample]:
        return iter(self.samples)

    @overload
    def __getitem__(self, index: int) -> TestsetSample: ...
    @overload
    def __getitem__(self, index: slice) -> Testset: ...
    def __getitem__(self, index: int | slice) -> TestsetSample | Testset:
        return Testset(self.samples[index], self.run_id) if isinstance(index, slice) else self.samples[index]
