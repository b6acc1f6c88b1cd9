"""No kill loses finished work or shows a wrong number; `benchmarks/kills.py` does the same two hundred times."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import make_world
from .kills import rounds


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "workers", "seed"), [("serial", 1, 1), ("processes", 2, 2)])
def test_killed_sweeps_end_as_if_they_had_not_been(tmp_path: Path, mode: str, workers: int, seed: int) -> None:
    assert rounds(make_world(tmp_path), kills=10, mode=mode, workers=workers, seed=seed) >= 2
