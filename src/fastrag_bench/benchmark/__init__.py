"""Run a pipeline over a dataset and score what it returns."""

from fastrag_bench.benchmark.benchmark import Benchmark
from fastrag_bench.benchmark.stored import StoredOutcomes
from fastrag_bench.benchmark.targets import as_engine, as_retriever

__all__ = ["Benchmark", "StoredOutcomes", "as_engine", "as_retriever"]
