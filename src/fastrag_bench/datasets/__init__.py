"""Questions with the answers and evidence that count as right, read from the files people already have."""

from fastrag_bench.datasets.dataset import QADataset, sample_digest
from fastrag_bench.datasets.mapping import ColumnMapping
from fastrag_bench.types import EvalSample

__all__ = ["ColumnMapping", "EvalSample", "QADataset", "sample_digest"]
