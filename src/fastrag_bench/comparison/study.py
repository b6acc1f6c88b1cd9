"""What is known about runs beyond their results: where it comes from is the reader's business."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ABSENT = "(default)"
"""The level of an axis that a run's overrides do not name."""
_SETTING = re.compile(r"(?P<axis>[A-Za-z_][\w./@]*)=(?P<level>.*)\Z")


@dataclass(frozen=True)
class Study:
    """Gold, tags and settings by question and run name; all optional."""

    primary: str | None = None
    """The metric that was declared to decide; every other is exploratory."""

    gold: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Gold ids of each question; they say which questions form a cluster."""

    tags: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tags of each question."""

    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The overrides of each run, by axis; read from its name where it is not here."""

    identical: Mapping[str, str] = field(default_factory=dict)
    """For a run whose pipeline is that of an earlier run, the name of that one."""

    follows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For an axis, the metrics that move with it by construction, as recall does with k."""

    leans: Mapping[str, str] = field(default_factory=dict)
    """For an axis, why what is measured may favour some of its levels."""

    def settings_of(self, run: str) -> Mapping[str, str]:
        """The overrides of a run."""
        return self.settings[run] if run in self.settings else settings_in(run)


def settings_in(name: str) -> dict[str, str]:
    """The settings that a run name such as `chunker=recursive,k=5` lists; commas inside brackets do not part them."""
    found = {}
    for part in _parts(name):
        match = _SETTING.match(part.strip())
        if match:
            found[match["axis"]] = match["level"]
    return found


def _parts(name: str) -> list[str]:
    parts, depth = [""], 0
    for letter in name:
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def axes_of(study: Study, runs: Sequence[str]) -> dict[str, dict[str, list[int]]]:
    """The settings in which runs differ: axis, then level in order of appearance, then the places of its runs."""
    settings = [study.settings_of(run) for run in runs]
    names = dict.fromkeys(axis for each in settings for axis in each)
    axes: dict[str, dict[str, list[int]]] = {}
    for axis in names:
        levels: dict[str, list[int]] = {}
        for place, each in enumerate(settings):
            levels.setdefault(each.get(axis, ABSENT), []).append(place)
        if len(levels) > 1:
            axes[axis] = levels
    return axes
