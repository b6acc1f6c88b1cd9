"""The Hydra application: what a command line means, and with which code it ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf.errors import InterpolationResolutionError

from fastrag_bench.config import RunConfig
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.sweep.compose import Composer, first_line, hydra_message
from fastrag_bench.sweep.prepare import prepare
from fastrag_bench.sweep.refusal import EXIT_NOTHING, SHOW_TRACEBACK, Terminated, exit_code_of, refuse
from fastrag_bench.sweep.resolvers import register_resolvers
from fastrag_bench.sweep.task import run

CONFIG_NAME = "config"
VERSION: dict[str, Any] = {"version_base": None} if hydra.__version__.startswith("1.3") else {}

SETTINGS = {name for name, field in RunConfig.model_fields.items() if not field.is_required()} - {
    "metrics",
    "execution",
}
"""Plain values such as `k` and `sweep`, which every combination has."""


def run_application(words: Sequence[str], conf: Path) -> int:
    """Run Hydra over these command line words.

    Returns 0, 130 and 143 after an interruption, or 3 where a file cannot be written. Every other code arrives as
    SystemExit: 2 from here or from the sweeper for what is wrong before any work, all others from the single run or
    from the hook after a sweep.
    """
    signal.signal(signal.SIGTERM, _terminate)
    register_resolvers()
    os.environ["HYDRA_FULL_ERROR"] = "1"  # so that Hydra raises, and all messages and codes are ours
    try:
        _run_hydra(words, conf)
    except KeyboardInterrupt as stop:
        sys.stderr.write("Stopped. What is finished is kept; the same command continues.\n")
        return exit_code_of(stop)
    except HydraException as error:
        refuse(ConfigurationError(hydra_message(error)))
    except InterpolationResolutionError as error:
        refuse(ConfigurationError(first_line(error).removeprefix("ValueError raised while resolving interpolation: ")))
    except ConfigurationError as error:
        refuse(error)
    except OSError as error:
        if SHOW_TRACEBACK:
            raise
        sys.stderr.write(f"error: {error}\nWhat is finished is kept; the same command continues.\n")
        return EXIT_NOTHING
    return 0


def _run_hydra(words: Sequence[str], conf: Path) -> None:
    """Run Hydra; where it cannot compose, have all overrides looked at, not only the first wrong one."""
    try:
        _call_hydra(words, conf)
    except HydraException:
        if {"-m", "--multirun"}.isdisjoint(words):
            _diagnose(words, conf)
            raise
        _call_hydra([_as_sweep(word) for word in words], conf)


def _call_hydra(words: Sequence[str], conf: Path) -> None:
    """Run Hydra; `+experiment=x`, which it refuses because our defaults list has `experiment`, means `experiment=x`."""
    sys.argv[1:] = [re.sub(r"^\+(?=experiment=)", "", word) for word in words]
    hydra.main(config_path=str(conf), config_name=CONFIG_NAME, **VERSION)(run)()


def _as_sweep(word: str) -> str:
    """A value as a sweep over that one value.

    Hydra does not apply sweeps to the configuration it starts from, so the sweeper gets to see them all, and a value
    may suit only some of the swept parts. The settings of the command as a whole stay as they are.
    """
    key, separator, value = word.partition("=")
    if key.lstrip("+") in SETTINGS:
        return word
    swept = f"{key}=choice({value})"
    try:
        parsed = OverridesParser.create().parse_overrides([word, swept])
    except HydraException:
        return word
    return word if not separator or parsed[0].is_sweep_override() or parsed[0].is_hydra_override() else swept


def _diagnose(words: Sequence[str], conf: Path) -> None:
    """Raise ConfigurationError with all that is wrong in a single run; do nothing where it is for Hydra to say."""
    from hydra._internal.utils import get_args_parser

    arguments = get_args_parser().parse_args(list(words))
    try:
        overrides = OverridesParser.create().parse_overrides(arguments.overrides)
    except HydraException:
        return
    if any(override.is_sweep_override() for override in overrides):
        return
    own = [f"hydra.searchpath=[{Path(arguments.config_dir).resolve()}]"] if arguments.config_dir else []
    with hydra.initialize_config_dir(str(conf), job_name="fastrag_bench", **VERSION):
        loader = GlobalHydra.instance().config_loader()
        hydra_overrides = [str(one.input_line) for one in overrides if one.is_hydra_override()]
        try:
            master = loader.load_configuration(
                arguments.config_name or CONFIG_NAME, [*own, *hydra_overrides], RunMode.MULTIRUN
            )
        except HydraException:
            return
        task = [str(one.input_line) for one in overrides if not one.is_hydra_override()]
        prepare(Composer(loader, master), [task])


def _terminate(*_: object) -> None:
    raise Terminated
