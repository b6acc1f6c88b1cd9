"""Result files by a path or a pattern."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from fastrag_bench.errors import ConfigurationError
from fastrag_bench.results import BenchmarkResult


def load_results(pattern: str | os.PathLike[str]) -> list[BenchmarkResult]:
    """The results of the files that match, sorted by path.

    A file that has exactly this name wins over reading `[`, `?` or `*` in it as a pattern; `**` is any depth.

    Raises:
        ConfigurationError: nothing matches, or one of the files is no result.
    """
    text = os.fspath(pattern)
    if Path(text).is_file():
        return [BenchmarkResult.load(text)]
    found = glob.glob(text, recursive=True)
    paths = sorted((path for path in map(Path, found) if path.is_file()), key=Path.as_posix)
    if not paths:
        folder = next((path for path in map(Path, [text, *found]) if path.is_dir()), None)
        hint = f"; it is a folder, try {folder.as_posix()}/*.json" if folder is not None else ""
        raise ConfigurationError(f"no result file matches {text!r} (from {Path.cwd()}){hint}")
    return [BenchmarkResult.load(path) for path in paths]
