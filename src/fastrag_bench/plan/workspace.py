"""One process's view of the store: values and rows of stages, read once, computed when they are not there.

Everything here pulls: asking for a value makes it exist. So an artefact that is damaged or deleted while a sweep runs
is simply computed again by whoever needs it next.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fastrag_bench.files import write_atomic
from fastrag_bench.plan.asking import Limits, ask
from fastrag_bench.plan.calls import Calls
from fastrag_bench.plan.keys import Json, digest
from fastrag_bench.plan.rows import RowWriter, current_rows, read_rows, with_digest
from fastrag_bench.plan.stage import Node, Row, RowFunction, RowStage, Source, Stage, ValueStage
from fastrag_bench.plan.store import MANIFEST, Artefact, Store
from fastrag_bench.plan.threads import ThreadExecutor

log = logging.getLogger(__name__)
LOADED_VALUES = 24
STALE = "stale"
"""The digest of a stored value whose inputs have changed: equal to no digest."""


class Reporter(Protocol):
    """Hears what happens while stages run."""

    def stage_started(self, stage: Stage) -> None:
        """A stage is about to be computed."""

    def row_done(self, stage: Stage, done: int, total: int) -> None:
        """One more row of this stage is there."""

    def stage_ended(self, stage: Stage, report: Report) -> None:
        """A stage is complete, or as complete as it can be."""


class Silent:
    """A reporter that says nothing."""

    def stage_started(self, stage: Stage) -> None:
        """Say nothing."""

    def row_done(self, stage: Stage, done: int, total: int) -> None:
        """Say nothing."""

    def stage_ended(self, stage: Stage, report: Report) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Report:
    """What running a stage did: whether a value was computed, or how many rows, and the seconds this run paid."""

    computed: int = 0
    failed: int = 0
    paid_seconds: float = 0.0


@dataclass(frozen=True)
class Settings:
    """How rows are asked for; none of it can change a value."""

    limits: Limits = field(default_factory=Limits)
    max_concurrent: int = 1
    parallel_rows: bool = False


class Workspace:
    """Values, rows and digests of stages over one store."""

    def __init__(self, store: Store, settings: Settings | None = None, reporter: Reporter | None = None) -> None:
        self.store = store
        self.settings = settings or Settings()
        self.reporter: Reporter = reporter or Silent()
        self._values: OrderedDict[str, Any] = OrderedDict()
        self._rows: dict[str, dict[str, Row]] = {}
        self._digests: dict[str, str | None] = {}
        self._verified: set[str] = set()
        self._calls: dict[str, Calls] = {}
        self._lock = threading.RLock()

    def value(self, node: Node) -> Any:
        """The value of a source or a value stage; computes it, and what it needs, where the store has it not."""
        if isinstance(node, RowStage):
            raise TypeError("a row stage has rows, not a value")
        with self._lock:
            if node.key not in self._values:
                self._values[node.key] = self._read(node)
                while len(self._values) > LOADED_VALUES:
                    self._values.popitem(last=False)
            self._values.move_to_end(node.key)
            return self._values[node.key]

    def digest(self, node: Source | ValueStage) -> str | None:
        """The digest of what the store holds for a node; None if it holds nothing, STALE if its inputs have changed."""
        if isinstance(node, Source):
            return node.key
        if node.key not in self._digests:
            self._digests[node.key] = self._stored_digest(node)
        return self._digests[node.key]

    def stored(self, stage: ValueStage) -> bool:
        """Whether the store has a current value."""
        return self.digest(stage) not in (None, STALE)

    def rows(self, stage: RowStage) -> dict[str, Row]:
        """The rows that are there, by item id: each with a value, its last error, or that of the row above."""
        if stage.key not in self._rows:
            found, damaged = read_rows(self.store.folder(stage.kind, stage.key))
            if damaged:
                log.warning("%d rows of stored %s %s are damaged; computed again", damaged, stage.kind, stage.key)
            rows = current_rows(found, {item: self._expected(stage, item) for item in stage.items})
            for item in stage.items if stage.upstream else ():
                error = None if item in rows and rows[item].ok else self._upstream_error(stage, item)
                if error is not None:
                    rows[item] = with_digest(Row(item, (), error=error))
            self._rows[stage.key] = rows
        return self._rows[stage.key]

    def missing(self, stage: RowStage) -> list[str]:
        """The items that have no row with a value."""
        rows = self.rows(stage)
        return [item for item in stage.items if item not in rows or not rows[item].ok]

    def forget(self, stage: Stage) -> None:
        """Look at the store again before answering for this stage: another process has worked on it."""
        self._rows.pop(stage.key, None)
        self._digests.pop(stage.key, None)

    def run(self, stage: Stage) -> Report:
        """Make a stage complete: compute its value or its missing rows. Raises what the operation raises."""
        with self.store.lock(stage.key):
            self.forget(stage)
            if isinstance(stage, ValueStage):
                return Report() if self.stored(stage) else self._compute(stage)
            return self._fill(stage) if self.missing(stage) else Report()

    def close(self) -> None:
        """Write out and close the call memories."""
        for calls in self._calls.values():
            calls.close()
        self._calls.clear()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, node: Source | ValueStage) -> Any:
        if isinstance(node, Source):
            return node.read(self.store.folder(node.kind, node.key)) if node.value is None else node.value
        for _ in range(3):
            if not self.stored(node):
                self.run(node)
            artefact = self.store.find(node.kind, node.key)
            if artefact is not None and self._sound(node, artefact):
                inputs = [self.value(source) for source in node.inputs] if node.operation.reads_inputs else []
                return node.operation.read(inputs, artefact.folder)
            self.forget(node)
        raise OSError(f"{self.store.folder(node.kind, node.key)} does not stay as it is written")

    def _sound(self, node: ValueStage, artefact: Artefact) -> bool:
        if node.key not in self._verified:
            if not self.store.verify(artefact):
                self.store.set_aside(node.kind, node.key, "a checksum differs")
                return False
            self._verified.add(node.key)
        return True

    def _stored_digest(self, stage: ValueStage) -> str | None:
        artefact = self.store.find(stage.kind, stage.key)
        if artefact is None:
            return None
        now = [self._known(node) for node in stage.inputs]
        agree = all(known in (None, then) for known, then in zip(now, artefact.input_digests, strict=True))
        return artefact.digest if agree else STALE

    def _known(self, node: Node) -> str | None:
        assert not isinstance(node, RowStage)
        return self.digest(node)

    def _compute(self, stage: ValueStage) -> Report:
        if self.digest(stage) == STALE:
            self.store.discard(stage.kind, stage.key)
        inputs = [self.value(node) for node in stage.inputs]
        self.reporter.stage_started(stage)

        def write(folder: Path) -> float:
            getattr(stage.operation, "prepare", lambda: None)()
            began = time.perf_counter()
            stage.operation.write(inputs, folder)
            return time.perf_counter() - began

        artefact = self.store.add(
            stage.kind,
            stage.key,
            write=write,
            identity=stage.operation.identity,
            input_keys=[node.key for node in stage.inputs],
            input_digests=[str(self._known(node)) for node in stage.inputs],
        )
        self._digests[stage.key] = artefact.digest
        self._verified.add(stage.key)
        report = Report(computed=1, paid_seconds=artefact.seconds)
        self.reporter.stage_ended(stage, report)
        return report

    def _expected(self, stage: RowStage, item: str) -> tuple[str | None, ...]:
        values = [self.digest(node) for node in stage.inputs]
        above = [self.rows(upstream).get(item) for upstream in stage.upstream]
        return (*values, *(row.digest if row else None for row in above))

    def _fill(self, stage: RowStage) -> Report:
        for upstream in stage.upstream:
            if self.missing(upstream):
                self.run(upstream)
        self._rows.pop(stage.key)
        todo = [item for item in self.missing(stage) if self._upstream_error(stage, item) is None]
        began = time.perf_counter()
        if todo:
            self._ask_all(stage, todo)
        failed = len(self.missing(stage))
        if not failed:
            self._complete(stage)
        report = Report(len(todo), failed, time.perf_counter() - began)
        self.reporter.stage_ended(stage, report)
        return report

    def _upstream_error(self, stage: RowStage, item: str) -> str | None:
        rows = [self.rows(upstream).get(item) for upstream in stage.upstream]
        return next((row.error for row in rows if row is not None and not row.ok), None)

    def _ask_all(self, stage: RowStage, todo: Sequence[str]) -> None:
        inputs = [self.value(node) for node in stage.inputs]
        self.reporter.stage_started(stage)
        function = stage.operation.open(inputs, self.calls)
        if stage.operation.warm_up:
            self._ask(stage, function, todo[0])
        known = self._rows[stage.key]
        with RowWriter(self.store.folder(stage.kind, stage.key)) as writer:
            for done, row in enumerate(self._answers(stage, function, todo), 1):
                writer.append(row)
                known[row.id] = with_digest(row)
                self.reporter.row_done(stage, done, len(todo))
        for calls in self._calls.values():
            calls.flush()

    def _answers(self, stage: RowStage, function: RowFunction, todo: Sequence[str]) -> Iterator[Row]:
        at_once = self.settings.max_concurrent if stage.operation.concurrent or self.settings.parallel_rows else 1
        if at_once == 1:
            for item in todo:
                yield self._ask(stage, function, item)
            return
        pool = ThreadExecutor(at_once)
        try:
            futures = [pool.submit(self._ask, stage, function, item) for item in todo]
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, stage: RowStage, function: RowFunction, item: str) -> Row:
        above = [self.rows(upstream)[item].value for upstream in stage.upstream]
        inputs = [str(part) for part in self._expected(stage, item)]
        return ask(function, item, stage.items[item], above, inputs=inputs, limits=self.settings.limits)

    def calls(self, identity: Json) -> Calls:
        """The memory of calls to the thing of this identity."""
        name = digest(identity)
        with self._lock:
            if name not in self._calls:
                self._calls[name] = Calls(self.store.root / "calls" / name)
            return self._calls[name]

    def _complete(self, stage: RowStage) -> None:
        folder = self.store.folder(stage.kind, stage.key)
        record = {
            "kind": stage.kind,
            "key": stage.key,
            "identity": stage.operation.identity,
            "input_keys": [node.key for node in (*stage.inputs, *stage.upstream)],
            "input_digests": [self.digest(node) for node in stage.inputs],
            "rows": len(stage.items),
            "seconds": round(sum(row.seconds for row in self.rows(stage).values()), 6),
        }
        write_atomic(folder / MANIFEST, json.dumps(record, indent=1))
