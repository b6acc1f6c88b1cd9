"""A resolved configuration becomes typed values, or every problem in it at its dotted path, said once."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hydra
import pytest
from omegaconf import OmegaConf

from fastrag_bench.config import MetricsConfig, RunConfig
from fastrag_bench.errors import ConfigurationError

CONF = Path(__file__).resolve().parents[2] / "conf"
Mapping = dict[str, Any]


@pytest.fixture(scope="module")
def composed() -> Iterator[Mapping]:
    with hydra.initialize_config_dir(str(CONF), version_base=None):
        mapping = OmegaConf.to_container(hydra.compose("config"), resolve=True)
        assert isinstance(mapping, dict)
        yield {str(key): value for key, value in mapping.items()}


@pytest.fixture
def mapping(composed: Mapping) -> Mapping:
    """The default configuration as plain values; interpolated parts are copies, as Hydra leaves them."""
    return copy.deepcopy(composed)


def problems(mapping: Mapping) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        RunConfig.from_mapping(mapping)
    return [str(problem) for problem in caught.value.problems]


def test_the_default_configuration_is_right(mapping: Mapping) -> None:
    config = RunConfig.from_mapping(mapping)
    assert (config.k, config.candidates, config.seed, config.execution.name) == (5, 100, 0, "serial")
    assert type(config.chunker).__name__ == "RecursiveChunker"
    assert type(config.target).__name__ == "RagTarget"


def test_the_values_of_config_yaml_are_the_defaults_of_the_class(mapping: Mapping) -> None:
    config = RunConfig.from_mapping(mapping)
    for name, field in RunConfig.model_fields.items():
        if not field.is_required() and name not in ("metrics", "execution"):
            assert getattr(config, name) == field.default, name


def test_a_part_inside_the_target_is_the_part_itself(mapping: Mapping) -> None:
    config = RunConfig.from_mapping(mapping)
    assert config.target.chunker is config.chunker
    assert config.target.lexical_index is config.index.lexical


def test_equal_nodes_are_built_once(mapping: Mapping) -> None:
    one = RunConfig.from_mapping(mapping)
    other = RunConfig.from_mapping({**copy.deepcopy(mapping), "seed": 1})
    assert one.chunker is other.chunker
    assert one.embedder is other.embedder


def test_a_configuration_is_frozen(mapping: Mapping) -> None:
    with pytest.raises(ValueError, match="frozen"):
        RunConfig.from_mapping(mapping).k = 3  # type: ignore[misc]


def test_all_problems_are_told_together(mapping: Mapping) -> None:
    mapping["chunker"]["size"] = mapping["target"]["chunker"]["size"] = -3
    mapping["embedder"]["dimensions"] = mapping["target"]["embedder"]["dimensions"] = 77
    mapping["k"] = mapping["target"]["k"] = 0
    mapping["on_error"] = "explode"
    paths = [problem.partition(":")[0] for problem in problems(mapping)]
    assert sorted(paths) == ["chunker.size", "embedder.dimensions", "k", "on_error"]


def test_k_above_candidates_names_both_and_is_told_once(mapping: Mapping) -> None:
    mapping["k"] = mapping["target"]["k"] = 200
    assert problems(mapping) == ["k: k=200 is more than candidates=100; raise candidates or lower k"]


def test_a_missing_value_is_told_once(mapping: Mapping) -> None:
    mapping["chunker"]["size"] = mapping["target"]["chunker"]["size"] = "???"
    mapping["seed"] = "???"
    assert sorted(problems(mapping)) == ["chunker.size: a value is required", "seed: a value is required"]


def test_a_misspelt_setting_gets_the_one_that_was_meant(mapping: Mapping) -> None:
    mapping["chunker"]["siz"] = 3
    (problem,) = problems(mapping)
    assert problem.startswith("chunker.siz: no such setting of RecursiveChunker; did you mean 'size'?")


def test_an_unknown_key_gets_the_one_that_was_meant(mapping: Mapping) -> None:
    mapping["chunkr"] = {"size": 3}
    (problem,) = problems(mapping)
    assert problem.startswith("chunkr: no such setting of a run; did you mean 'chunker'?")


def test_a_part_of_the_wrong_kind_says_what_it_has_to_be(mapping: Mapping) -> None:
    mapping["retriever"] = mapping["target"]["retriever"] = mapping["chunker"]
    (problem,) = problems(mapping)
    assert problem.startswith("retriever: RecursiveChunker is not a Retriever")


def test_whatever_is_no_component_is_not_even_called(mapping: Mapping) -> None:
    mapping["chunker"] = mapping["target"]["chunker"] = {"_target_": "os.system", "command": "true"}
    (problem,) = problems(mapping)
    assert problem.startswith("chunker: _target_ 'os.system' is not a Component")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("k", True),
        ("k", 2.5),
        ("k", "5"),
        ("max_concurrent", 0),
        ("retries", -1),
        ("timeout_s", 0),
        ("sweep", "../elsewhere"),
        ("sweep", "/tmp/x"),
        ("sweep", " "),
        ("store", ""),
        ("resume", "perhaps"),
    ],
)
def test_a_wrong_value_is_refused_at_its_place(mapping: Mapping, key: str, value: object) -> None:
    mapping[key] = value
    (problem,) = problems(mapping)
    assert problem.startswith(f"{key}: ")


def test_a_wrong_section_is_told_without_noise(mapping: Mapping) -> None:
    mapping["metrics"]["nmes"] = []
    mapping["execution"]["n_jobs"] = 0
    mapping["index"]["third"] = None
    assert [problem.partition(":")[0] for problem in problems(mapping)] == [
        "index.third",
        "metrics.nmes",
        "execution.n_jobs",
    ]


def test_an_unknown_metric_is_refused(mapping: Mapping) -> None:
    mapping["metrics"]["names"] = ["recal"]
    (problem,) = problems(mapping)
    assert problem.startswith("metrics.names")
    assert "recal" in problem


def test_metric_names_are_those_of_the_sets_once_and_the_primary() -> None:
    sets = {"one": ("recall", "ndcg@10"), "two": ("recall", "latency_ms")}
    config = MetricsConfig(sets=sets, primary="recall@2000chars")
    assert config.metric_names == ["recall", "ndcg@10", "latency_ms", "recall@2000chars"]


def test_given_metric_names_replace_the_sets() -> None:
    config = MetricsConfig(names=("recall",), sets={"one": ("ndcg@10",)}, primary="recall")
    assert config.metric_names == ["recall"]


def test_names_without_the_primary_decide_by_their_first() -> None:
    assert MetricsConfig(names=("ndcg@10", "recall@100")).metric_names == ["ndcg@10", "recall@100"]
    assert MetricsConfig(names=("ndcg@10", "recall@100")).deciding == "ndcg@10"
    assert MetricsConfig(names=("ndcg@10", "recall"), primary="recall").deciding == "recall"


def test_a_number_may_name_a_sweep(mapping: Mapping) -> None:
    mapping["sweep"] = 7
    assert RunConfig.from_mapping(mapping).sweep == "7"
