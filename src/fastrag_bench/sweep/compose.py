"""The configuration of each job: equal to what Hydra composes, at a fraction of its cost.

Group choices are put together from a few of Hydra's own composes (`assemble`); overrides of plain values are applied
on copies of the nodes they change, all other nodes are shared between jobs. With FASTRAG_BENCH_FULL_COMPOSE=1 in the
environment every job is composed by Hydra.
"""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.sweep.assemble import Assembler, Choices, set_node
from fastrag_bench.sweep.option_files import related

FULL_COMPOSE = "FASTRAG_BENCH_FULL_COMPOSE"


@lru_cache(maxsize=65536)
def parse_override(text: str) -> Override:
    """One override without sweeps, parsed once; raises Hydra's own exception where it is no override."""
    return OverridesParser.create().parse_overrides([text])[0]


class Composer:
    """Composes the jobs of one command line; `master` is the configuration that Hydra composed for the command line."""

    def __init__(self, loader: ConfigLoader, master: DictConfig) -> None:
        self.loader = loader
        self._master = master
        self._options: dict[str, list[str]] = {}
        self._assembler = Assembler(loader, parse=self.parse, compose=self._by_hydra)
        self._absent: dict[tuple[object, ...], bool] = {}
        self._splits: dict[tuple[str, ...], tuple[Choices, list[str]]] = {}
        self._replaced: list[tuple[DictConfig, str, Any]] = []

    @property
    def composed(self) -> int:
        """How often Hydra has composed."""
        return self._assembler.composed

    def parse(self, text: str) -> Override:
        """One override, parsed once; raises Hydra's own exception where it is no override."""
        return parse_override(text)

    def options(self, group: str) -> list[str]:
        """The configs of a group; empty when there is no such group."""
        if group not in self._options:
            self._options[group] = self.loader.get_group_options(
                group,
                results_filter=ObjectType.CONFIG,
                config_name=self._master.hydra.job.config_name,
                overrides=list(self._master.hydra.overrides.hydra),
            )
        return self._options[group]

    def groups(self) -> list[str]:
        """The names of the app's groups."""
        return [name for name in self.loader.list_groups("") if name != "hydra"]

    def file(self, group: str, option: str) -> DictConfig:
        """What the file of an option says."""
        return self._assembler.files.content(group, option)

    def is_value(self, override: Override) -> bool:
        """Whether an override sets a plain value and nothing else, so that Hydra need not compose anew for it."""
        plain = override.package is None and not (override.is_add() or override.is_force_add() or override.is_delete())
        key = override.key_or_group
        return plain and "/" not in key and not override.is_hydra_override() and not self.options(key)

    def choices(self, overrides: Sequence[str]) -> Choices:
        """What Hydra has to see of a job: all but the values that are set afterwards."""
        return self._split(overrides)[0]

    def base(self, overrides: Sequence[str]) -> DictConfig:
        """What Hydra composes for all but the values; good until the next call and not to be changed."""
        self._restore()
        return self._assembler.config(self.choices(overrides))

    def absent(self, overrides: Sequence[str]) -> list[str]:
        """Those of a job's overrides that set a value which its configuration does not have."""
        return [text for text in self._split(overrides)[1] if self._is_absent(overrides, text)]

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """The whole configuration of a job, equal to Hydra's own; raises ConfigurationError."""
        if os.environ.get(FULL_COMPOSE) == "1":
            return self._by_hydra(overrides)
        return self.apply(copy.deepcopy(self.base(overrides)), overrides)

    def share(self, overrides: Sequence[str]) -> DictConfig:
        """As `compose`, but what the job's values leave alone is shared with others; good until the next call."""
        if os.environ.get(FULL_COMPOSE) == "1":
            return self._by_hydra(overrides)
        config = self.base(overrides)
        for name in {self.parse(text).key_or_group.partition(".")[0] for text in self._split(overrides)[1]}:
            if name in config:
                node = set_node(config, name, copy.deepcopy(config._get_node(name)))
                self._replaced.append((config, name, node))
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

    def _split(self, overrides: Sequence[str]) -> tuple[Choices, list[str]]:
        """What Hydra has to see, and the plain values to set afterwards.

        A value that a later `+`, `++` or `~` of a related key could touch keeps its place before it.
        """
        job = tuple(overrides)
        if job not in self._splits:
            self._splits[job] = self._separate(job)
        return self._splits[job]

    def _separate(self, overrides: Choices) -> tuple[Choices, list[str]]:
        choices: list[str] = []
        values: list[str] = []
        later: list[str] = []
        for text in reversed(overrides):
            override = self.parse(text)
            key = override.key_or_group
            if self.is_value(override) and not any(related(key, other) for other in later):
                values.append(text)
            else:
                choices.append(text)
                if not self.options(key):
                    later.append(key)
        return tuple(reversed(choices)), values[::-1]

    def _by_hydra(self, overrides: Sequence[str]) -> DictConfig:
        try:
            return self.loader.load_sweep_config(self._master, list(overrides))
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            raise ConfigurationError(problems=[Problem("", hydra_message(error))]) from error

    def _restore(self) -> None:
        """Put back the nodes that the last job's values had replaced."""
        while self._replaced:
            set_node(*self._replaced.pop())

    def _is_absent(self, overrides: Sequence[str], text: str) -> bool:
        override, choices = self.parse(text), self.choices(overrides)
        key = override.key_or_group
        places = self._assembler.places(choices)
        deciding = [place for place in places if related(place, key)]
        known = (key, self._assembler.rest(choices), tuple(places), *(places[place] for place in deciding))
        if known not in self._absent:
            self._absent[known] = _lacks(self.base(overrides), key, override.value())
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


def _lacks(config: DictConfig, key: str, value: Any) -> bool:
    probe = copy.deepcopy(config, {id(config.hydra): config.hydra})
    try:
        OmegaConf.update(probe, key, value, merge=True)
    except (ConfigAttributeError, ConfigKeyError):
        return True
    except OmegaConfBaseException:
        return False
    finally:
        config.hydra._set_parent(config)
    return False
