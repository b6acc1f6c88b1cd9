"""The OmegaConf resolvers that `conf/config.yaml` uses."""

from __future__ import annotations

from collections.abc import Sequence

from omegaconf import OmegaConf


def register_resolvers() -> None:
    """Make `${fastrag_bench.first:a,b}` and `${fastrag_bench.run_folder:overrides}` known; may be called again."""
    OmegaConf.register_new_resolver("fastrag_bench.first", first, replace=True)
    OmegaConf.register_new_resolver("fastrag_bench.run_folder", folder, replace=True)


def first(*values: object) -> object:
    """The first value that is not null."""
    return next((value for value in values if value is not None), None)


def folder(overrides: Sequence[str]) -> str:
    """The folder of the run with these overrides, below the sweep's."""
    from fastrag_bench.sweep.naming import run_folder, run_name

    return run_folder(run_name(overrides))
