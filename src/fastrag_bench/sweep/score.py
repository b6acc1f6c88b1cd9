"""From stored rows to a run's files: result, samples and manifest."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fastrag_bench.benchmark import Benchmark
from fastrag_bench.component import library_version, once_per_object
from fastrag_bench.contracts import Metric
from fastrag_bench.errors import ConfigurationError
from fastrag_bench.files import write_atomic
from fastrag_bench.metrics.span import PrecisionOmega
from fastrag_bench.plan.execute import Execution, Failure
from fastrag_bench.plan.keys import digest, digest_bytes
from fastrag_bench.plan.plan import walk
from fastrag_bench.plan.stage import RowStage, Source, Stage
from fastrag_bench.plan.workspace import Workspace
from fastrag_bench.results import BenchmarkResult
from fastrag_bench.sweep.manifest import RESULT, SAMPLES, TRACEBACK, Manifest
from fastrag_bench.sweep.runs import Run, dataset_fingerprint
from fastrag_bench.types import EvalSample, QueryOutcome


@dataclass
class Scorer:
    """Scores the runs of one sweep; pipelines that are the same are scored once."""

    workspace: Workspace
    execution: Execution
    concurrency: int = 1
    _scored: dict[str, tuple[str, BenchmarkResult, bytes]] = field(default_factory=dict)
    _paid: set[str] = field(default_factory=set)
    _seconds: dict[str, float] = field(default_factory=dict)
    _row_digests: dict[str, str] = field(default_factory=dict)

    def save(self, run: Run, folder: Path) -> Manifest:
        """Write a run's files and return its manifest; a run that failed has a manifest and no result.

        Files that an earlier command wrote from the same rows are left as they are.
        """
        failure = next(filter(None, (self.execution.failure_of(stage.key) for stage in run.pipeline.wanted)), None)
        if failure is not None:
            return self._save_failure(run, folder, failure)
        computation = self._computation(run)
        return _kept(folder, run.name, computation) or self._save_result(run, folder, computation)

    def _save_result(self, run: Run, folder: Path, computation: str) -> Manifest:
        first, result, samples = self._score(run)
        if result.status.errored == len(result.samples):
            reason = f"all {len(result.samples)} questions failed; the first: {result.samples[0].error}"
            return self._save_failure(run, folder, Failure("question", "", reason))
        result.save(folder / RESULT)
        write_atomic(folder / SAMPLES, samples, sync=False)
        (folder / TRACEBACK).unlink(missing_ok=True)
        manifest = replace(
            self._manifest(run),
            status="ok",
            identical_to=first if first != run.name else None,
            matched=_matched(run, result),
            failed_questions=result.status.errored,
            first_error=next((sample.error for sample in result.samples if sample.status == "errored"), None),
            computation=computation,
            files={RESULT: digest_bytes((folder / RESULT).read_bytes()), SAMPLES: digest_bytes(samples)},
        )
        manifest.save(folder)
        return manifest

    def _computation(self, run: Run) -> str:
        rows = [self._rows_digest(stage) for stage in run.pipeline.wanted]
        return digest([run.identity, rows, library_version("fastrag_bench")])

    def _rows_digest(self, stage: Stage) -> str | None:
        if not isinstance(stage, RowStage):
            return self.workspace.digest(stage)
        if stage.key not in self._row_digests:
            rows = self.workspace.rows(stage)
            told = [[item, rows[item].digest, rows[item].error] if item in rows else [item] for item in stage.items]
            self._row_digests[stage.key] = digest(told)
        return self._row_digests[stage.key]

    def save_missing(self, run: Run, folder: Path, reason: str) -> Manifest:
        """Say of a run that it was not finished."""
        manifest = replace(self._manifest(run), status="missing", reason=reason)
        _forget_result(folder)
        manifest.save(folder)
        return manifest

    def _score(self, run: Run) -> tuple[str, BenchmarkResult, bytes]:
        held = self._scored.get(run.identity)
        if held is None:
            outcomes = run.pipeline.outcomes(self.workspace)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # what it warns of is refused or noted before the run
                benchmark = Benchmark(dataset=run.data.questions, metrics=_with_chunks(run, self.workspace))
                result = benchmark.run_stored(_Stored(outcomes, run.pipeline.answers), name=run.name)
            samples = sample_lines(run, result, outcomes, run.pipeline.details(self.workspace))
            held = self._scored[run.identity] = (run.name, result, samples)
        return held[0], replace(held[1], name=run.name), held[2]

    def _save_failure(self, run: Run, folder: Path, failure: Failure) -> Manifest:
        _forget_result(folder)
        if failure.traceback:
            write_atomic(folder / TRACEBACK, failure.traceback)
        manifest = replace(
            self._manifest(run),
            status="missing" if failure.stopped else "failed",
            reason=failure.reason,
            traceback=TRACEBACK if failure.traceback else None,
        )
        manifest.save(folder)
        return manifest

    def _manifest(self, run: Run) -> Manifest:
        stages = self._stages(run)
        corpus = run.data.corpus
        return Manifest(
            name=run.name,
            status="missing",
            overrides=run.combination.overrides,
            config=run.combination.resolved,
            dataset={
                "name": run.data.name,
                "fingerprint": dataset_fingerprint(run.data),
                "questions": len(run.data.questions.samples),
                "documents": None if corpus is None else len(corpus),
            },
            unit=run.unit,
            seed=run.combination.config.seed,
            cached=run.pipeline.cached,
            concurrency=self.concurrency,
            cold_seconds=sum(stage["seconds"] for stage in stages),
            paid_seconds=sum(stage["paid"] for stage in stages),
            stages=tuple(stages),
        )

    def _stages(self, run: Run) -> list[dict[str, Any]]:
        chain = {node.key: node for stage in run.pipeline.wanted for node in walk(stage)}
        return [self._stage(node) for node in chain.values() if not isinstance(node, Source)]

    def _stage(self, stage: Stage) -> dict[str, Any]:
        report = self.execution.reports.get(stage.key)
        paid = report.paid_seconds if report is not None and stage.key not in self._paid else 0.0
        self._paid.add(stage.key)
        return {"kind": stage.kind, "key": stage.key, "seconds": self._cold_seconds(stage), "paid": paid}

    def _cold_seconds(self, stage: Stage) -> float:
        if stage.key not in self._seconds:
            if isinstance(stage, RowStage):
                rows = self.workspace.rows(stage)
                seconds = sum(row.seconds for item, row in rows.items() if item in stage.items)
            else:
                artefact = self.workspace.store.find(stage.kind, stage.key)
                seconds = artefact.seconds if artefact is not None else 0.0
            self._seconds[stage.key] = round(seconds, 6)
        return self._seconds[stage.key]


def _with_chunks(run: Run, workspace: Workspace) -> list[Metric]:
    """The run's metrics; the one that judges the chunker alone is given all of its chunks."""
    if not any(isinstance(metric, PrecisionOmega) for metric in run.metrics):
        return list(run.metrics)
    exact = PrecisionOmega(run.pipeline.chunk_spans(workspace))
    return [exact if isinstance(metric, PrecisionOmega) else metric for metric in run.metrics]


