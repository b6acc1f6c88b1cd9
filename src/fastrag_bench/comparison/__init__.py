"""Runs side by side: tables, the best one, and whether a difference is more than chance."""

from fastrag_bench.comparison.comparison import Comparison
from fastrag_bench.comparison.paired import PairedDifference
from fastrag_bench.comparison.table import Failure

__all__ = ["Comparison", "Failure", "PairedDifference"]
