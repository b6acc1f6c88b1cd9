"""A sweep over experiments: each brings the sweep that its own file asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import OmegaConf

from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.expand import parse_sweeps, values_of
from fastrag_bench.sweep.shape import SweepShape

GROUP = "experiment"


def swept_experiments(
    composer: Composer, arguments: Sequence[str], params: Mapping[str, object] | None
) -> list[tuple[list[str], Mapping[str, object]]]:
    """For each experiment of a command its overrides and the sweeps of its file; one pair where none is swept.

    Hydra reads the sweeps of an experiment only where that is the only one.

    Raises:
        ConfigurationError: an experiment that is swept brings what only holds for a command as a whole.
    """
    sweeps = {one.get_key_element(): one for one in parse_sweeps(composer.loader, arguments)}
    swept = sweeps.get(GROUP)
    if swept is None or not swept.is_discrete_sweep():
        return [(list(arguments), params or {})]
    texts = values_of(swept)
    others = [
        text
        for text, one in zip(arguments, parse_sweeps(composer.loader, arguments), strict=True)
        if one.get_key_element() != GROUP
    ]
    return [([text, *others], {**(params or {}), **_params_of(composer, text)}) for text in texts]


def _params_of(composer: Composer, text: str) -> dict[str, Any]:
    name = composer.parse(text).value()
    if not isinstance(name, str) or name not in composer.options(GROUP):
        return {}
    content = composer.file(GROUP, name)
    whole = [key for key in SweepShape.model_fields if content.get(key) is not None]
    if whole:
        message = "is one for the command as a whole; run this experiment on its own"
        raise ConfigurationError(problems=[Problem(text, f"its {key} {message}") for key in whole])
    found = OmegaConf.select(content, "hydra.sweeper.params", throw_on_missing=False)
    return {str(key): value for key, value in (found or {}).items()}
