"""What a command line can make us write, and where: never outside the sweep's folder, never a secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from fastrag_bench.component import resolve
from fastrag_bench.contracts import PARTS
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.sweep.folder import claim_folder

from .command import World, make_world

KEY = "hunter22hunter22"
PART = '''
from fastrag_bench.component import Component
from fastrag_bench.contracts import Answer


class Paid(Component):
    """A generator that needs a key."""
    api_key: str | None = None
    headers: dict[str, str | None] = {}
    fail: bool = False

    def generate(self, query, passages):
        if self.fail:
            raise RuntimeError(f"refused: api_key={self.api_key}")
        return Answer(self.api_key[:0] + "answer")
'''


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = make_world(tmp_path)
    (world.folder / "paid.py").write_text(PART)
    (world.folder / "own" / "generator" / "paid.yaml").write_text(
        "_target_: paid.Paid\napi_key: null\nheaders: {authorization: null}\nfail: false\n"
    )
    return world


def files_with(world: World, text: str) -> list[str]:
    """Every file that a command wrote in which the text stands, and every path that has it."""
    written = [path for path in (world.folder / "outputs").rglob("*") if path.is_file()]
    assert written
    return [str(path) for path in written if text.encode() in path.read_bytes() or text in str(path)]


SECRETS = (f"generator.api_key={KEY}", f"generator.headers.authorization={KEY}", "generator=paid")


@pytest.mark.parametrize(
    "how",
    [
        ("-m", "sweep=s", "k=1,2"),
        ("-m", "sweep=s", "k=1,2", "hydra/launcher=basic", "hydra/sweeper=basic"),
        ("k=1",),
        ("-m", "sweep=s", "k=1,2", "generator.fail=true"),
    ],
    ids=" ".join,
)
def test_a_secret_is_used_and_written_nowhere(world: World, how: tuple[str, ...]) -> None:
    done = world.run(*how, *SECRETS, "metrics.names=[recall]")
    assert done.code == (3 if "generator.fail=true" in how else 0), done.err
    assert files_with(world, KEY) == []
    assert KEY not in done.out + done.err
    assert files_with(world, "***")


def test_a_secret_is_not_in_an_error_before_any_work(world: World) -> None:
    refused = (
        (*SECRETS, "k=0"),
        (f"generator.api_key=[{KEY}]", "generator=paid"),
        (f"+nothing.token={KEY}",),
        (f"generator.headers={{authorization: {KEY}}}",),
    )
    for words in refused:
        done = world.run("-m", "sweep=s", *words)
        assert done.code == 2
        assert KEY not in done.out + done.err


@pytest.mark.parametrize("stock", [(), ("hydra/launcher=basic", "hydra/sweeper=basic")], ids=["ours", "stock"])
def test_a_sweep_cannot_be_named_out_of_its_folder(world: World, stock: tuple[str, ...]) -> None:
    done = world.run("-m", "sweep=../../evil", *stock)
    assert done.code == 2, done.out
    assert "a sweep's name" in done.err
    assert not (world.folder / "outputs" / "sweeps").exists()
    assert not (world.folder / "evil").exists()


def test_no_value_leads_a_run_out_of_its_folder(world: World) -> None:
    values = ["../../evil", "/etc/passwd", "a b", "A b", "é", "CON", "x" * 300]
    quoted = ",".join(f"'{value}'" for value in values)
    done = world.run("-m", "sweep=s", "generator=picky", f"generator.word={quoted}", "metrics.names=[recall]")
    assert done.code == 0, done.err
    inside = {path.name for path in world.sweep().iterdir() if path.is_dir()}
    assert inside == {run["folder"] for run in world.read("plan.json")["runs"]}
    assert len(inside) == len({name.casefold() for name in inside}) == len(values)
    assert {path.name for path in (world.folder / "outputs").iterdir()} == {"store", "sweeps"}


def test_unnamed_sweeps_and_runs_started_together_have_folders_of_their_own(world: World) -> None:
    words = ("metrics.names=[recall]", "generator=none", "retriever=bm25")
    stock = ("hydra/launcher=basic", "hydra/sweeper=basic")
    started = [
        world.start("-m", "k=1", *words),
        world.start("-m", "k=2", *words),
        world.start("-m", "k=3", *stock, *words),
        world.start("k=1", *words),
        world.start("k=2", *words),
    ]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    sweeps = list((world.folder / "outputs" / "sweeps").glob("*/*"))
    assert [len(list(sweep.glob("*/result.json"))) for sweep in sweeps] == [1, 1, 1]
    assert len(list((world.folder / "outputs" / "runs").glob("*/*/result.json"))) == 2


@pytest.mark.parametrize("mode", ["sweep", "run"])
def test_of_many_that_want_one_folder_each_gets_its_own(tmp_path: Path, mode: str) -> None:
    node = {"overrides": {"hydra": []}, mode: {"dir": str(tmp_path / "now")}}
    configs = [OmegaConf.create({"sweep": None, "hydra": node}) for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda config: claim_folder(config, mode), configs))
    assert {config.hydra[mode].dir for config in configs} == {
        str(tmp_path / name) for name in ("now", *(f"now-{number}" for number in range(2, 17)))
    }


def test_a_folder_that_was_named_is_shared(tmp_path: Path) -> None:
    named = {"sweep": "mine", "hydra": {"overrides": {"hydra": []}, "sweep": {"dir": str(tmp_path)}}}
    given = {"sweep": None, "hydra": {"overrides": {"hydra": ["hydra.sweep.dir=x"]}, "sweep": {"dir": str(tmp_path)}}}
    for values in (named, given):
        config = OmegaConf.create(values)
        claim_folder(config, "sweep")
        assert config.hydra.sweep.dir == str(tmp_path)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("os.system", "is not a Component"),
        ("builtins.eval", "is not a Component"),
        ("subprocess.Popen", "is not a Component"),
        ("fastrag_bench.files.write_atomic", "is not a Component"),
        ("fastrag_bench.component.Component", "Chunker"),
        ("no.such.module", "cannot import"),
        ("eval", "cannot import"),
        ("fastrag_bench.retrievers.bm25.Bm25Retriever", "Chunker"),
    ],
)
def test_a_target_names_a_component_and_nothing_else(target: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        resolve({"_target_": target}, contract=PARTS["chunker"], path="chunker")
