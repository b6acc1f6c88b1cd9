"""The files that Hydra keeps of each job in `.hydra/`, with the same content, at a fraction of the cost."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

_PLACES = {"task": "@TASK@", "override_dirname": "@DIRNAME@", "id": "@ID@", "num": "@NUM@", "output_dir": "@DIR@"}


@dataclass(frozen=True)
class JobFiles:
    """What Hydra keeps of one job; the number and the folder are filled in when they are known."""

    config: str
    overrides: tuple[str, ...]
    override_dirname: str
    hydra: str

    @classmethod
    def of(cls, config: DictConfig) -> JobFiles:
        """The files of a composed job."""
        task = tuple(config.hydra.overrides.task)
        return cls(_config_text(config), task, config.hydra.job.override_dirname, _hydra_text(config))

    def write(self, folder: Path, *, index: int, output_dir: Path) -> None:
        """Write `config.yaml`, `overrides.yaml` and `hydra.yaml` into a folder, which is made where it is not there."""
        task = "".join(map(_list_item, self.overrides))
        values = {
            " @DIRNAME@": _scalar(self.override_dirname),
            " @ID@": f" '{index}'",
            " @NUM@": f" {index}",
            " @DIR@": _scalar(str(output_dir)),
            "\n    - '@TASK@'\n": "\n" + re.sub("(?m)^", "    ", task).rstrip(" ") if task else " []\n",
        }
        hydra = re.sub("|".join(map(re.escape, values)), lambda place: values[place.group()], self.hydra)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("config", self.config), ("overrides", task or "[]\n"), ("hydra", hydra)):
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def _config_text(config: DictConfig) -> str:
    sections = ((str(key), config._get_node(key)) for key in config if key != "hydra")
    return "".join(_section(json.dumps({key: _unresolved(node)}, default=str)) for key, node in sections) or "{}\n"


def _unresolved(node: Any) -> Any:
    if OmegaConf.is_config(node):
        return OmegaConf.to_container(node, resolve=False, enum_to_str=True)
    return node._value()


@lru_cache(maxsize=4096)
def _section(text: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create(json.loads(text)))


def _hydra_text(config: DictConfig) -> str:
    node: Any = OmegaConf.to_container(config.hydra, resolve=False, enum_to_str=True)
    node["overrides"]["task"] = [_PLACES["task"]]
    node["job"].update({name: _PLACES[name] for name in ("override_dirname", "id", "num")})
    node["runtime"]["output_dir"] = _PLACES["output_dir"]
    text = _hydra_yaml(json.dumps(node, default=str))
    return re.sub(r"'(@(?:DIRNAME|ID|NUM|DIR)@)'", r"\1", text)


@lru_cache(maxsize=512)
def _hydra_yaml(text: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create({"hydra": json.loads(text)}))


@lru_cache(maxsize=65536)
def _list_item(override: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create([override]))


def _scalar(value: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create({"x": value}))[2:].rstrip("\n")
