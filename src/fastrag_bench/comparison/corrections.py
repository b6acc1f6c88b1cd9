"""Several tests at once: p values that hold for the whole family."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): the family-wise error holds under any dependence."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    found = [0.0] * len(p_values)
    reached = 0.0
    for rank, place in enumerate(order):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = reached
    return found


def resamples_for(family: int, alpha: float = 0.05, least: int = 10_000) -> int:
    """So many that the smallest possible p, times the family, is a twentieth of alpha."""
    return max(least, int(20 * family / alpha))
