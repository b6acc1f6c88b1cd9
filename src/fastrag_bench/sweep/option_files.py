"""What the file of an option says, and whether it alone decides its node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.plugins.config_source import ConfigResult
from omegaconf import DictConfig, OmegaConf


class OptionFiles:
    """Reads configuration files through Hydra's own sources, each once."""

    def __init__(self, loader: ConfigLoader) -> None:
        self._loader = loader
        self._read: dict[str, ConfigResult | None] = {}
        self._alone: dict[tuple[int, str], bool] = {}

    def is_closed(self, group: str, option: str) -> bool:
        """Whether a file exists that has neither a defaults list nor a package of its own."""
        found = self._load(f"{group}/{option}")
        if found is None or not isinstance(found.config, DictConfig):
            return False
        return "defaults" not in found.config and not found.header.get("package")

    def content(self, group: str, option: str) -> DictConfig:
        """What the file of a closed option says, as a node of its own."""
        found = self._load(f"{group}/{option}")
        assert found is not None
        return OmegaConf.create(OmegaConf.to_container(found.config, resolve=False))  # type: ignore[return-value]

    def alone(self, config: DictConfig, place: str, key: str) -> bool:
        """Whether in a composed configuration nothing but the choice called `key` writes into the node at `place`.

        So it is when the primary configuration has nothing there and includes groups only, and every other choice is
        closed and has its place elsewhere.
        """
        known = (id(config), place)
        if known not in self._alone:
            others = [choice for choice in config.hydra.runtime.choices.items() if choice[0] != key]
            self._alone[known] = self._primary_leaves(place, str(config.hydra.job.config_name)) and all(
                self._leaves(place, str(other), option) for other, option in others
            )
        return self._alone[known]

    def _primary_leaves(self, place: str, name: str) -> bool:
        found = self._load(name)
        if found is None or not isinstance(found.config, DictConfig) or found.header.get("package"):
            return False
        plain: Any = OmegaConf.to_container(found.config, resolve=False)
        included = plain.get("defaults", [])
        if place.partition(".")[0] in plain or "${" in str(included):
            return False
        return all(self._entry_leaves(place, entry) for entry in included if entry != "_self_")

    def _entry_leaves(self, place: str, entry: Any) -> bool:
        """Of a choice of several options Hydra does not tell what was chosen, so it is judged by the defaults list."""
        if not isinstance(entry, dict) or len(entry) != 1:
            return False
        ((key, options),) = entry.items()
        return not isinstance(options, list) or self._leaves(place, str(key), options)

    def _leaves(self, place: str, key: str, option: Any) -> bool:
        group, _, package = key.partition("@")
        if option is None or group.startswith("hydra/"):
            return True
        elsewhere = not related(package or group.replace("/", "."), place) and not package.startswith("_")
        return elsewhere and all(self.is_closed(group, name) for name in _names(option))

    def _load(self, path: str) -> ConfigResult | None:
        """None where no file has it, or a schema of the same name takes part."""
        if path not in self._read:
            sources = [source for source in self._loader.get_sources() if source.is_config(path)]
            schema = any(source.scheme() == "structured" for source in sources)
            self._read[path] = None if schema or not sources else sources[0].load_config(path)
        return self._read[path]


def related(one: str, other: str) -> bool:
    """Whether one dotted path is the other, or leads to it."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _names(option: Any) -> Iterator[str]:
    """The names in a choice: one, or those of a list."""
    if isinstance(option, str):
        yield option
    else:
        yield from map(str, option)
