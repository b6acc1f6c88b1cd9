"""Runs are scored and written as soon as the last of their stages has ended, so that a kill loses no finished one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from fastrag_bench.plan.execute import Execution
from fastrag_bench.plan.plan import walk
from fastrag_bench.sweep.live import Live
from fastrag_bench.sweep.manifest import RESULT, Manifest, read_mean
from fastrag_bench.sweep.runs import Run
from fastrag_bench.sweep.score import Scorer

UNFINISHED = "interrupted before it was finished; the same command continues"


class Finishing:
    """Keeps for each run the stages it still waits for.

    Args:
        runs: all runs.
        folders: where each of them is written.
        scorer: writes them.
        needed: keys of the stages that have to run.
        live: hears of each run.
    """

    def __init__(
        self, runs: Sequence[Run], folders: Sequence[Path], scorer: Scorer, needed: Collection[str], live: Live
    ) -> None:
        self._runs = runs
        self._folders = folders
        self._scorer = scorer
        self._live = live
        self._saved: dict[int, Manifest] = {}
        self._settled = 0
        self._waiting = {
            index: {node.key for stage in run.pipeline.wanted for node in walk(stage)} & set(needed)
            for index, run in enumerate(runs)
        }
        self._save_ready()

    def settled(self, execution: Execution, keys: Sequence[str]) -> None:
        """Some stages have ended."""
        self._scorer.execution = execution
        self._settled += len(keys)
        self._live.stages_settled(self._settled)
        for waited in self._waiting.values():
            waited.difference_update(keys)
        self._save_ready()

    def interrupted(self) -> None:
        """Say of every run that is not finished that it is not."""
        for index in list(self._waiting):
            self._saved[index] = self._scorer.save_missing(self._runs[index], self._folders[index], UNFINISHED)

    def all_saved(self) -> list[Manifest]:
        """The manifests, in order."""
        return [self._saved[index] for index in range(len(self._runs))]

    def _save_ready(self) -> None:
        for index in [index for index, waited in self._waiting.items() if not waited]:
            del self._waiting[index]
            manifest = self._scorer.save(self._runs[index], self._folders[index])
            self._saved[index] = manifest
            self._live.run_finished(manifest, self._mean(index, manifest))

    def _mean(self, index: int, manifest: Manifest) -> float | None:
        if manifest.status != "ok":
            return None
        return read_mean(self._folders[index] / RESULT, self._runs[index].deciding)
