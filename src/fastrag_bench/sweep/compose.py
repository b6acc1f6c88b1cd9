"""The configuration of each job: equal to what Hydra composes, at a fraction of its cost.

Hydra's own compose runs once for each distinct set of group choices; overrides of plain values are applied on a copy.
With FASTRAG_BENCH_FULL_COMPOSE=1 in the environment every job is composed by Hydra.
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from fastrag_bench.errors import ConfigurationError, Problem

FULL_COMPOSE = "FASTRAG_BENCH_FULL_COMPOSE"


class Composer:
    """Composes the jobs of one command line; `master` is the configuration that Hydra composed for the command line."""

    def __init__(self, loader: ConfigLoader, master: DictConfig) -> None:
        self._loader = loader
        self._master = master
        self._parser = OverridesParser.create(config_loader=loader)
        self._parsed: dict[str, Override] = {}
        self._options: dict[str, list[str]] = {}
        self._bases: dict[tuple[str, ...], DictConfig | ConfigurationError] = {}
        self._absent: dict[tuple[int, str], bool] = {}

    def parse(self, text: str) -> Override:
        """One override, parsed once; raises Hydra's own exception where it is no override."""
        if text not in self._parsed:
            self._parsed[text] = self._parser.parse_overrides([text])[0]
        return self._parsed[text]

    def options(self, group: str) -> list[str]:
        """The configs of a group; empty when there is no such group."""
        if group not in self._options:
            self._options[group] = self._loader.get_group_options(
                group,
                results_filter=ObjectType.CONFIG,
                config_name=self._master.hydra.job.config_name,
                overrides=list(self._master.hydra.overrides.hydra),
            )
        return self._options[group]

    def groups(self) -> list[str]:
        """The names of the app's groups."""
        return [name for name in self._loader.list_groups("") if name != "hydra"]

    def is_value(self, override: Override) -> bool:
        """Whether an override sets a plain value and nothing else, so that Hydra need not compose anew for it."""
        plain = override.package is None and not (override.is_add() or override.is_force_add() or override.is_delete())
        key = override.key_or_group
        return plain and "/" not in key and not override.is_hydra_override() and not self.options(key)

    def base(self, overrides: Sequence[str]) -> DictConfig:
        """What Hydra composes for all but the values; shared between jobs, not to be changed."""
        choices, _ = self._split(overrides)
        if choices not in self._bases:
            self._bases[choices] = self._compose_base(choices)
        base = self._bases[choices]
        if isinstance(base, ConfigurationError):
            raise base
        return base

    def absent(self, overrides: Sequence[str]) -> list[str]:
        """Those of a job's overrides that set a value which its configuration does not have."""
        base = self.base(overrides)
        return [text for text in self._split(overrides)[1] if self._is_absent(base, text)]

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """The whole configuration of a job, equal to Hydra's own; raises ConfigurationError."""
        if os.environ.get(FULL_COMPOSE) == "1":
            return self._by_hydra(overrides)
        return self.apply(copy.deepcopy(self.base(overrides)), overrides)

    def share(self, overrides: Sequence[str]) -> DictConfig:
        """As `compose`, but Hydra's node is one object in all that have the same choices; good until the next call."""
        if os.environ.get(FULL_COMPOSE) == "1":
            return self._by_hydra(overrides)
        base = self.base(overrides)
        config = copy.deepcopy(base, {id(base.hydra): base.hydra})
        config.hydra._set_parent(config)
        return self.apply(config, overrides)

    def apply(self, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
        """Set a job's values in a copy of its base, and what Hydra's node says about the job's overrides."""
        problems: list[Problem] = []
        for text in self._split(overrides)[1]:
            override = self.parse(text)
            try:
                OmegaConf.update(config, override.key_or_group, override.value(), merge=True)
            except OmegaConfBaseException as error:
                problems.append(Problem(text, first_line(error)))
        if problems:
            raise ConfigurationError(problems=problems)
        task = [text for text in overrides if not self.parse(text).is_hydra_override()]
        config.hydra.overrides.task = task
        config.hydra.job.override_dirname = self._override_dirname(config, task)
        return config

    def _split(self, overrides: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
        """What Hydra has to see, and the plain values to set afterwards.

        A value that a later `+`, `++` or `~` of a related key could touch keeps its place before it.
        """
        choices: list[str] = []
        values: list[str] = []
        later: list[str] = []
        for text in reversed(overrides):
            override = self.parse(text)
            key = override.key_or_group
            if self.is_value(override) and not any(_related(key, other) for other in later):
                values.append(text)
            else:
                choices.append(text)
                if not self.options(key):
                    later.append(key)
        return tuple(reversed(choices)), values[::-1]

    def _compose_base(self, choices: tuple[str, ...]) -> DictConfig | ConfigurationError:
        try:
            return self._by_hydra(choices)
        except ConfigurationError as error:
            return error

    def _by_hydra(self, overrides: Sequence[str]) -> DictConfig:
        try:
            return self._loader.load_sweep_config(self._master, list(overrides))
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            raise ConfigurationError(problems=[Problem("", hydra_message(error))]) from error

    def _is_absent(self, base: DictConfig, text: str) -> bool:
        override = self.parse(text)
        known = (id(base), override.key_or_group)
        if known not in self._absent:
            try:
                OmegaConf.update(copy.deepcopy(base), override.key_or_group, override.value(), merge=True)
                self._absent[known] = False
            except (ConfigAttributeError, ConfigKeyError):
                self._absent[known] = True
            except OmegaConfBaseException:
                self._absent[known] = False
        return self._absent[known]

    def _override_dirname(self, config: DictConfig, task: Iterable[str]) -> str:
        how = config.hydra.job.config.override_dirname
        kept = sorted(text for text in task if self.parse(text).key_or_group not in how.exclude_keys)
        return re.sub("=", lambda _: how.kv_sep, how.item_sep.join(kept))


def number(config: DictConfig, index: int) -> None:
    """Give a job its number."""
    with open_dict(config):
        config.hydra.job.id = str(index)
        config.hydra.job.num = index


def known_keys(config: DictConfig, key: str) -> tuple[str, list[str]]:
    """The part of a dotted key that exists, and the names that may follow it."""
    node: Any = config
    found: list[str] = []
    for name in key.split("."):
        if not isinstance(node, DictConfig) or name not in node:
            break
        inner = OmegaConf.select(node, name, throw_on_resolution_failure=False)
        if not isinstance(inner, (DictConfig, ListConfig)):
            break
        found.append(name)
        node = inner
    names = [str(name) for name in node if name != "_target_"] if isinstance(node, DictConfig) else []
    return ".".join(found), [name for name in names if found or name != "hydra"]


def hydra_message(error: BaseException) -> str:
    """What Hydra would print: the message and that of its cause, if OmegaConf's."""
    causes = [error, error.__cause__] if isinstance(error.__cause__, OmegaConfBaseException) else [error]
    return "\n".join(str(cause).strip() for cause in causes if str(cause).strip())


def first_line(error: BaseException) -> str:
    """The first line of a message: OmegaConf adds where it was raised, which is of no use here."""
    return str(error).strip().partition("\n")[0]


def _related(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
