"""`.yaml` and `.yml` without YAML's traps: no aliases, no code, no second key, and `no` stays a word."""

from __future__ import annotations

import importlib
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

from fastrag_bench.datasets.json_files import sample_list
from fastrag_bench.datasets.reading import ReadOptions, read_text
from fastrag_bench.datasets.records import Record, records_of
from fastrag_bench.errors import SchemaError

MAX_DEPTH = 50


def read_yaml(path: Path, options: ReadOptions) -> list[Record]:
    """`samples: [...]` or a bare list of mappings, one document a file."""
    value = _parse(read_text(path, options), where=str(path))
    return records_of(sample_list([] if value is None else value, where=str(path))[: options.limit], where=str(path))


def _parse(text: str, *, where: str) -> Any:
    yaml = _yaml()
    loader = _loader()
    try:
        _inspect(text, loader)
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, SchemaError):
            raise SchemaError(f"{where}, {error}") from None
        mark = getattr(error, "problem_mark", None)
        place = f"{where}, line {mark.line + 1}" if mark is not None else where
        raise SchemaError(f"{place}: not YAML: {getattr(error, 'problem', None) or error}") from None


def _inspect(text: str, loader: Any) -> None:
    """Refuse aliases and deep nesting from the stream of events, before anything is built."""
    yaml = _yaml()
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None) is not None:
            raise SchemaError(f"line {line}: anchors and aliases are not read; write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise SchemaError(f"line {line}: nested more than {MAX_DEPTH} levels deep")


def _yaml() -> Any:
    """PyYAML, which comes with OmegaConf and ships no types."""
    return importlib.import_module("yaml")


@cache
def _loader() -> Any:
    """A safe loader with the scalars of YAML 1.2's core, so that `no`, `12:30`, `007` and dates are text."""
    yaml = _yaml()

    class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the name and kind that PyYAML asks for

    for tag, pattern, first in (
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
        ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
        ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|-?\.inf|\.nan", list("-.0123456789")),
    ):
        CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), first)
    CoreLoader.add_constructor("tag:yaml.org,2002:map", _mapping)
    CoreLoader.add_constructor("tag:yaml.org,2002:float", _number)
    return CoreLoader


def _number(loader: Any, node: Any) -> float | None:
    """As in JSON: NaN and the infinities are missing values."""
    text = str(loader.construct_scalar(node))
    number = math.nan if text.lstrip("-").startswith(".") else float(text)
    return number if math.isfinite(number) else None


def _mapping(loader: Any, node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key.value, str):
            raise SchemaError(f"line {line}: a key is one word or text")
        if key.value in found:
            raise SchemaError(f"line {line}: the key {key.value!r} is given twice in one mapping")
        found[key.value] = loader.construct_object(value, deep=True)
    return found
