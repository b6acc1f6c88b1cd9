"""Sweeps that are not all combinations: pairs, files of combinations, exclusions, samples, repeats, experiments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hydra
import pytest
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import DictConfig

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.sweep.compose import Composer
from fastrag_bench.sweep.expand import expand
from fastrag_bench.sweep.experiments import expand_experiments
from fastrag_bench.sweep.naming import repeat_names
from fastrag_bench.sweep.prepare import PreparedSweep, prepare
from fastrag_bench.sweep.resolvers import register_resolvers
from fastrag_bench.sweep.selection import Selection, draw
from fastrag_bench.sweep.shape import SweepShape, shape_of

from .command import World, make_world

CONF = Path(__file__).resolve().parents[2] / "conf"


@pytest.fixture(scope="module")
def loader() -> Iterator[ConfigLoader]:
    register_resolvers()
    with hydra.initialize_config_dir(str(CONF), version_base=None, job_name="fastrag_bench"):
        yield GlobalHydra.instance().config_loader()


@pytest.fixture(scope="module")
def composer(loader: ConfigLoader) -> Composer:
    master: DictConfig = loader.load_configuration("config", ["hydra.mode=MULTIRUN"], RunMode.MULTIRUN)
    return Composer(loader, master)


def swept(composer: Composer, *arguments: str, seed: int = 0, **shape: object) -> PreparedSweep:
    checked = shape_of(shape)
    jobs = expand(composer.loader, arguments, None, checked)
    return prepare(composer, jobs, selection=Selection(composer, checked, seed))


def names(sweep: PreparedSweep) -> list[str]:
    return [run.combination.name for run in sweep.runs]


def refusal(composer: Composer, *arguments: str, **shape: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        swept(composer, *arguments, **shape)
    return str(caught.value)


SIZES = ("chunker.size=400,800", "chunker.overlap=50,100")


def test_settings_named_as_a_pair_change_together(composer: Composer) -> None:
    assert names(swept(composer, *SIZES, "k=3,5", pairs=["chunker.size", "chunker.overlap"])) == [
        "chunker.overlap=50,chunker.size=400,k=3",
        "chunker.overlap=50,chunker.size=400,k=5",
        "chunker.overlap=100,chunker.size=800,k=3",
        "chunker.overlap=100,chunker.size=800,k=5",
    ]


def test_several_pairs(composer: Composer) -> None:
    pairs = [["chunker.size", "chunker.overlap"], ["retriever", "k"]]
    assert len(names(swept(composer, *SIZES, "retriever=bm25,dense", "k=3,5", pairs=pairs))) == 4


@pytest.mark.parametrize(
    ("arguments", "pairs", "message"),
    [
        (SIZES, ["chunker.size", "k"], "pairs: k is not swept in this command (swept: chunker.size, chunker.overlap)"),
        (("chunker.size=1,2", "k=1,2,3"), ["chunker.size", "k"], "chunker.size has 2, k has 3"),
        (SIZES, [["chunker.size", "chunker.overlap"], ["chunker.size", "k"]], "chunker.size stands in it twice"),
        (SIZES, ["chunker.size"], "name two or more settings"),
        (SIZES, 5, "pairs: has to be a list"),
    ],
)
def test_wrong_pairs(composer: Composer, arguments: tuple[str, ...], pairs: object, message: str) -> None:
    assert message in refusal(composer, *arguments, pairs=pairs)


FILES = {
    "a.yaml": "- {chunker: semantic, k: 3}\n- chunker: recursive\n  chunker.size: 400\n",
    "a.csv": "chunker,chunker.size,k\nsemantic,,3\nrecursive,400,\n",
    "a.json": '[{"chunker": "semantic", "k": 3}, {"chunker": "recursive", "chunker.size": 400}]',
}


@pytest.mark.parametrize("name", FILES)
def test_combinations_from_a_file_are_crossed_with_what_is_swept(composer: Composer, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FILES[name])
    sweep = swept(composer, "retriever=bm25,dense", combinations=str(tmp_path / name))
    assert names(sweep) == [
        "chunker=semantic,k=3,retriever=bm25",
        "chunker=semantic,k=3,retriever=dense",
        "chunker.size=400,chunker=recursive,retriever=bm25",
        "chunker.size=400,chunker=recursive,retriever=dense",
    ]


def test_text_of_a_file_is_text(composer: Composer, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("- chunker.separators: ['a, b', \"it's\"]\n")
    (run,) = swept(composer, combinations=str(path)).runs
    assert run.combination.config.chunker.separators == ("a, b", "it's")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("no.yaml", None, "cannot be read"),
        ("a.yaml", "k: 5\n", "list of mappings"),
        ("a.yaml", "- 5\n", "entry 1 is no mapping"),
        ("a.yaml", "- {k: [\n", "is no YAML"),
        ("a.yaml", "", "has no combination"),
        ("a.csv", "k\n", "has no combination"),
        ("a.csv", "k,k\n1,2\n", "name each setting once"),
        ("a.csv", "k,seed\n1\n", "entry 1 has 1 values for 2 settings"),
        ("a.yaml", "- {retriever: bm25}\n", "sets retriever too"),
        ("a.yaml", "- {chunkr: recursive}\n", "did you mean 'chunker'"),
        ("a.yaml", "- {k: 0}\n", "k=0: input should be greater than or equal to 1"),
    ],
)
def test_wrong_files(composer: Composer, tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    assert message in refusal(composer, "retriever=bm25,dense", combinations=str(tmp_path / name))


def test_excluded_combinations_are_not_run_and_that_is_said(composer: Composer) -> None:
    sweep = swept(composer, "chunker=recursive,semantic", "k=5,10", exclude=[{"chunker": "semantic", "k": 10}])
    assert names(sweep) == ["chunker=recursive,k=5", "chunker=recursive,k=10", "chunker=semantic,k=5"]
    assert sweep.notes == ("exclude {chunker:semantic,k:10} leaves out 1 combinations",)


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ({"k": [5, 10]}, ["k=20"]),
        ({"k": 10, "retriever": "hybrid"}, ["k=5", "k=20"]),  # the default, not swept
        ({"k": 10, "chunker.size": 800}, ["k=5", "k=20"]),
        ({"k": 10, "retriever": "bm25"}, ["k=5", "k=10", "k=20"]),
    ],
)
def test_a_condition_also_sees_what_is_not_swept(
    composer: Composer, condition: dict[str, object], left: list[str]
) -> None:
    assert names(swept(composer, "k=5,10,20", exclude=[condition])) == left


def test_what_is_excluded_may_be_wrong(composer: Composer) -> None:
    assert names(swept(composer, "k=5,200", exclude=[{"k": 200}])) == ["k=5"]


def test_wrong_conditions(composer: Composer) -> None:
    assert "did you mean 'chunker'" in refusal(composer, "k=5,10", exclude=[{"chunkr": "semantic"}])
    assert "all combinations are excluded" in refusal(composer, "k=5,10", exclude={"k": [5, 10]})
    assert "leave out everything" in refusal(composer, "k=5,10", exclude=[{}])
    assert "exclude" in refusal(composer, "k=5,10", exclude="k")


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another(composer: Composer) -> None:
    grid = ("k=range(1,21)", "retriever=bm25,dense,hybrid")
    first, again, other = (names(swept(composer, *grid, seed=seed, sample=12)) for seed in (0, 0, 1))
    assert len(set(first)) == 12
    assert first == again
    assert first != other


def test_a_sample_takes_each_value_about_equally_often(composer: Composer) -> None:
    found = names(swept(composer, "retriever=bm25,dense,hybrid", "k=1,2,3,4", sample=6))
    assert [sum(f"retriever={name}" in run for run in found) for name in ("bm25", "dense", "hybrid")] == [2, 2, 2]
    assert sorted(sum(f"k={k}," in run for run in found) for k in (1, 2, 3, 4)) == [1, 1, 2, 2]


def test_a_sample_larger_than_the_grid_is_the_grid(composer: Composer) -> None:
    sweep = swept(composer, "k=1,2", sample=50)
    assert names(sweep) == ["k=1", "k=2"]
    assert sweep.notes == ("a sample: 2 of 2 combinations, drawn by seed=0",)


def test_a_sample_of_a_grown_grid_keeps_most_of_the_old_one() -> None:
    jobs = [(f"k={k}", f"seed={seed}") for k in range(40) for seed in range(10)]
    before = set(draw(jobs[:380], 50, seed=0))
    assert len(before & set(draw(jobs, 50, seed=0))) > 30


@pytest.mark.parametrize("sample", [0, -1, "many", 1.5])
def test_wrong_samples(composer: Composer, sample: object) -> None:
    assert "sample" in refusal(composer, "k=1,2", sample=sample)


def test_settings_of_the_sweep_are_not_in_names(composer: Composer) -> None:
    overrides = ("pairs=[k,seed]", "exclude=[{k: 9}]", "sample=5", "combinations=null")
    assert names(swept(composer, "k=1,2", "seed=1,2", *overrides)) == [
        "k=1,seed=1", "k=1,seed=2", "k=2,seed=1", "k=2,seed=2",
    ]  # fmt: skip


def test_repeats_with_other_seeds_know_what_they_repeat(composer: Composer) -> None:
    sweep = swept(composer, "k=3,5", "seed=range(0,3)")
    assert [run.combination.repeat_of for run in sweep.runs] == ["k=3"] * 3 + ["k=5"] * 3
    assert [run.combination.repeat_of for run in swept(composer, "k=3,5", "seed=1").runs] == [None, None]
    assert repeat_names([("seed=0",), ("seed=1",), ("k=1",)]) == {("seed=0",): "default", ("seed=1",): "default"}


def test_each_swept_experiment_brings_its_own_sweep(composer: Composer) -> None:
    jobs = expand_experiments(composer, ["experiment=quick,chunking", "seed=1"], None, SweepShape())
    assert jobs[0] == ["retriever=bm25", "k=3", "experiment=quick", "seed=1"]
    assert [job[-2] for job in jobs] == ["experiment=quick"] * 6 + ["experiment=chunking"] * 6  # sizes go in pairs
    assert expand_experiments(composer, ["k=1,2"], {"seed": "1,2"}, SweepShape()) == [
        ["seed=1", "k=1"], ["seed=1", "k=2"], ["seed=2", "k=1"], ["seed=2", "k=2"],
    ]  # fmt: skip


def test_the_shape_is_empty_by_default() -> None:
    assert SweepShape().given == []


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_the_command_line_gives_a_sweep_its_shape(world: World) -> None:
    done = world.run(
        "-m", "sweep=s", *SIZES, "pairs=[chunker.size,chunker.overlap]", "retriever=bm25,dense", "k=1,2",
        "exclude=[{retriever: dense, k: 2}]", "sample=4", "generator=none",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert len(world.runs()) == 4
    assert all("overlap=50" in name for name in world.runs() if "size=400" in name)
    assert not any("k=2" in name and "dense" in name for name in world.runs())
    assert "exclude {retriever:dense,k:2} leaves out 2 combinations" in done.out


def test_experiments_of_ones_own_are_swept_too(world: World) -> None:
    folder = world.folder / "own" / "experiment"
    folder.mkdir(parents=True)
    head = "# @package _global_\nhydra: {mode: MULTIRUN, sweeper: {params: {"
    (folder / "a.yaml").write_text(head + "k: '1,2'}}}\ngenerator: {sentences: 1}\n")
    (folder / "b.yaml").write_text(head + "retriever: 'bm25,dense'}}}\n")
    alone = world.run("+experiment=a", "sweep=alone")
    assert alone.code == 0, alone.err
    done = world.run("-m", "+experiment=a,b", "sweep=s")
    assert done.code == 0, done.err
    assert list(world.runs()) == [
        "experiment=a,k=1",
        "experiment=a,k=2",
        "experiment=b,retriever=bm25",
        "experiment=b,retriever=dense",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sample=3",), "sample: is about sweeps; start with -m for one"),
        (("-m", "hydra/sweeper=basic", "k=1,2", "sample=1"), "sample: needs hydra/sweeper=fastrag_bench"),
    ],
)
def test_what_cannot_have_a_shape_refuses_it(world: World, words: tuple[str, ...], message: str) -> None:
    done = world.run(*words)
    assert done.code == 2
    assert message in done.err
