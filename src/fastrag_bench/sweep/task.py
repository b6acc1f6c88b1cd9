"""What Hydra calls for one job: a single run, or a job of a launcher that is not ours."""

from __future__ import annotations

from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from fastrag_bench.config import RunConfig
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.sweep.launcher import primary_mean
from fastrag_bench.sweep.naming import run_folder, run_name
from fastrag_bench.sweep.plain import resolve
from fastrag_bench.sweep.refusal import refuse
from fastrag_bench.sweep.secret_values import hide, hide_in_files, hide_override
from fastrag_bench.sweep.shape import refuse_shape


def run(config: DictConfig) -> float | None:
    """Run one configuration.

    A single run ends the process with its exit code where that is not 0. A job of a sweep never raises for what goes
    wrong while it runs, only for a configuration that is wrong.

    Returns:
        For a job of a sweep the mean of its primary metric, which a sweeper may optimise; None where it has none.
    """
    from fastrag_bench.sweep.run import run_job

    hydra = HydraConfig.get()
    single = hydra.mode != RunMode.MULTIRUN
    folder = Path(hydra.runtime.output_dir)
    hide_in_files(folder, hydra.overrides.task)
    try:
        combination = combination_of(config)
        if single:
            refuse_shape(combination.config, hint="is about sweeps; start with -m for one")
        elif not hydra.sweeper._target_.endswith(".FastragSweeper"):
            refuse_shape(combination.config, hint="needs hydra/sweeper=fastrag_bench, the default")
        code = run_job(combination, folder, single=single)
    except ConfigurationError as error:
        if single:
            refuse(error)
        raise
    if not single:
        return primary_mean(folder, combination)
    if code:
        raise SystemExit(code)
    return None


def combination_of(config: DictConfig) -> Combination:
    """The combination of the job that Hydra is running."""
    hydra = HydraConfig.get()
    overrides = tuple(hydra.overrides.task)
    resolved = resolve(config, with_hydra=False)
    try:
        checked = RunConfig.from_mapping(resolved)
    except ConfigurationError as error:
        raise ConfigurationError(problems=[under_override(problem, overrides) for problem in error.problems]) from error
    number = 0 if OmegaConf.is_missing(hydra.job, "num") else hydra.job.num
    name = run_name(overrides)
    told = tuple(map(hide_override, overrides))
    return Combination(number, name, run_folder(name), told, checked, hide(resolved))


def under_override(problem: Problem, overrides: tuple[str, ...]) -> Problem:
    """The same problem under the override that sets the value, where there is one."""
    for override in reversed(overrides):
        if override.lstrip("+").partition("=")[0] == problem.path:
            return Problem(override, problem.message)
    return problem
