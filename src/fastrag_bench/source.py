"""The identity of code that lies outside this package: a digest of its module and that module's own imports."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import sys
import sysconfig
from pathlib import Path

_INSTALLED = tuple(
    str(Path(sysconfig.get_paths()[name]).resolve()) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def source_digest(thing: object) -> str | None:
    """Hex digest of the source that defines `thing` and of the first-party modules it imports; None if unreadable.

    First-party is what shares the module's top package, or what does not lie in the standard library or site-packages.
    """
    module = inspect.getmodule(thing)
    path = _source_path(getattr(module, "__file__", None))
    if module is None or path is None:
        return None
    files: dict[str, bytes] = {}
    if not _collect(module.__name__, path, module.__name__.split(".")[0], files):
        return None
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    return digest.hexdigest()


def _collect(name: str, path: Path, top: str, files: dict[str, bytes]) -> bool:
    try:
        content = path.read_bytes()
        tree = ast.parse(content)
    except (OSError, SyntaxError, ValueError):
        return False
    files[name] = content
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for imported in sorted(_imports(tree, package)):
        found = _find(imported)
        if imported not in files and found is not None and _first_party(imported, found, top):
            _collect(imported, found, top, files)
    return True


def _imports(tree: ast.Module, package: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, base] if base else parent)
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return {name for name in names if name}


def _find(name: str) -> Path | None:
    module = sys.modules.get(name)
    if module is not None:
        return _source_path(getattr(module, "__file__", None))
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    return _source_path(spec.origin if spec else None)


def _source_path(file: str | None) -> Path | None:
    return Path(file).resolve() if file and file.endswith(".py") and Path(file).is_file() else None


def _first_party(name: str, path: Path, top: str) -> bool:
    if name.split(".")[0] == "fastrag_bench":
        return False
    return name.split(".")[0] == top or not str(path).startswith(_INSTALLED)
