"""Our sweeper: checks every combination of a command line before any work, then hands them all over at once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import InterpolationResolutionError

from fastrag_bench.config import RunConfig
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.experiments import expand_experiments
from fastrag_bench.sweep.folder import claim_folder
from fastrag_bench.sweep.launcher import PlanLauncher, names_in, reaching_the_end
from fastrag_bench.sweep.plain import unresolved
from fastrag_bench.sweep.prepare import PreparedSweep, prepare
from fastrag_bench.sweep.refusal import refusing
from fastrag_bench.sweep.secret_values import hide_written
from fastrag_bench.sweep.selection import Selection
from fastrag_bench.sweep.shape import shape_of

log = logging.getLogger(__name__)


class PlanSweeper:
    """Expands, checks and launches; works with any launcher.

    Our launcher is given the combinations themselves, every other one their override lists.
    """

    def __init__(
        self,
        *,
        params: Mapping[str, object] | None,
        hydra_context: HydraContext,
        task_function: TaskFunction,
        config: DictConfig,
    ) -> None:
        self._params = params
        self._context = hydra_context
        self._config = config
        self._launcher = Plugins.instance().instantiate_launcher(hydra_context, task_function, config)

    def sweep(self, arguments: Sequence[str]) -> list[Sequence[JobReturn]]:
        """Run all combinations; ends with exit code 2 before any work where one of them is wrong."""
        loader = self._context.config_loader
        with refusing():
            prepared = self._prepare(loader, arguments)
            self._check_resume(prepared.runs[0].combination.config)
        if not prepared.runs[0].combination.config.dry_run:
            claim_folder(self._config, "sweep")
            folder = Path(self._config.hydra.sweep.dir)
            folder.mkdir(parents=True, exist_ok=True)
            plain = OmegaConf.to_container(self._config, resolve=False, enum_to_str=True)
            (folder / "multirun.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(hide_written(plain))))
        with reaching_the_end(self._context, self._config):
            return [self._launch(prepared)]

    def _prepare(self, loader: ConfigLoader, arguments: Sequence[str]) -> PreparedSweep:
        plain: Any = {key: unresolved(self._config._get_node(key)) for key in self._config if key != "hydra"}
        shape = shape_of(plain)
        composer = Composer(loader, self._config)
        selection = Selection(composer, shape, seed=plain.get("seed") if isinstance(plain.get("seed"), int) else 0)
        jobs = expand_experiments(composer, arguments, self._params, shape)
        return prepare(composer, jobs, selection=selection, earlier=self._earlier_names())

    def _earlier_names(self) -> list[str]:
        """None where the sweep's name is wrong, which each combination says of itself."""
        try:
            return names_in(Path(self._config.hydra.sweep.dir))
        except InterpolationResolutionError:
            return []

    def _check_resume(self, config: RunConfig) -> None:
        folder = Path(self._config.hydra.sweep.dir)
        if config.resume and not (folder / "multirun.yaml").is_file():
            message = f"there is no sweep in {folder} to resume; name it with sweep=NAME, or leave resume out"
            raise ConfigurationError(problems=[Problem("resume=true", message)])

    def _launch(self, prepared: PreparedSweep) -> Sequence[JobReturn]:
        plan_launcher: Any = getattr(self._launcher, "plan_launcher", None)
        if isinstance(plan_launcher, PlanLauncher):
            return plan_launcher.launch_prepared(prepared)
        for note in prepared.notes:
            log.warning(note)
        lists = [list(run.overrides) for run in prepared.runs]
        returns = self._launcher.launch(lists, initial_job_idx=0)
        for job in returns:
            _ = job.return_value  # raises what the job raised
        return returns
