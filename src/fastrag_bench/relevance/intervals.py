"""Stretches of characters [start, end) and what they cover together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Interval = tuple[int, int]


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The union as disjoint intervals in ascending order; empty ones are left out."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def uncovered(interval: Interval, covered: Sequence[Interval]) -> list[Interval]:
    """The parts of an interval that lie outside of some disjoint ascending ones, in order."""
    start, end = interval
    found = []
    for low, high in covered:
        if high > start and low < end:
            if low > start:
                found.append((start, low))
            start = max(start, high)
    if start < end:
        found.append((start, end))
    return found


def total(intervals: Iterable[Interval]) -> int:
    """The length of disjoint intervals together."""
    return sum(end - start for start, end in intervals)