def _kept(folder: Path, name: str, computation: str) -> Manifest | None:
    """The manifest of an earlier command whose files are all still there and say just what would be written now."""
    try:
        manifest = Manifest.load(folder)
        whole = all(digest_bytes((folder / file).read_bytes()) == known for file, known in manifest.files.items())
    except (ConfigurationError, OSError):
        return None
    same = manifest.status == "ok" and manifest.name == name and manifest.computation == computation
    return manifest if same and whole and manifest.files else None


@dataclass(frozen=True)
class _Stored:
    """Outcomes that are already there, as a target."""

    found: Sequence[QueryOutcome | Exception]
    gives_answers: bool

    def outcomes(self, samples: Sequence[EvalSample]) -> list[QueryOutcome | Exception]:
        """In the order of the samples."""
        return list(self.found)


def sample_lines(
    run: Run, result: BenchmarkResult, outcomes: Sequence[QueryOutcome | Exception], details: Sequence[str]
) -> bytes:
    """`samples.jsonl`: for each question gold, tags, answer, scores, tokens, and the pipeline's own details."""
    heads = _heads(run.data.questions.samples)
    lines = []
    for head, sample, outcome, detail in zip(heads, result.samples, outcomes, details, strict=True):
        found = {"status": sample.status, "error": sample.error, "answer": sample.answer, "scores": sample.scores}
        if isinstance(outcome, QueryOutcome):
            names = ("latency_ms", "input_tokens", "output_tokens", "context_tokens")
            found |= {name: getattr(outcome, name) for name in names}
        lines.append(f'{{{head},{json.dumps(found)[1:-1]},"detail":{detail}}}\n')
    return "".join(lines).encode("ascii")


def _json_heads(samples: list[EvalSample]) -> list[str]:
    records = [
        {
            "question": sample.question,
            "expected_answers": sample.expected_answers,
            "gold": sample.relevant_ids,
            "tags": sample.metadata,
        }
        for sample in samples
    ]
    return [json.dumps(record, default=str)[1:-1] for record in records]


_heads = once_per_object(_json_heads, maxsize=8)


def _matched(run: Run, result: BenchmarkResult) -> bool | None:
    judging = [metric.name for metric in run.metrics if metric.needs_relevant_ids]
    scores = [sample.scores.get(name) for sample in result.samples for name in judging]
    if all(score is None for score in scores):
        return None
    return any(score for score in scores)


def _forget_result(folder: Path) -> None:
    """A run that has no result any more must not leave an old one behind."""
    for name in (RESULT, SAMPLES):
        (folder / name).unlink(missing_ok=True)
