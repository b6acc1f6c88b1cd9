"""Configurations put together from parts equal those that Hydra composes, also where the parts are not independent."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import hydra
import pytest
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.resolvers import register_resolvers

SHIPPED = Path(__file__).resolve().parents[2] / "conf"
FILES = {
    "config.yaml": """\
defaults:
  - _self_
  - a: one
  - b: one
  - c@deep.c: one
  - d: one
  - sets: [x, y]
  - extra: null
k: 1
b: {shared: from the primary}
""",
    "a/one.yaml": "v: 1\nw: ${k}\n",
    "a/two.yaml": "v: 2\ninner: {x: 1, y: [1, 2]}\n",
    "a/three.yaml": "{}\n",
    "b/one.yaml": "v: 1\n",
    "b/two.yaml": "v: 2\nshared: from the option\n",
    "c/one.yaml": "v: 1\n",
    "c/two.yaml": "v: 2\nw: ${..other}\n",
    "d/one.yaml": "v: 1\n",
    "d/global.yaml": "# @package _global_\nk: 7\nd: {v: global}\n",
    "d/nested.yaml": "defaults:\n  - /c@inner: two\n  - _self_\nv: nested\n",
    "d/switch.yaml": "# @package _global_\ndefaults:\n  - override /a: two\nd: {v: switch}\n",
    "sets/x.yaml": "x: 1\n",
    "sets/y.yaml": "y: 1\n",
    "sets/z.yaml": "# @package a\nz: 1\n",
    "extra/tweak.yaml": "# @package _global_\na: {v: tweaked}\n",
}
AXES = (
    ("a=one", "a=two", "a=three"),
    ("b=one", "b=two"),
    ("c@deep.c=one", "c@deep.c=two"),
    ("d=one", "d=global", "d=nested", "d=switch"),
)


@pytest.fixture
def loader(tmp_path: Path) -> Iterator[ConfigLoader]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with hydra.initialize_config_dir(str(tmp_path), version_base=None, job_name="app"):
        yield GlobalHydra.instance().config_loader()


def master_of(loader: ConfigLoader) -> DictConfig:
    return loader.load_configuration("config", ["hydra.mode=MULTIRUN"], RunMode.MULTIRUN)


def equal(composer: Composer, loader: ConfigLoader, master: DictConfig, job: list[str]) -> None:
    expected = OmegaConf.to_yaml(loader.load_sweep_config(master, job))
    assert OmegaConf.to_yaml(composer.share(job)) == expected, job
    assert OmegaConf.to_yaml(composer.compose(job)) == expected, job


def test_every_set_of_options_equals_hydra_s_own(loader: ConfigLoader) -> None:
    master = master_of(loader)
    composer = Composer(loader, master)
    for number, job in enumerate(itertools.product(*AXES)):
        equal(composer, loader, master, [*job, f"k={number}"])
    assert composer.composed < 40  # of 48: only d=one is free of what others choose


@pytest.mark.parametrize(
    "also", ["sets=[x,z]", "extra=tweak", "+a.added=1", "++b.v=9", "~d", "k=3", "a.v=5", "d=switch", "d=nested"]
)
def test_what_reaches_into_other_parts_is_seen(loader: ConfigLoader, also: str) -> None:
    master = master_of(loader)
    composer = Composer(loader, master)
    for job in itertools.product(("a=one", "a=two"), ("b=one", "b=two"), ("c@deep.c=one", "c@deep.c=two")):
        equal(composer, loader, master, [*job, also])


def test_a_primary_configuration_that_writes_into_a_part_is_seen(loader: ConfigLoader, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(FILES["config.yaml"] + "a: {also: 1}\ndeep: {c: {also: 2}}\n")
    master = master_of(loader)
    composer = Composer(loader, master)
    for job in itertools.product(("a=one", "a=three"), ("c@deep.c=one", "c@deep.c=two")):
        equal(composer, loader, master, list(job))


def test_a_set_that_in_the_primary_configuration_writes_into_a_part_is_seen(
    loader: ConfigLoader, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_text(FILES["config.yaml"].replace("[x, y]", "[x, z]"))
    master = master_of(loader)
    composer = Composer(loader, master)
    for job in itertools.product(("a=one", "a=three"), ("b=one", "b=two")):
        equal(composer, loader, master, list(job))


def test_the_shipped_parts_need_one_compose_for_any_number_of_sets() -> None:
    register_resolvers()
    axes = (
        ("chunker=recursive", "chunker=semantic", "chunker=none"),
        ("embedder=static", "embedder=onnx"),
        ("index@index.lexical=bm25",),
        ("retriever=bm25", "retriever=dense", "retriever=hybrid"),
        ("reranker=none", "reranker=mmr"),
        ("execution=serial", "execution=threads"),
    )
    with hydra.initialize_config_dir(str(SHIPPED), version_base=None, job_name="fastrag_bench"):
        loader = GlobalHydra.instance().config_loader()
        master = master_of(loader)
        composer = Composer(loader, master)
        for number, job in enumerate(itertools.product(*axes)):
            if number % 6 == 1:
                equal(composer, loader, master, [*job, "k=3"])
            else:
                composer.share(job)
        assert composer.composed == 1
