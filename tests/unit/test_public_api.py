import subprocess
import sys

import pytest

import fastrag_bench

DOCUMENTED = [
    "Benchmark",
    "BenchmarkResult",
    "ColumnMapping",
    "Comparison",
    "EvalSample",
    "QADataset",
    "SampleResult",
    "StatusCounts",
]


def test_the_exports_are_those_of_the_documentation():
    assert sorted(fastrag_bench.__all__) == DOCUMENTED
    assert {name: getattr(fastrag_bench, name).__name__ for name in DOCUMENTED} == {name: name for name in DOCUMENTED}
    assert set(DOCUMENTED) <= set(dir(fastrag_bench))


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Retriever'"):
        fastrag_bench.Retriever  # noqa: B018


def test_the_version_is_text():
    assert fastrag_bench.__version__[0].isdigit()


def test_each_class_is_the_one_of_its_module():
    from fastrag_bench.benchmark import Benchmark
    from fastrag_bench.comparison import Comparison
    from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
    from fastrag_bench.metrics.base import DistributionSummary, Document, Metric, QueryOutcome
    from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts

    assert fastrag_bench.Benchmark is Benchmark
    assert fastrag_bench.Comparison is Comparison
    assert fastrag_bench.QADataset is QADataset
    assert fastrag_bench.ColumnMapping is ColumnMapping
    assert fastrag_bench.EvalSample is EvalSample
    assert fastrag_bench.BenchmarkResult is BenchmarkResult
    assert (fastrag_bench.SampleResult, fastrag_bench.StatusCounts) == (SampleResult, StatusCounts)
    assert all(isinstance(kind, type) for kind in (DistributionSummary, Document, Metric, QueryOutcome))


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import fastrag_bench", ["numpy", "hydra", "omegaconf", "pydantic", "asyncio", "yaml"]),
        ("from fastrag_bench import QADataset, BenchmarkResult", ["numpy", "hydra", "omegaconf", "yaml", "pyarrow"]),
        ("from fastrag_bench import Benchmark, Comparison", ["hydra", "omegaconf", "yaml", "joblib", "bm25s", "rich"]),
    ],
)
def test_imports_stay_light(statement, unwanted):
    code = f"import sys; {statement}; print([name for name in {unwanted!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
