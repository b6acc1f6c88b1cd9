"""Which figures compare what: some follow the size of chunks, some follow k, whatever the quality."""

from __future__ import annotations

import re

_BUDGET = re.compile(r"\w+@\d+chars\Z")
_FAIR = frozenset({"span_recall", "span_precision", "span_iou", "precision_omega"})
_FOLLOWS_K = frozenset({"recall", "precision", "hit", "all_hops", "span_recall", "span_precision", "context_tokens"})


def compares_chunkers(name: str) -> bool:
    """Whether a retrieval metric gives chunkers of other sizes the same chance: text budgets and characters do."""
    return bool(_BUDGET.match(name)) or name.partition("@")[0] in _FAIR


def follows_k(name: str) -> bool:
    """Whether a figure moves with k by construction: recall cannot fall as more is handed on."""
    return name in _FOLLOWS_K
