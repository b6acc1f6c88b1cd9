"""Which of the combinations of a sweep are run: not those excluded, and of the others perhaps a sample."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig, OmegaConf

from fastrag_bench.component import unknown_name
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.compose import Composer, known_keys
from fastrag_bench.sweep.naming import shown
from fastrag_bench.sweep.shape import SweepShape

Job = tuple[str, ...]
LOOK_AHEAD = 64
"""Of so many candidates the one is taken whose values were drawn least often."""


@dataclass
class Selection:
    """Applies `exclude` and `sample` to jobs whose overrides all exist."""

    composer: Composer
    shape: SweepShape
    seed: int = 0
    notes: list[str] = field(default_factory=list)

    def select(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs to run, in their order.

        Raises:
            ConfigurationError: a condition names what does not exist, or nothing is left.
        """
        kept = self._without_excluded(jobs) if self.shape.exclude else list(jobs)
        if self.shape.sample is None:
            return kept
        distinct = list(dict.fromkeys(kept))
        chosen = set(draw(distinct, self.shape.sample, seed=self.seed))
        self.notes.append(f"a sample: {len(chosen)} of {len(distinct)} combinations, drawn by seed={self.seed}")
        return [job for job in distinct if job in chosen]

    def _without_excluded(self, jobs: Sequence[Job]) -> list[Job]:
        matches = [0] * len(self.shape.exclude)
        known: list[set[str]] = [set() for _ in self.shape.exclude]
        kept: list[Job] = []
        for job in jobs:
            places = [n for n, condition in enumerate(self.shape.exclude) if self._matches(job, condition, known[n])]
            for place in places:
                matches[place] += 1
            if not places:
                kept.append(job)
        self._check_known(jobs, known)
        if not kept:
            raise _wrong(self.shape.exclude[0], "all combinations are excluded, so there is nothing to run")
        for condition, count in zip(self.shape.exclude, matches, strict=True):
            what = f"{count} combinations" if count else "no combination"
            self.notes.append(f"exclude {shown(condition)} leaves out {what}")
        return kept

    def _matches(self, job: Job, condition: dict[str, Any], known: set[str]) -> bool:
        found = {key: self._value(job, key) for key in condition}
        known.update(key for key, value in found.items() if value is not None)
        return all(value is not None and _agrees(value, condition[key]) for key, value in found.items())

    def _value(self, job: Job, key: str) -> str | None:
        """What a job has there, as text: what it overrides, else the option or the value that it starts from."""
        for text in reversed(job):
            override = self.composer.parse(text)
            if override.get_key_element().lstrip("+") == key:
                return shown(override.value())
        config = self.composer.base(job)
        choices = config.hydra.runtime.choices
        if key in choices:
            return shown(choices[key])
        value = OmegaConf.select(config, key, throw_on_resolution_failure=False, default=config)
        return None if value is config or isinstance(value, DictConfig) else shown(value)

    def _check_known(self, jobs: Sequence[Job], known: Sequence[set[str]]) -> None:
        for condition, found in zip(self.shape.exclude, known, strict=True):
            for key in condition:
                if key not in found:
                    names = [*known_keys(self.composer.base(jobs[0]), key)[1], *self.composer.groups()]
                    last = key.rpartition(".")[2]
                    raise _wrong(condition, f"{key}: {unknown_name(last, list(dict.fromkeys(names)), of='any run')}")


def draw(jobs: Sequence[Job], count: int, *, seed: int) -> list[Job]:
    """So many of the jobs, the same ones for the same seed, each override about equally often.

    A job's rank depends on nothing but its overrides and the seed, so a grid that grows keeps most of its sample.
    """
    waiting = sorted(jobs, key=lambda job: _rank(job, seed))
    used: Counter[str] = Counter()
    chosen: list[Job] = []
    while waiting and len(chosen) < count:
        place = min(range(min(LOOK_AHEAD, len(waiting))), key=lambda at: (sum(used[text] for text in waiting[at]), at))
        job = waiting.pop(place)
        used.update(job)
        chosen.append(job)
    return chosen


def _rank(job: Job, seed: int) -> bytes:
    return hashlib.blake2b("\0".join([str(seed), *sorted(job)]).encode("utf-8", "surrogatepass")).digest()


def _agrees(value: str, wanted: Any) -> bool:
    allowed = wanted if isinstance(wanted, list) else [wanted]
    return value in map(shown, allowed) or value == shown(wanted)


def _wrong(condition: dict[str, Any], message: str) -> ConfigurationError:
    return ConfigurationError(problems=[Problem(f"exclude={shown(condition)}", message)])
