"""The files that Hydra keeps of each job in `.hydra/`, with the same content, at a fraction of the cost."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf

from fastrag_bench.component import once_per_object
from fastrag_bench.error_text import is_secret
from fastrag_bench.sweep.plain import unresolved
from fastrag_bench.sweep.secret_values import MASK, hide, hide_override

_PLACES = {
    "task": "@TASK@",
    "override_dirname": "@DIRNAME@",
    "id": "@ID@",
    "num": "@NUM@",
    "output_dir": "@DIR@",
    "choices": "@CHOICES@",
}


@dataclass(frozen=True)
class JobFiles:
    """What Hydra keeps of one job; the number and the folder are filled in when they are known."""

    config: str
    overrides: tuple[str, ...]
    override_dirname: str
    choices: tuple[tuple[str, Any], ...]
    hydra: str

    @classmethod
    def of(cls, config: DictConfig) -> JobFiles:
        """The files of a composed job."""
        task = tuple(map(hide_override, config.hydra.overrides.task))
        choices: Any = OmegaConf.to_container(config.hydra.runtime.choices)
        dirname = config.hydra.job.override_dirname
        if task != tuple(config.hydra.overrides.task):
            dirname = MASK
        return cls(_config_text(config), task, dirname, tuple(choices.items()), _hydra_text(config.hydra))

    def write(self, folder: Path, *, index: int, output_dir: Path) -> None:
        """Write `config.yaml`, `overrides.yaml` and `hydra.yaml` into a folder, which is made where it is not there."""
        task = "".join(map(_list_item, self.overrides))
        values = {
            " @DIRNAME@": _scalar(self.override_dirname),
            " @ID@": f" '{index}'",
            " @NUM@": f" {index}",
            " @DIR@": _scalar(str(output_dir)),
            "\n    - '@TASK@'\n": "\n" + _indented(task, 4) if task else " []\n",
            " @CHOICES@\n": "\n" + _indented("".join(_item(*choice) for choice in self.choices), 6),
        }
        hydra = re.sub("|".join(map(re.escape, values)), lambda place: values[place.group()], self.hydra)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("config", self.config), ("overrides", task or "[]\n"), ("hydra", hydra)):
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def _config_text(config: DictConfig) -> str:
    nodes = ((str(key), config._get_node(key)) for key in config if key != "hydra")
    return "".join(_item(key, node) for key, node in nodes) or "{}\n"


def _item(key: str, node: Any) -> str:
    if isinstance(node, (DictConfig, ListConfig)) and not is_secret(key):
        return _yaml(json.dumps({key: _without_secrets(node)}, default=str))
    return _yaml(json.dumps({key: hide(unresolved(node), key)}, default=str))


_without_secrets = once_per_object(lambda node: hide(unresolved(node)))


@lru_cache(maxsize=4096)
def _yaml(text: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create(json.loads(text)))


def _indented(text: str, spaces: int) -> str:
    return re.sub("(?m)^(?=.)", " " * spaces, text)


def _hydra_skeleton(hydra: DictConfig) -> str:
    node: Any = OmegaConf.to_container(hydra, resolve=False, enum_to_str=True)
    node["overrides"]["task"] = [_PLACES["task"]]
    node["job"].update({name: _PLACES[name] for name in ("override_dirname", "id", "num")})
    node["runtime"].update({name: _PLACES[name] for name in ("output_dir", "choices")})
    text = _hydra_yaml(json.dumps(node, default=str))
    return re.sub(r"'(@(?:DIRNAME|ID|NUM|DIR|CHOICES)@)'", r"\1", text)


_hydra_text = once_per_object(_hydra_skeleton, maxsize=64)
"""Of one node only once: between the jobs that share it, only what has a place of its own differs."""


@lru_cache(maxsize=512)
def _hydra_yaml(text: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create({"hydra": json.loads(text)}))


@lru_cache(maxsize=65536)
def _list_item(override: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create([override]))


def _scalar(value: str) -> str:
    return OmegaConf.to_yaml(OmegaConf.create({"x": value}))[2:].rstrip("\n")
