"""A metric of your own: derive from `Metric`, read `EvalSample` and `QueryOutcome`, return a number or None."""

from fastrag_bench.contracts import BatchMetric, Metric
from fastrag_bench.types import DistributionSummary, Document, EvalSample, QueryOutcome

__all__ = ["BatchMetric", "DistributionSummary", "Document", "EvalSample", "Metric", "QueryOutcome"]
