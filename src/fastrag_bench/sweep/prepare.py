"""From override lists to combinations: composed, checked, named and merged, or every problem of them all at once."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from fastrag_bench.config import RunConfig
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.sweep.compose import Composer, number
from fastrag_bench.sweep.diagnose import absent_problem, choice_problem, composition_problem, naming_override
from fastrag_bench.sweep.hydra_files import JobFiles
from fastrag_bench.sweep.naming import repeat_names, run_folders, run_name
from fastrag_bench.sweep.plain import resolve
from fastrag_bench.sweep.secret_values import hide, hide_override
from fastrag_bench.sweep.selection import Selection

Overrides = tuple[str, ...]


@dataclass(frozen=True)
class Prepared:
    """A combination and what Hydra keeps of its job."""

    combination: Combination
    files: JobFiles
    overrides: Overrides
    """As they were given; those of the combination are without secrets."""


@dataclass(frozen=True)
class PreparedSweep:
    """All combinations of a command line."""

    runs: tuple[Prepared, ...]
    positions: tuple[int, ...]
    """For each override list, in the order given, its place in `runs`."""
    notes: tuple[str, ...]
    """What a person should know: overrides left out, combinations merged."""


def prepare(
    composer: Composer,
    jobs: Sequence[Sequence[str]],
    *,
    first: int = 0,
    selection: Selection | None = None,
    earlier: Sequence[str] = (),
) -> PreparedSweep:
    """Compose and check all jobs, numbered from `first`; `earlier` names runs that the sweep has already.

    1. Values that some combinations do not have are left out there; equal combinations become one.
    2. Of these the selected ones are composed, resolved and validated.
    3. Names are given; two that are equal must mean the same configuration.

    Raises:
        ConfigurationError: the distinct problems of all jobs, each under the override that caused it.
    """
    work = _Preparation(composer, [tuple(job) for job in jobs])
    effective = work.effective()
    if selection is not None and not work.problems:
        effective = selection.select(effective)
        work.notes += selection.notes
    distinct = dict.fromkeys(effective)
    drafts = {overrides: work.draft(overrides, index) for index, overrides in enumerate(distinct, start=first)}
    names = {overrides: run_name(overrides) for overrides in drafts}
    keepers = work.keepers(names, drafts)
    if work.problems:
        raise ConfigurationError(problems=list(work.problems))
    work.note_merged(effective, names, keepers)
    unique = list(dict.fromkeys(keepers.values()))
    folders = run_folders([names[overrides] for overrides in unique], earlier)
    repeats = repeat_names(unique)
    runs = []
    for index, (overrides, folder) in enumerate(zip(unique, folders, strict=True), start=first):
        draft = drafts[overrides]
        assert draft is not None
        told, resolved = tuple(map(hide_override, overrides)), hide(draft.resolved)
        repeated = repeats.get(overrides)
        combination = Combination(index, names[overrides], folder, told, draft.config, resolved, repeated)
        runs.append(Prepared(combination, draft.files, overrides))
    places = {overrides: place for place, overrides in enumerate(unique)}
    return PreparedSweep(tuple(runs), tuple(places[keepers[overrides]] for overrides in effective), tuple(work.notes))


@dataclass(frozen=True)
class _Draft:
    config: RunConfig
    resolved: dict[str, Any]
    files: JobFiles


@dataclass
class _Preparation:
    composer: Composer
    jobs: list[Overrides]
    problems: dict[Problem, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def effective(self) -> list[Overrides]:
        """The jobs without what is wrong in them and without values that they do not have."""
        checked = {text: choice_problem(self.composer, text) for job in self.jobs for text in job}
        self._refuse(problem for problem in checked.values() if problem)
        composable = {
            job: self._composable(tuple(t for t in job if checked[t] is None)) for job in dict.fromkeys(self.jobs)
        }
        jobs = [composable[job] for job in self.jobs]
        absent = {job: self._absent(job) for job in dict.fromkeys(jobs)}
        present = {self._key(text) for job, missing in absent.items() for text in job if text not in missing}
        self._refuse_unknown(absent, present)
        self._note_left_out(absent, present)
        return [tuple(text for text in job if text not in absent[job]) for job in jobs]

    def draft(self, overrides: Overrides, index: int) -> _Draft | None:
        """A job composed, resolved and validated; None after a problem."""
        try:
            config = self.composer.share(overrides)
            number(config, index)
            files = JobFiles.of(config)
            resolved = resolve(config, with_hydra="${hydra:" in files.config)
            return _Draft(RunConfig.from_mapping(resolved), resolved, files)
        except ConfigurationError as error:
            if error.problems[0].path:
                self._refuse(naming_override(problem, overrides, self.composer) for problem in error.problems)
            else:
                self._refuse([composition_problem(error.problems[0], overrides, self.composer)])
            return None

    def keepers(
        self, names: dict[Overrides, str], drafts: dict[Overrides, _Draft | None]
    ) -> dict[Overrides, Overrides]:
        """For each job the first one of its name; a different configuration under the same name is a problem."""
        first: dict[str, Overrides] = {}
        for overrides, name in names.items():
            one, other = drafts[first.setdefault(name, overrides)], drafts[overrides]
            if one is not None and other is not None and one.resolved != other.resolved:
                differ = [text for text in overrides if text not in first[name]]
                message = (
                    f"would be called {name!r} like another combination: what differs is not in names; do not sweep it"
                )
                self._refuse([Problem(" ".join(differ) or name, message)])
        return {overrides: first[name] for overrides, name in names.items()}

    def note_merged(
        self, effective: list[Overrides], names: dict[Overrides, str], keepers: dict[Overrides, Overrides]
    ) -> None:
        """Say which combinations stand for several."""
        counts: dict[str, int] = {}
        for overrides in effective:
            counts[names[keepers[overrides]]] = counts.get(names[keepers[overrides]], 0) + 1
        for name, count in counts.items():
            if count > 1:
                self.notes.append(f"{count} equal combinations run once: {name}")

    def _composable(self, job: Overrides) -> Overrides:
        """The job without the overrides that Hydra refuses, each of which is a problem."""
        while True:
            try:
                self.composer.base(job)
                return job
            except ConfigurationError as error:
                problem = composition_problem(error.problems[0], job, self.composer)
                self._refuse([problem])
                if problem.path not in job:
                    return job
                job = tuple(text for text in job if text != problem.path)

    def _absent(self, job: Overrides) -> list[str]:
        try:
            return self.composer.absent(job)
        except ConfigurationError:
            return []

    def _refuse(self, problems: Iterable[Problem]) -> None:
        self.problems.update(dict.fromkeys(problems))

    def _refuse_unknown(self, absent: dict[Overrides, list[str]], present: set[str]) -> None:
        unknown = dict.fromkeys(
            text for missing in absent.values() for text in missing if self._key(text) not in present
        )
        for text in unknown:
            jobs = {self.composer.choices(job): job for job in absent if text in job}
            bases = [base for job in jobs.values() if (base := self._base(job)) is not None]
            override, groups = self.composer.parse(text), self.composer.groups()
            self._refuse([absent_problem(text, override, bases, groups)])

    def _note_left_out(self, absent: dict[Overrides, list[str]], present: set[str]) -> None:
        left_out: dict[tuple[str, str], None] = {}
        for job, missing in absent.items():
            for text in missing:
                key = self._key(text)
                if key in present:
                    top = key.partition(".")[0]
                    choices = [other for other in job if self._key(other) == top]
                    left_out[key, choices[-1] if choices else " ".join(job)] = None
        self.notes += [f"{key} does not exist with {choice}: left out there" for key, choice in left_out]

    def _base(self, job: Overrides) -> DictConfig | None:
        try:
            return copy.deepcopy(self.composer.base(job))
        except ConfigurationError:
            return None

    def _key(self, text: str) -> str:
        return self.composer.parse(text).key_or_group
