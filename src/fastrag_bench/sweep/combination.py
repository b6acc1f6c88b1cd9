"""One point of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastrag_bench.config import RunConfig


@dataclass(frozen=True)
class Combination:
    """A checked configuration with its name and its place in the sweep."""

    index: int
    """Its number in the sweep, from 0, in the order of the overrides."""
    name: str
    """What changes the result, such as `chunker=recursive,k=5`; unique in the sweep."""
    folder: str
    """The run's folder, relative to the sweep's."""
    overrides: tuple[str, ...]
    """The overrides in effect, as they were given, without secrets."""
    config: RunConfig
    resolved: dict[str, Any]
    """The configuration as plain values, without secrets, for the manifest."""
    repeat_of: str | None = None
    """What this run repeats with another seed: its name without the seed; None where the seed is not swept."""
