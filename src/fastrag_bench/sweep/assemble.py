"""A configuration for any set of group choices, put together from what Hydra composed for a few of them.

Hydra composes one set whole, the anchor. An option whose file is closed (no defaults list, no `@package` of its own)
decides one node of the configuration and nothing else, so any set of such options is the anchor with their nodes. Where
nothing else in the configuration writes into that node, the option's file is the node; elsewhere Hydra composes the
anchor with that one other option, and what it composed is checked to differ in that node alone. All other choices
(experiments, lists, additions and deletions) are composed by Hydra once for each distinct set.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.sweep.option_files import OptionFiles, related

Choices = tuple[str, ...]


@dataclass(frozen=True)
class _Option:
    """What choosing an option does: the node it makes, and how Hydra's node names the choice."""

    node: Any
    chosen: tuple[str, Any]


@dataclass
class _Anchor:
    """A set of choices that Hydra composed, whose nodes are exchanged for those of the set wanted."""

    config: DictConfig
    rest: Choices
    """Those of the choices that cannot be exchanged."""
    choices: Choices
    places: dict[str, str]
    """The text of each choice that can be exchanged, by the place of its node."""
    options: dict[str, _Option | None] = field(default_factory=dict)
    """By the text of a choice; None for one that reaches beyond its node."""
    chosen: dict[str, str] = field(default_factory=dict)
    """The choices exchanged last, by place."""

    def put(self, place: str, text: str, option: _Option) -> None:
        """Choose an option."""
        if self.chosen.get(place, self.places[place]) == text:
            return
        parent, _, name = place.rpartition(".")
        set_node(_inner(self.config, parent), name, option.node)
        key, value = option.chosen
        self.config.hydra.runtime.choices[key] = value
        self.chosen[place] = text

    def with_option(self, place: str, text: str) -> Choices:
        """The anchor's choices with one other."""
        return tuple(text if choice == self.places[place] else choice for choice in self.choices)

    @cached_property
    def plain(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """As it was composed."""
        return _plain(self.config)


class Assembler:
    """Gives the configuration of any set of choices.

    Args:
        loader: knows the configuration files.
        parse: an override from its text.
        compose: Hydra's own compose; raises ConfigurationError.
    """

    def __init__(
        self, loader: ConfigLoader, *, parse: Callable[[str], Override], compose: Callable[[Choices], DictConfig]
    ) -> None:
        self.files = OptionFiles(loader)
        self._parse = parse
        self._compose = compose
        self._anchors: dict[tuple[Choices, Choices], _Anchor] = {}
        self._whole: dict[Choices, DictConfig | ConfigurationError] = {}
        self._laid_out: dict[Choices, tuple[Choices, dict[str, str]]] = {}
        self.composed = 0
        """How often Hydra has composed."""

    def config(self, choices: Choices) -> DictConfig:
        """What Hydra composes for these choices, but for what it says of the job's overrides.

        The object is good until the next call and not to be changed.
        """
        known = self._whole.get(choices)
        if known is None:
            anchored = self._from_anchor(choices)
            if anchored is not None:
                return anchored
            known = self._whole[choices] = self._by_hydra(choices)
        if isinstance(known, ConfigurationError):
            raise known
        return known

    def places(self, choices: Choices) -> dict[str, str]:
        """The text of each choice that decides one node, by that node's dotted path."""
        return self._lay_out(choices)[1]

    def rest(self, choices: Choices) -> Choices:
        """The choices that may reach anywhere."""
        return self._lay_out(choices)[0]

    def _from_anchor(self, choices: Choices) -> DictConfig | None:
        rest, places = self._lay_out(choices)
        if not places:
            return None
        anchor = self._anchors.get((rest, tuple(places)))
        if anchor is None:
            return self._new_anchor(choices, rest, places)
        options = {text: self._option(anchor, place, text) for place, text in places.items()}
        if any(option is None for option in options.values()):
            return None
        for place, text in places.items():
            option = options[text]
            assert option is not None
            anchor.put(place, text, option)
        return anchor.config

    def _new_anchor(self, choices: Choices, rest: Choices, places: dict[str, str]) -> DictConfig | None:
        config = self._by_hydra(choices)
        if isinstance(config, ConfigurationError):
            self._whole[choices] = config
            return None
        named = config.hydra.runtime.choices
        options: dict[str, _Option | None] = {}
        for place, text in places.items():
            override = self._parse(text)
            node, key = _inner(config, place), override.get_key_element()
            if node is None or named.get(key) != override.value():
                self._whole[choices] = config
                return None
            options[text] = _Option(node, (key, named[key]))
        self._anchors[rest, tuple(places)] = _Anchor(config, rest, choices, dict(places), options)
        return config

    def _option(self, anchor: _Anchor, place: str, text: str) -> _Option | None:
        if text not in anchor.options:
            anchor.options[text] = self._read_option(anchor, place, text) or self._compose_option(anchor, place, text)
        return anchor.options[text]

    def _read_option(self, anchor: _Anchor, place: str, text: str) -> _Option | None:
        """The option's file as the node; None where something else may write into the node too."""
        override = self._parse(text)
        key, option = override.get_key_element(), str(override.value())
        if anchor.rest or not self.files.alone(anchor.config, place, key):
            return None
        return _Option(self.files.content(override.key_or_group, option), (key, option))

    def _compose_option(self, anchor: _Anchor, place: str, text: str) -> _Option | None:
        """Hydra's compose of the anchor's choices with one other option; None unless only its node differs."""
        config = self._by_hydra(anchor.with_option(place, text))
        if isinstance(config, ConfigurationError):
            return None
        key = self._parse(text).get_key_element()
        node, chosen = _inner(config, place), config.hydra.runtime.choices.get(key)
        (values, hydra), (first_values, first_hydra) = _plain(config), anchor.plain
        same = _without(values, place) == _without(first_values, place) and list(values) == list(first_values)
        if node is None or not same or _without_choice(hydra, key) != _without_choice(first_hydra, key):
            return None
        return _Option(node, (key, chosen))

    def _by_hydra(self, choices: Choices) -> DictConfig | ConfigurationError:
        self.composed += 1
        try:
            return self._compose(choices)
        except ConfigurationError as error:
            return error

    def _lay_out(self, choices: Choices) -> tuple[Choices, dict[str, str]]:
        if choices not in self._laid_out:
            self._laid_out[choices] = self._separate(choices)
        return self._laid_out[choices]

    def _separate(self, choices: Choices) -> tuple[Choices, dict[str, str]]:
        """What may reach anywhere, and the choices that decide one node each, by its place."""
        places: dict[str, str] = {}
        rest: list[str] = []
        for text in choices:
            place = self._place(self._parse(text))
            if place is None:
                rest.append(text)
            elif any(related(place, other) for other in places):
                return choices, {}
            else:
                places[place] = text
        return tuple(rest), places

    def _place(self, override: Override) -> str | None:
        """The node that a choice decides; None where it may reach further."""
        option, package = override.value(), override.package
        if override.is_delete() or override.is_add() or override.is_force_add() or override.is_hydra_override():
            return None
        if not isinstance(option, str) or not self.files.is_closed(override.key_or_group, option):
            return None
        place = package if package is not None else override.key_or_group.replace("/", ".")
        return place if re.fullmatch(r"(?!_)[\w-]+(\.(?!_)[\w-]+)*", place) else None


def set_node(parent: DictConfig, name: str, node: Any) -> Any:
    """Put a node in place of another without copying it; returns the other."""
    content = parent.__dict__["_content"]
    before = content[name]
    content[name] = node
    node._set_parent(parent)
    return before


def _inner(config: DictConfig, path: str) -> Any:
    node: Any = config
    for name in path.split(".") if path else ():
        if not isinstance(node, DictConfig) or node._is_none() or node._is_interpolation() or node._is_missing():
            return None
        node = node._get_node(name)
    return node if isinstance(node, DictConfig) else None


def _plain(config: DictConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration without Hydra's node, and Hydra's node without what is set for each job."""
    values: Any = OmegaConf.to_container(config, resolve=False)
    hydra = values.pop("hydra")
    hydra["overrides"]["task"] = None
    hydra["job"].update(dict.fromkeys(("override_dirname", "id", "num")))
    return values, hydra


def _without(values: dict[str, Any], path: str) -> dict[str, Any]:
    head, _, rest = path.partition(".")
    return {key: (_without(value, rest) if rest else None) if key == head else value for key, value in values.items()}


def _without_choice(hydra: dict[str, Any], key: str) -> dict[str, Any]:
    runtime = hydra["runtime"]
    return {**hydra, "runtime": {**runtime, "choices": {**runtime["choices"], key: None}}}
