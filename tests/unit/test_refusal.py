"""How a sweep ends: with a message and a code before any work, and never without its comparison after some."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import OmegaConf

from fastrag_bench.errors import ConfigurationError, NoQuestionError, Problem
from fastrag_bench.sweep.launcher import primary_mean, reaching_the_end
from fastrag_bench.sweep.refusal import Terminated, exit_code_of, refuse, refusing, report


class Callbacks:
    """Counts how often the end of the sweep was reached, and asks for an exit code as our hook does."""

    def __init__(self) -> None:
        self.ends = 0

    def on_multirun_end(self, **_: Any) -> None:
        self.ends += 1
        raise SystemExit(1)


CONFIG = OmegaConf.create({"hydra": {"job": {"config_name": "config"}}})


def context(callbacks: Callbacks) -> Any:
    return SimpleNamespace(callbacks=callbacks)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Terminated(), RuntimeError("bug")])
def test_the_comparison_is_built_whatever_is_raised_and_the_error_goes_on(error: BaseException) -> None:
    callbacks = Callbacks()
    with pytest.raises(type(error)), reaching_the_end(context(callbacks), CONFIG):
        raise error
    assert callbacks.ends == 1


def test_a_sweep_that_ends_well_leaves_the_end_to_hydra() -> None:
    callbacks = Callbacks()
    with reaching_the_end(context(callbacks), CONFIG):
        pass
    assert callbacks.ends == 0


def test_a_configuration_error_means_there_is_nothing_to_compare(capsys: pytest.CaptureFixture[str]) -> None:
    callbacks = Callbacks()
    with pytest.raises(SystemExit) as caught, reaching_the_end(context(callbacks), CONFIG):
        raise ConfigurationError("no such file")
    assert (caught.value.code, callbacks.ends) == (2, 0)
    assert capsys.readouterr().err == "Nothing was run. no such file\n"


def test_all_problems_stand_on_lines_of_their_own() -> None:
    error = ConfigurationError(problems=[Problem("k=0", "too small"), Problem("chunker.siz=3", "no such setting")])
    assert report(error) == "Nothing was run. 2 problems:\n  k=0: too small\n  chunker.siz=3: no such setting"


def test_a_dataset_without_questions_has_a_code_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        refuse(NoQuestionError("no question"))
    assert caught.value.code == 3


def test_other_errors_are_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError), refusing():
        raise ZeroDivisionError


def test_an_interrupt_has_the_code_of_its_signal() -> None:
    assert exit_code_of(KeyboardInterrupt()) == 130
    assert exit_code_of(Terminated()) == 143


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"summary": {"recall": {"mean": 0.5, "count": 3}}}, 0.5),
        ({"summary": {"recall": {"mean": 0.0, "count": 0}}}, None),
        ({"summary": {}}, None),
    ],
)
def test_a_job_s_value_is_the_mean_of_its_primary_metric(
    tmp_path: Path, result: dict[str, Any], expected: float | None
) -> None:
    combination: Any = SimpleNamespace(config=SimpleNamespace(metrics=SimpleNamespace(deciding="recall")))
    assert primary_mean(tmp_path, combination) is None
    (tmp_path / "result.json").write_text(json.dumps(result))
    assert primary_mean(tmp_path, combination) == expected
