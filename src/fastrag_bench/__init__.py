"""fastrag_bench: benchmark RAG pipelines, one or a whole sweep of them.

The names below are the library; each is imported when it is first used, so that `import fastrag_bench` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastrag_bench.benchmark import Benchmark
    from fastrag_bench.comparison import Comparison
    from fastrag_bench.datasets import ColumnMapping, EvalSample, QADataset
    from fastrag_bench.results import BenchmarkResult, SampleResult, StatusCounts

    __version__: str

__all__ = [
    "Benchmark",
    "BenchmarkResult",
    "ColumnMapping",
    "Comparison",
    "EvalSample",
    "QADataset",
    "SampleResult",
    "StatusCounts",
]

_HOMES = {
    "Benchmark": "fastrag_bench.benchmark",
    "BenchmarkResult": "fastrag_bench.results",
    "ColumnMapping": "fastrag_bench.datasets",
    "Comparison": "fastrag_bench.comparison",
    "EvalSample": "fastrag_bench.types",
    "QADataset": "fastrag_bench.datasets",
    "SampleResult": "fastrag_bench.results",
    "StatusCounts": "fastrag_bench.results",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = _version()
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fastrag_bench")
    except PackageNotFoundError:
        return "0.0.0"
