"""What Hydra finds of us: a launcher and a sweeper that hand on to `fastrag_bench.sweep`.

Every Hydra application in the environment imports this module, so it imports nothing of ours before it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class FastragLauncher(Launcher):
    """See `fastrag_bench.sweep.launcher.PlanLauncher`."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Make the launcher that does the work."""
        from fastrag_bench.sweep.launcher import PlanLauncher

        self.plan_launcher = PlanLauncher(hydra_context=hydra_context, config=config)

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run these jobs."""
        return self.plan_launcher.launch(job_overrides, initial_job_idx)


class FastragSweeper(Sweeper):
    """See `fastrag_bench.sweep.sweeper.PlanSweeper`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self._params = params

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Make the sweeper that does the work, with the configured launcher."""
        from fastrag_bench.sweep.sweeper import PlanSweeper

        self._sweeper = PlanSweeper(
            params=self._params, hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        """Run all combinations of these overrides."""
        return self._sweeper.sweep(arguments)


# Plain mappings: Hydra executes this module before it is in sys.modules, where a dataclass cannot look up its types.
_HERE = "hydra_plugins.fastrag_bench_plugins"
_NODES = {
    "launcher": {"_target_": f"{_HERE}.FastragLauncher"},
    "sweeper": {"_target_": f"{_HERE}.FastragSweeper", "params": None},
}
for _group, _node in _NODES.items():
    ConfigStore.instance().store(group=f"hydra/{_group}", name="fastrag_bench", node=_node, provider="fastrag_bench")
