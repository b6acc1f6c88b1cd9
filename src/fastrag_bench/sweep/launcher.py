"""Our launcher: runs all combinations as one plan, in place of one job after the other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hydra.core.utils import JobReturn, JobRuntime, JobStatus, configure_log, env_override, setup_globals
from hydra.types import HydraContext
from omegaconf import DictConfig

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.sweep.combination import Combination
from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.prepare import Prepared, PreparedSweep, prepare
from fastrag_bench.sweep.refusal import refuse, refusing
from fastrag_bench.sweep.shape import refuse_shape


class PlanLauncher:
    """Executes combinations through `fastrag_bench.sweep.run.run_sweep`; works with any sweeper."""

    def __init__(self, *, hydra_context: HydraContext, config: DictConfig) -> None:
        self._context = hydra_context
        self._config = config
        self._composer = Composer(hydra_context.config_loader, config)

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs of a sweeper that is not ours.

        The value of each job is the mean of its primary metric, or None, in the order given; equal jobs run once.
        """
        with refusing():
            prepared = prepare(self._composer, job_overrides, first=initial_job_idx, earlier=names_in(self._folder))
            refuse_shape(prepared.runs[0].combination.config, hint="needs hydra/sweeper=fastrag_bench, the default")
        with reaching_the_end(self._context, self._config):
            returns = self.launch_prepared(prepared)
        for run, job in zip(prepared.runs, returns, strict=True):
            job.return_value = primary_mean(self._folder / run.combination.folder, run.combination)
        return [returns[place] for place in prepared.positions]

    def launch_prepared(self, prepared: PreparedSweep) -> Sequence[JobReturn]:
        """Run combinations that are known to be right."""
        from fastrag_bench.sweep.run import run_sweep

        setup_globals()
        configure_log(self._config.hydra.hydra_logging, self._config.hydra.verbose)
        combinations = [run.combination for run in prepared.runs]
        with env_override(dict(self._config.hydra.job.env_set)), self._keeping_hydra_files(prepared.runs):
            run_sweep(combinations, folder=self._folder, notes=prepared.notes)
        return [self._job_return(combination) for combination in combinations]

    @property
    def _folder(self) -> Path:
        return Path(self._config.hydra.sweep.dir)

    @contextmanager
    def _keeping_hydra_files(self, runs: Sequence[Prepared]) -> Iterator[None]:
        """Afterwards write `.hydra/` into each run's folder, unless it turned out that nothing can be run."""
        try:
            yield
        except ConfigurationError:
            raise
        except BaseException:
            self._write_hydra_files(runs)
            raise
        self._write_hydra_files(runs)

    def _write_hydra_files(self, runs: Sequence[Prepared]) -> None:
        below = self._config.hydra.output_subdir
        if below is None or runs[0].combination.config.dry_run:
            return
        for run in runs:
            folder = self._folder / run.combination.folder
            run.files.write(folder / below, index=run.combination.index, output_dir=folder.absolute())

    def _job_return(self, combination: Combination) -> JobReturn:
        return JobReturn(
            overrides=list(combination.overrides),
            working_dir=os.getcwd(),
            task_name=JobRuntime.instance().get("name"),
            status=JobStatus.COMPLETED,
        )


@contextmanager
def reaching_the_end(context: HydraContext, config: DictConfig) -> Iterator[None]:
    """Whatever is raised inside, first let `on_multirun_end` build the comparison of what is there.

    Hydra 1.3 calls it only after a sweep that ended well. An exit code that it asks for gives way to what was raised.
    A ConfigurationError means that there is nothing to compare: it becomes a message and exit code 2.
    """
    try:
        yield
    except ConfigurationError as error:
        refuse(error)
    except BaseException:
        with suppress(SystemExit):
            context.callbacks.on_multirun_end(config=config, config_name=config.hydra.job.config_name)
        raise


def primary_mean(folder: Path, combination: Combination) -> float | None:
    """The mean of the primary metric in a run's result; None where it has none."""
    try:
        summary = json.loads((folder / "result.json").read_text(encoding="utf-8"))["summary"]
        primary = summary[combination.config.metrics.deciding]
        return float(primary["mean"]) if primary["count"] else None
    except (OSError, ValueError, KeyError):
        return None


def names_in(folder: Path) -> list[str]:
    """The names of the runs that a sweep's folder has already."""
    from fastrag_bench.sweep.manifest import SweepPlan

    try:
        return [run.name for run in SweepPlan.load(folder).runs]
    except (ConfigurationError, KeyError, TypeError):
        return []
