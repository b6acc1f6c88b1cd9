"""Kill a sweep again and again at random moments, let it finish, and compare with one that was never killed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from .command import World

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
TIMES = {"created_at", "duration_s", "latency_ms"}
GRID = ("chunker=recursive,fixed", "generator=slow,extractive", "generator.seconds=0.05", "k=1,2", "reranker=none,mmr")


def command(mode: str, workers: int) -> tuple[str, ...]:
    return ("-m", "sweep=s", *GRID, f"execution={mode}", f"execution.n_jobs={workers}", "metrics=[retrieval,answer]")


def finish(world: World, words: tuple[str, ...]) -> dict[str, Any]:
    """Run to the end; what the files say then, times and dates aside."""
    done = world.run(*words)
    assert done.code == 0, done.err
    results = {run: without_times(world.result(run)) for run in world.runs()}
    markdown = (world.sweep() / "comparison.md").read_text(encoding="utf-8")
    return {"results": results, "table": [line.split("|")[:8] for line in markdown.splitlines() if "|" in line]}


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def kill_once(world: World, words: tuple[str, ...], draw: random.Random, longest: float) -> str:
    """Start the command, let it live for a random time, kill its whole group, and see that nobody is left."""
    process = world.start(*words)
    how = draw.choice(SIGNALS)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(draw.uniform(0.1, longest))
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while _alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(process.pid), f"a process outlived {how.name}"
    return how.name


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def start_afresh(world: World) -> None:
    shutil.rmtree(world.folder / "outputs", ignore_errors=True)


def half_written(world: World) -> list[Path]:
    """Files in the sweep that are not whole; temporary ones in the store are nobody's result."""
    found = []
    for path in world.sweep().rglob("*.json") if world.sweep().is_dir() else ():
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            found.append(path)
    return found


def rounds(world: World, *, kills: int, mode: str, workers: int, seed: int, say: Any = lambda text: None) -> int:
    """Kill so often, finishing and comparing after every few kills; returns how often the result was compared."""
    words = command(mode, workers)
    began = time.monotonic()
    expected = finish(world, words)
    longest = time.monotonic() - began
    draw, compared, done = random.Random(seed), 0, 0
    while done < kills:
        start_afresh(world)
        for _ in range(min(draw.randint(1, 5), kills - done)):
            how = kill_once(world, words, draw, longest)
            done += 1
            assert half_written(world) == [], how
        assert finish(world, words) == expected
        compared += 1
        say(f"{mode} x{workers}: {done} kills, {compared} results equal")
    return compared
