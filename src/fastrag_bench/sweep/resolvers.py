"""The OmegaConf resolvers that `conf/config.yaml` uses."""

from __future__ import annotations

from collections.abc import Sequence

from omegaconf import OmegaConf


def register_resolvers() -> None:
    """Make `fastrag_bench.sweep_folder:name,time` and `fastrag_bench.run_folder:overrides` known; callable again."""
    OmegaConf.register_new_resolver("fastrag_bench.sweep_folder", sweep_folder, replace=True)
    OmegaConf.register_new_resolver("fastrag_bench.run_folder", folder, replace=True)


def sweep_folder(name: object, time: str) -> str:
    """The folder of the sweep below `outputs/sweeps`: its name, or the time where it has none."""
    from fastrag_bench.sweep.sweep_name import checked_sweep_name

    return time if name is None else checked_sweep_name(name)


def folder(overrides: Sequence[str]) -> str:
    """The folder of the run with these overrides, below the sweep's."""
    from fastrag_bench.sweep.naming import run_folder, run_name

    return run_folder(run_name(overrides))
