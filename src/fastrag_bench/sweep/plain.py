"""A composed configuration as plain values, interpolations resolved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from fastrag_bench.component import once_per_object
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.parts import MISSING

PATH = re.compile(r"\$\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\}")
"""An interpolation that is the path of another value and nothing else."""


def resolve(config: DictConfig, *, with_hydra: bool = True) -> dict[str, Any]:
    """The configuration without Hydra's node as plain values; what has no value is `???`.

    Args:
        config: the composed configuration of a job.
        with_hydra: whether some value is read through the resolver `hydra:`, which takes time to set up.

    Returns:
        Values that several configurations may share: not to be changed.
    """
    if not with_hydra:
        return _resolved(config)
    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)
    try:
        return _resolved(config)
    finally:
        HydraConfig.instance().cfg = before
        OmegaConf.set_readonly(config.hydra, False)


def unresolved(node: Any) -> Any:
    """A node or a value as plain values, interpolations as they are written."""
    if isinstance(node, (DictConfig, ListConfig)):
        return _container(node)[0]
    return node._value() if OmegaConf.is_config(node) or hasattr(node, "_value") else node


def _unresolved_container(node: DictConfig | ListConfig) -> tuple[Any, bool]:
    """Its plain values, and whether something in them is an interpolation."""
    values = OmegaConf.to_container(node, resolve=False, enum_to_str=True)
    return values, "${" in json.dumps(values, default=str)


_container = once_per_object(_unresolved_container, maxsize=4096)


def _resolved(config: DictConfig) -> dict[str, Any]:
    raw = {str(key): unresolved(config._get_node(key)) for key in config if key != "hydra"}
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in raw.items():
        node = config._get_node(key)
        interpolated = _container(node)[1] if isinstance(node, (DictConfig, ListConfig)) else "${" in str(value)
        try:
            values[key] = _with_paths(value, raw) if interpolated else value
        except LookupError:
            try:
                values[key] = _by_omegaconf(config, key)
            except OmegaConfBaseException as error:
                problems.append(Problem(error.full_key or key, str(error).strip().partition("\n")[0]))
    if problems:
        raise ConfigurationError(problems=problems)
    return values


def _with_paths(value: Any, raw: Mapping[str, Any], depth: int = 0) -> Any:
    """The value with what its interpolations name; LookupError where one is more than the path of a value."""
    if isinstance(value, dict):
        return {key: _with_paths(item, raw, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_paths(item, raw, depth) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    found = PATH.fullmatch(value)
    if found is None or depth > 8:
        raise LookupError(value)
    named: Any = raw
    for name in found[1].split("."):
        if not isinstance(named, dict):
            raise LookupError(value)
        named = named[name]
    if named == MISSING:
        raise LookupError(value)
    return _with_paths(named, raw, depth + 1)


def _by_omegaconf(config: DictConfig, key: str) -> Any:
    value = MISSING if OmegaConf.is_missing(config, key) else config[key]
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
