"""Sets of metrics by name, as `conf/metrics/` has them."""

from __future__ import annotations

CUTOFFS = (1, 3, 5, 10)

SETS: dict[str, tuple[str, ...]] = {
    "retrieval": ("recall", "precision", "ndcg", "mrr", "hit", "map", "recall@2000chars"),
    "ranking": (
        *(f"{stem}@{k}" for stem in ("recall", "precision", "ndcg") for k in CUTOFFS),
        "mrr@10",
        *(f"hit@{k}" for k in CUTOFFS),
        "map@10",
        "all_hops@10",
    ),
    "answer": ("exact_match", "token_f1", "rouge_l", "contains"),
    "span": (
        *("span_recall", "span_precision", "span_iou", "precision_omega"),
        *("span_recall@2000chars", "span_precision@2000chars"),
    ),
    "operational": ("latency_ms", "context_tokens"),
}
"""Name of a set -> the names of its metrics, in the order of their columns."""
