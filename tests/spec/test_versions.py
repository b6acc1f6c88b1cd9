"""A shipped part whose code changes needs a new `version`, or stored results of the old code pass for the new.

After a change: raise `version` in the class if the part can now return something else for the same settings, then write
the record anew with `FASTRAG_BENCH_RECORD=1 python -m pytest tests/spec/test_versions.py`.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from fastrag_bench.component import Component, component_class

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "golden" / "components.json"
GROUPS = ("chunker", "embedder", "index", "retriever", "reranker", "generator", "query_transform", "context")
GROUND = {
    f"fastrag_bench.{name}" for name in ("component", "contracts", "types", "errors", "error_text", "files", "source")
}


def shipped() -> list[type[Component]]:
    files = [path for group in GROUPS for path in sorted((ROOT / "conf" / group).glob("*.yaml"))]
    return [component_class(yaml.safe_load(path.read_text(encoding="utf-8"))["_target_"]) for path in files]


def code_of(module: str, seen: dict[str, str]) -> None:
    """The code of a module and of those it builds on, without comments and docstrings."""
    if module in seen or module in GROUND or not module.startswith("fastrag_bench."):
        return
    loaded = sys.modules.get(module) or importlib.import_module(module)
    tree = ast.parse(inspect.getsource(loaded))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    seen[module] = ast.dump(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            code_of(node.module, seen)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def record_of(kind: type[Component]) -> dict[str, object]:
    seen: dict[str, str] = {}
    code_of(kind.__module__, seen)
    digest = hashlib.blake2b(json.dumps(sorted(seen.items())).encode(), digest_size=8).hexdigest()
    return {"version": kind.version, "code": digest}


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the dump of a syntax tree differs between Pythons")
def test_code_changes_only_with_its_version() -> None:
    found = {f"{kind.__module__}.{kind.__qualname__}": record_of(kind) for kind in shipped()}
    if os.environ.get("FASTRAG_BENCH_RECORD"):
        RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    known = json.loads(RECORD.read_text(encoding="utf-8"))
    changed = [name for name in found if found[name] != known.get(name)]
    assert not changed, f"{changed}: see the top of this file"
    assert found.keys() == known.keys()
