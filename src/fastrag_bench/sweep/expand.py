"""From a command line with sweeps to the override list of each job."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.shape import SweepShape, read_rows

Job = list[str]
Axes = dict[str, list[str]]


def expand(
    loader: ConfigLoader,
    arguments: Sequence[str],
    params: Mapping[str, object] | None = None,
    shape: SweepShape | None = None,
) -> list[Job]:
    """All combinations of the swept values, the last override varying fastest.

    Args:
        loader: knows the options of each group, for `glob(*)`.
        arguments: the overrides of the command line; of the same key the last one counts.
        params: sweeps from a configuration file (`hydra.sweeper.params`), which the command line replaces.
        shape: which settings change together, and a file of combinations.

    Raises:
        ConfigurationError: for sweeps that cannot be enumerated or have no values, pairs of unequal length, and a file
            that cannot be used.
    """
    shape = shape or SweepShape()
    words = [f"{key}={value}" for key, value in (params or {}).items()]
    axes: Axes = {}
    problems: list[Problem] = []
    for override in parse_sweeps(loader, [*words, *arguments]):
        values = values_of(override)
        if not values:
            problems.append(Problem(str(override.input_line), _no_values(override)))
        axes[override.get_key_element()] = values
    problems += _pair_problems(axes, shape.pairs)
    if problems:
        raise ConfigurationError(problems=problems)
    rows = _rows(Path(shape.combinations), axes) if shape.combinations is not None else [[]]
    points = itertools.product(*_bundles(axes, shape.pairs))
    jobs = [list(itertools.chain.from_iterable(point)) for point in points]
    return [[*row, *job] for row in rows for job in jobs]


def parse_sweeps(loader: ConfigLoader, words: Sequence[str]) -> list[Override]:
    """Overrides that may be sweeps."""
    return OverridesParser.create(config_loader=loader).parse_overrides(list(words))


def as_override(key: str, value: Any) -> str:
    """The override that sets a key to a value; text that Hydra would read as something else is quoted."""
    return f"{key}={_written(value)}"


def _bundles(axes: Axes, pairs: Sequence[Sequence[str]]) -> list[list[tuple[str, ...]]]:
    """Settings that change together as one axis each, at the place of their first; all others alone."""
    bundles: list[list[tuple[str, ...]]] = []
    for key, values in axes.items():
        pair = next((pair for pair in pairs if key in pair), None)
        if pair is None:
            bundles.append([(value,) for value in values])
        elif key == next(name for name in axes if name in pair):
            bundles.append(list(zip(*(axes[name] for name in axes if name in pair), strict=True)))
    return bundles


def _pair_problems(axes: Axes, pairs: Sequence[Sequence[str]]) -> list[Problem]:
    problems: list[Problem] = []
    names = [name for pair in pairs for name in pair]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            problems.append(Problem("pairs", f"{name} stands in it twice"))
        elif name not in axes:
            swept = ", ".join(key for key, values in axes.items() if len(values) > 1) or "nothing"
            problems.append(Problem("pairs", f"{name} is not swept in this command (swept: {swept})"))
    for pair in pairs:
        lengths = {name: len(axes[name]) for name in pair if name in axes}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            problems.append(Problem("pairs", f"settings that change together need equally many values: {counts}"))
    return problems


def _rows(path: Path, axes: Axes) -> list[Job]:
    text = path.suffix.lower() == ".csv"
    rows = read_rows(path)
    twice = dict.fromkeys(key for row in rows for key in row if key in axes)
    if twice:
        raise ConfigurationError(
            problems=[
                Problem(axes[key][0], f"{path} sets {key} too; leave it out in one of the two places") for key in twice
            ]
        )
    return [[_cell(key, value) if text else as_override(key, value) for key, value in row.items()] for row in rows]


def _cell(key: str, text: str) -> str:
    """A CSV cell as it would stand on a command line; what would be no value there is text."""
    if text.startswith(("'", '"')) or _reads_as_value(key, text):
        return f"{key}={text}"
    return as_override(key, text)


def _reads_as_value(key: str, text: str) -> bool:
    try:
        return not OverridesParser.create().parse_overrides([f"{key}={text}"])[0].is_sweep_override()
    except HydraException:
        return False


def _written(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_written(item)}" for key, item in value.items()) + "}"
    if not isinstance(value, str):
        return str(value)
    plain = value.replace("_", "a").replace("-", "a").replace(".", "a").replace("/", "a")
    if plain.isalnum() and plain.isascii() and _read(value) == value:
        return value
    # Hydra reads backslashes as such only where no quote follows; before one, and at the end, each is written twice.
    escaped = re.sub(r"(\\*)('|\Z)", lambda found: found[1] * 2 + ("\\'" if found[2] else ""), value)
    return f"'{escaped}'"


def _read(text: str) -> Any:
    try:
        return OverridesParser.create().parse_overrides([f"x={text}"])[0].value()
    except HydraException:
        return None


def values_of(override: Override) -> list[str]:
    """An override for each value of a sweep, or the one that it is; none where the values have no end."""
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
