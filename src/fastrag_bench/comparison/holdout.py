"""A part of the questions kept back for checking the choice, whole documents at a time and always the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from fastrag_bench.comparison.matrix import Bools, ScoreMatrix
from fastrag_bench.errors import ConfigurationError


def holdout(matrix: ScoreMatrix, share: float, *, seed: int = 0) -> Bools:
    """Which questions are kept back: whole clusters, in an order that only their questions and the seed decide.

    Clusters are taken until the share is reached, so the same questions give the same hold-out under any runs.

    Raises:
        ConfigurationError: a share that is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ConfigurationError(f"a hold-out is a share of the questions between 0 and 1, not {share!r}")
    members: dict[int, list[int]] = {}
    for place, label in enumerate(matrix.labels.tolist()):
        members.setdefault(label, []).append(place)
    order = sorted(members.values(), key=lambda places: _mark(sorted(matrix.questions[p][0] for p in places), seed))
    kept = np.zeros(len(matrix.questions), dtype=bool)
    for places in order[:-1]:
        if kept.sum() + len(places) / 2 <= share * len(kept) or not kept.any():
            kept[places] = True
    return kept


def _mark(questions: Sequence[str], seed: int) -> bytes:
    return blake2b("\n".join([str(seed), *questions]).encode("utf-8", "surrogatepass"), digest_size=16).digest()
