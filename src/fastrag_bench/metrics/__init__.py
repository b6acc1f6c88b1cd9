"""Metrics. A name such as `ndcg@10` prints, parses and compares as itself; see `names.metric`."""

from fastrag_bench.metrics.generation import Contains, ExactMatch, RougeL, TokenF1
from fastrag_bench.metrics.operational import ContextTokens, Cost, Latency, TotalTokens
from fastrag_bench.metrics.retrieval import MAP, MRR, NDCG, AllHops, HitRate, Precision, Recall, RPrecision, Success
from fastrag_bench.metrics.span import PrecisionOmega, SpanIoU, SpanIoUSet, SpanPrecision, SpanRecall

__all__ = [
    "MAP",
    "MRR",
    "NDCG",
    "AllHops",
    "Contains",
    "ContextTokens",
    "Cost",
    "ExactMatch",
    "HitRate",
    "Latency",
    "Precision",
    "PrecisionOmega",
    "RPrecision",
    "Recall",
    "RougeL",
    "SpanIoU",
    "SpanIoUSet",
    "SpanPrecision",
    "SpanRecall",
    "Success",
    "TokenF1",
    "TotalTokens",
]
