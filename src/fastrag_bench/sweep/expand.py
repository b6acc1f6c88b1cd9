"""From a command line with sweeps to the override list of each job."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override

from fastrag_bench.errors import ConfigurationError, Problem


def expand(
    loader: ConfigLoader, arguments: Sequence[str], params: Mapping[str, object] | None = None
) -> list[list[str]]:
    """All combinations of the swept values, the last override varying fastest.

    Args:
        loader: knows the options of each group, for `glob(*)`.
        arguments: the overrides of the command line; of the same key the last one counts.
        params: sweeps from a configuration file (`hydra.sweeper.params`), which the command line replaces.

    Raises:
        ConfigurationError: for sweeps that cannot be enumerated or have no values.
    """
    words = [f"{key}={value}" for key, value in (params or {}).items()]
    parsed = OverridesParser.create(config_loader=loader).parse_overrides([*words, *arguments])
    axes: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for override in parsed:
        values = _values(override)
        if not values:
            problems.append(Problem(str(override.input_line), _no_values(override)))
        axes[override.get_key_element()] = values
    if problems:
        raise ConfigurationError(problems=problems)
    return [list(job) for job in itertools.product(*axes.values())]


def _values(override: Override) -> list[str]:
    key = override.get_key_element()
    if not override.is_sweep_override():
        return [f"{key}={override.get_value_element_as_str()}"]
    if not override.is_discrete_sweep():
        return []
    return [f"{key}={value}" for value in override.sweep_string_iterator()]


def _no_values(override: Override) -> str:
    if override.is_discrete_sweep():
        return "matches nothing, so there is nothing to run"
    return "an interval has no end of values; use range(start,stop,step) or choice(a,b)"
