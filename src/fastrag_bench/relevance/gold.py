"""The gold of a question: groups of alternative ids, each a literal or a span of characters in a document."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.types import EvalSample

_SPAN = re.compile(r"(?s)(.+)#char=([0-9]+),([0-9]+)\Z")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of a document."""

    document: str
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


def parse_span(text: str) -> Span | None:
    """The span of `doc#char=S,E` with S < E (RFC 5147); None for every other id, which is a literal."""
    found = _SPAN.match(text)
    if found is None or int(found[2]) >= int(found[3]):
        return None
    return Span(found[1], int(found[2]), int(found[3]))


@dataclass(frozen=True)
class Gold:
    """The groups of a question. One match satisfies a group; `gains` are their grades, 1 where none is given."""

    groups: tuple[tuple[str, ...], ...]
    gains: tuple[float, ...]

    @property
    def ids(self) -> list[str]:
        """All ids, each once."""
        return list(dict.fromkeys(identifier for group in self.groups for identifier in group))


def gold_of(sample: EvalSample) -> Gold:
    """Read `relevant_ids`, `metadata["relevance_groups"]` and `metadata["relevance_grades"]`.

    Ids outside of any group stand alone. An id graded below 1 is not relevant; a group has the grade of its best id.

    Raises:
        ConfigurationError: groups or grades that are not lists of ids or numbers by id.
    """
    grades = _grades(sample)
    relevant = [name for name in dict.fromkeys(map(str, sample.relevant_ids)) if grades.get(name, 1.0) >= 1.0]
    known = set(relevant)
    groups: list[tuple[str, ...]] = []
    grouped: set[str] = set()
    for group in _groups(sample):
        kept = tuple(name for name in dict.fromkeys(group) if name in known and name not in grouped)
        grouped.update(kept)
        if kept:
            groups.append(kept)
    groups.extend((name,) for name in relevant if name not in grouped)
    return Gold(tuple(groups), tuple(max(grades.get(name, 1.0) for name in group) for group in groups))


def _groups(sample: EvalSample) -> Sequence[Sequence[str]]:
    groups = sample.metadata.get("relevance_groups") or []
    if not isinstance(groups, (list, tuple)) or not all(isinstance(group, (list, tuple)) for group in groups):
        raise ConfigurationError(f"relevance_groups of {sample.question!r:.60} is not a list of lists of ids")
    return [[str(name) for name in group] for group in groups]


def _grades(sample: EvalSample) -> dict[str, float]:
    grades = sample.metadata.get("relevance_grades") or {}
    try:
        found = {str(name): float(grade) for name, grade in grades.items()}
    except (AttributeError, TypeError, ValueError):
        found = {"": math.nan}
    if all(map(math.isfinite, found.values())):
        return found
    raise ConfigurationError(f"relevance_grades of {sample.question!r:.60} is not an object of finite numbers by id")
