"""Which figures compare what: some follow the size of chunks, some follow k, whatever the quality."""

from __future__ import annotations

_RANKED = frozenset({"recall", "precision", "ndcg", "mrr", "hit", "success", "map", "all_hops", "r_precision"})
_SPANS = frozenset({"span_recall", "span_precision", "span_iou", "span_iou_set"})


def compares_chunkers(name: str) -> bool:
    """Whether a metric gives chunkers of other sizes the same chance.

    A number of chunks is more text where chunks are larger, so ranks and what k chunks hold do not; equal budgets of
    text (`recall@2000chars`, `span_precision@2000chars`) do, and so does whatever does not look at chunks.
    """
    stem, _, cutoff = name.partition("@")
    return stem not in _RANKED | _SPANS or cutoff.endswith(("chars", "tokens"))


def follows_k(name: str) -> bool:
    """Whether a figure moves with k by construction: it judges the k chunks that were handed on."""
    return name in (_RANKED | _SPANS) - {"r_precision"} or name == "context_tokens"
