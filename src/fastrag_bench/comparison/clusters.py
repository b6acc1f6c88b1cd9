"""Which questions belong together: those about one document share its luck, so they are drawn and flipped together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from fastrag_bench.relevance.gold import parse_span


def document_of(gold: str) -> str:
    """The document a gold id lies in: `tcp.md#char=0,90` and `tcp.md#3` are in `tcp.md`."""
    span = parse_span(gold)
    if span is not None:
        return span.document
    head, mark, tail = gold.rpartition("#")
    return head if mark and head and tail.isdigit() else gold


def clusters_by_gold(gold: Sequence[Collection[str]]) -> NDArray[np.int64]:
    """A label for each question: equal labels for questions connected by documents of their gold.

    A question with gold in two documents joins the questions of both (connected components), so no document is in two
    clusters. A question without gold stands alone. Labels count up from 0 in order of first appearance.
    """
    parents = list(range(len(gold)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    holders: dict[str, int] = {}
    for place, ids in enumerate(gold):
        for name in ids:
            first = holders.setdefault(document_of(name), place)
            one, other = root(first), root(place)
            parents[max(one, other)] = min(one, other)
    labels: dict[int, int] = {}
    return np.array([labels.setdefault(root(place), len(labels)) for place in range(len(gold))], dtype=np.int64)
