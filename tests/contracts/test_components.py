"""Every YAML of every part: it loads, names a component that keeps its contract, and spells out all its settings."""

import ast
import inspect
import itertools
import pickle
import re
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from omegaconf import OmegaConf
from pydantic import BaseModel, ValidationError

from fastrag_bench.component import Component, component_class, identity_fields, identity_of, resolve
from fastrag_bench.contracts import PARTS, DenseIndex, LexicalIndex
from fastrag_bench.errors import ConfigurationError

CONF = Path(__file__).resolve().parents[2] / "conf"
GROUPS = [*PARTS, "index"]
YAMLS = [path for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]
BUDGET = {"calls": None, "tokens": None, "usd": None}
DEFAULTS = {
    "embedder": "static",
    "chunker": "recursive",
    "retriever": "hybrid",
    "reranker": "none",
    "llm": "openai",
    "prompt": "short",
}

each_yaml = pytest.mark.parametrize("path", YAMLS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def settings_of(path: Path) -> dict[str, Any]:
    """The YAML with other groups' defaults filled in and `dummy` for what the user has to give."""
    root: dict[str, Any] = {"seed": 0, "k": 5, "candidates": 100, "context_tokens": None, "budget": BUDGET}
    root |= {group: OmegaConf.load(CONF / group / f"{name}.yaml") for group, name in DEFAULTS.items()}
    config = OmegaConf.create({**root, "under_test": OmegaConf.load(path)})
    filled = _filled(OmegaConf.to_container(config, resolve=True)["under_test"])
    assert isinstance(filled, dict)
    return filled


def _filled(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value) for key, value in node.items()}
    return "dummy" if node == "???" else node


def test_every_group_has_a_part() -> None:
    assert {path.parent.name for path in YAMLS} == set(GROUPS)


@each_yaml
def test_it_resolves_and_meets_its_contract(path: Path) -> None:
    component = resolve(settings_of(path))
    group = path.parent.name
    contracts = (LexicalIndex, DenseIndex) if group == "index" else (PARTS[group],)
    assert sum(isinstance(component, contract) for contract in contracts) == 1


@each_yaml
def test_it_is_frozen_and_survives_pickling(path: Path) -> None:
    component = resolve(settings_of(path))
    sent = pickle.loads(pickle.dumps(component))  # noqa: S301  (as to a worker process)
    assert sent == component
    assert identity_of(sent) == identity_of(component)
    for name in type(component).model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(component, name, None)
    with pytest.raises(ConfigurationError, match="no such setting"):
        resolve({**settings_of(path), "no_such_setting": 1})


@each_yaml
def test_it_spells_out_every_setting_at_its_default_with_a_comment(path: Path) -> None:
    settings = settings_of(path)
    kind = component_class(settings["_target_"])
    assert set(settings) - {"_target_"} == set(kind.model_fields)
    component = resolve(settings)
    for name, field in kind.model_fields.items():
        value = getattr(component, name)
        if not (field.is_required() or isinstance(value, Component)):
            assert value == field.get_default(call_default_factory=True), name
        if isinstance(value, BaseModel) and not isinstance(value, Component):
            assert set(settings[name]) == set(type(value).model_fields)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#")
    bare = [line for line in text.splitlines() if re.match(r"\s*(?!_target_)\w+:", line) and " #" not in line]
    assert bare == []


@each_yaml
def test_every_setting_is_documented(path: Path) -> None:
    kind = component_class(settings_of(path)["_target_"])
    assert kind.__doc__
    documented = {name for base in kind.__mro__ if issubclass(base, Component) for name in _documented(base)}
    assert set(kind.model_fields) <= documented


def _documented(kind: type) -> Iterator[str]:
    """The fields of a class, inherited ones apart, that a text stands under."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    for statement, following in itertools.pairwise(definition.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            match following:
                case ast.Expr(value=ast.Constant(value=str())):
                    yield statement.target.id


def fields() -> Iterator[Any]:
    for path in YAMLS:
        try:
            kind = component_class(OmegaConf.load(path)._target_)
        except ConfigurationError:
            continue
        for name in kind.model_fields:
            yield pytest.param(path, name, id=f"{path.parent.name}/{path.stem}.{name}")


@pytest.mark.parametrize(("path", "name"), list(fields()))
def test_a_setting_changes_the_identity_unless_it_cannot_change_a_result(path: Path, name: str) -> None:
    settings = settings_of(path)
    kind = component_class(settings["_target_"])
    changed = another(kind, settings, name)
    is_identity = name in identity_fields(kind)
    assert (identity_of(changed) != identity_of(resolve(settings))) == is_identity


def another(kind: type[Component], settings: dict[str, Any], name: str) -> Component:
    """The component with some other valid value for one field."""
    current = getattr(resolve(settings), name)
    for value in _alternatives(kind.model_fields[name].annotation, current):
        try:
            component = resolve({**settings, name: value})
        except ConfigurationError:
            continue
        if getattr(component, name) != current:
            return component
    raise AssertionError(f"no other value found for {kind.__name__}.{name}")


def _alternatives(annotation: Any, current: Any) -> Iterator[Any]:
    yield from _literals(annotation)
    if isinstance(current, bool):
        yield not current
    elif isinstance(current, (int, float)):
        yield from (current + 1, current - 1, current * 2, current // 2, current / 2, current * 0.9)
    if isinstance(current, BaseModel) and not isinstance(current, Component):
        yield {next(iter(type(current).model_fields)): "other"}
    yield from ("cl100k", "german", "de", "other", 1, 2, 8, 16, 100, 0.25, True, False, ["other"], {"other": 1}, None)
    yield from ("http://other/v1", {"other": "other"}, {"input": 1})
    for group in (*GROUPS, "llm", "prompt"):
        yield from (settings_of(path) for path in sorted((CONF / group).glob("*.yaml")))


def _literals(annotation: Any) -> Iterator[Any]:
    if typing.get_origin(annotation) is Literal:
        yield from typing.get_args(annotation)
    else:
        for argument in typing.get_args(annotation):
            yield from _literals(argument)
