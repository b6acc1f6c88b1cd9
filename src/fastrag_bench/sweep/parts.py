"""The components of one run, built from their nodes: each distinct node once, each problem said once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from fastrag_bench.component import Component, resolve
from fastrag_bench.errors import ConfigurationError, Problem
from fastrag_bench.targets.contract import Target

MISSING = "???"
"""The value of a setting that has none yet."""

REQUIRED = "a value is required"


class Parts:
    """Builds the components of one run; equal nodes become one object, and a wrong one is reported where it is set."""

    def __init__(self, inspect: bool) -> None:
        self._inspect = inspect
        self._built: dict[str, Component | None] = {}
        self.problems: list[Problem] = []

    def build(self, node: Any, contract: type, path: str) -> Component | None:
        """The component of a node, or None after a problem; a node with missing values is one already told."""
        if not isinstance(node, Mapping):
            self.problems.append(Problem(path, f"expected a mapping with _target_, got {node!r}"))
            return None
        text = _canonical(node)
        self._built[text] = None
        if next(missing_values(node), None) is None:
            try:
                self._built[text] = _component(text, contract, path, self._inspect)
            except ConfigurationError as error:
                self.problems.extend(error.problems)
        return self._built[text]

    def build_target(self, node: Any) -> Component | None:
        """The target, with the parts built so far in it; None where one of them is wrong."""
        whole = self._with_parts(node)
        if whole is None or next(missing_values(whole), None) is not None:
            return None
        try:
            return resolve(whole, contract=Target, path="target")
        except ConfigurationError as error:
            self.problems.extend(error.problems)
            return None

    def _with_parts(self, node: Any) -> Any:
        if not isinstance(node, Mapping):
            return node
        if "_target_" in node and (text := _canonical(node)) in self._built:
            return self._built[text]
        inner = {key: self._with_parts(value) for key, value in node.items()}
        wrong = any(value is None and isinstance(node[key], Mapping) for key, value in inner.items())
        return None if wrong else inner


@lru_cache(maxsize=4096)
def _component(text: str, contract: type, path: str, inspect: bool) -> Component:
    component = resolve(json.loads(text), contract=contract, path=path)
    if inspect:
        _inspect(component, path)
    return component


def _inspect(component: Component, path: str) -> None:
    """Look at the machine for a component and all that are inside it."""
    try:
        component.inspect_settings()
    except ConfigurationError as error:
        places = [f"{path}.{problem.path}" if problem.path else path for problem in error.problems]
        found = [Problem(place, problem.message) for place, problem in zip(places, error.problems, strict=True)]
        raise ConfigurationError(problems=found) from error
    for name in type(component).model_fields:
        if isinstance(inner := getattr(component, name), Component):
            _inspect(inner, f"{path}.{name}")


def missing_values(node: Any, path: str = "") -> Iterator[Problem]:
    """A problem for each value that has still to be given, at its dotted path."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from missing_values(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for position, value in enumerate(node):
            yield from missing_values(value, f"{path}.{position}")
    elif isinstance(node, str) and node == MISSING:
        yield Problem(path, REQUIRED)


def replace_node(tree: dict[str, Any], path: str, build: Callable[[Any], Any]) -> None:
    """Put what `build` makes of a node in its place, on copies of the mappings above it."""
    head, _, rest = path.partition(".")
    if head not in tree:
        return
    if rest and isinstance(tree[head], Mapping):
        tree[head] = dict(tree[head])
        replace_node(tree[head], rest, build)
    elif not rest:
        tree[head] = build(tree[head])


def _canonical(node: Any) -> str:
    return json.dumps(node, sort_keys=True, default=str)
