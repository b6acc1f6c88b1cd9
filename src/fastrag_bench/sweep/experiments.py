"""A sweep over experiments: each brings the sweep that its own file asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import OmegaConf

from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.expand import expand, parse_sweeps, values_of
from fastrag_bench.sweep.shape import SweepShape, shape_of

GROUP = "experiment"
OF_THE_WHOLE = ("exclude", "sample")
"""What holds for a command and not for one of its experiments."""


def expand_experiments(
    composer: Composer, arguments: Sequence[str], params: Mapping[str, object] | None, shape: SweepShape
) -> list[list[str]]:
    """All jobs of a command; of several experiments, those of one after the other.

    Hydra reads the sweeps of an experiment only where that is the only one; here each brings `hydra.sweeper.params`,
    `pairs` and `combinations` of its own.

    Raises:
        ConfigurationError: as `expand`, and for an experiment that brings what holds for a command as a whole.
    """
    parsed = parse_sweeps(composer.loader, arguments)
    swept = next((one for one in parsed if one.get_key_element() == GROUP and one.is_discrete_sweep()), None)
    if swept is None:
        return expand(composer.loader, arguments, params, shape)
    others = [text for text, one in zip(arguments, parsed, strict=True) if one.get_key_element() != GROUP]
    jobs: list[list[str]] = []
    for text in values_of(swept):
        own_params, own_shape = _asked_for(composer, text, shape)
        jobs += expand(composer.loader, [text, *others], {**(params or {}), **own_params}, own_shape)
    return jobs


def _asked_for(composer: Composer, text: str, shape: SweepShape) -> tuple[dict[str, Any], SweepShape]:
    """The sweeps of an experiment's file, and the command's shape with the file's own."""
    name = composer.parse(text).value()
    if not isinstance(name, str) or name not in composer.options(GROUP):
        return {}, shape
    content: Any = OmegaConf.to_container(composer.file(GROUP, name), resolve=False)
    if wrong := [key for key in OF_THE_WHOLE if content.get(key) is not None]:
        message = "holds for the command as a whole: put it on the command line, or run this experiment on its own"
        raise ConfigurationError(problems=[Problem(text, f"its {key} {message}") for key in wrong])
    own = {key: content[key] for key in ("pairs", "combinations") if content.get(key) is not None}
    params = ((content.get("hydra") or {}).get("sweeper") or {}).get("params") or {}
    return params, shape_of({**shape.model_dump(), **own})
