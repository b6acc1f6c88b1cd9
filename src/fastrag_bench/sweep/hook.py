"""Hydra's callback after a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from fastrag_bench.sweep.compare import build_comparison
from fastrag_bench.sweep.folder import claim_folder


class ComparisonHook(Callback):
    """Hydra's callback: the only place where the comparison of a sweep is built."""

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Give the run a folder of its own."""
        claim_folder(config, "run")

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Give the sweep a folder of its own; ours does it once all combinations are known to be right."""
        if not str(config.hydra.sweeper._target_).endswith(".FastragSweeper"):
            claim_folder(config, "sweep")

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Build and show it; the exit code is a SystemExit, since Hydra turns other exceptions into warnings."""
        if config.get("dry_run", False):
            return
        code = build_comparison(Path(config.hydra.sweep.dir))
        if code:
            raise SystemExit(code)
