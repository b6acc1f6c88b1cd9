"""Toy stages that count their calls: numbers instead of documents, so that every value can be worked out by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastrag_bench.plan.keys import digest_bytes
from fastrag_bench.plan.stage import Computed, RowFunction, RowStage, Source, ValueStage

CALLS: Counter[str] = Counter()


def source(numbers: list[int]) -> Source:
    def write(value: list[int], folder: Path) -> None:
        (folder / "numbers.json").write_text(json.dumps(value), encoding="utf-8")

    return Source("numbers", digest_bytes(json.dumps(numbers).encode()), numbers, write, read_numbers)


def read_numbers(folder: Path) -> Any:
    return json.loads((folder / "numbers.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Add:
    """Adds `amount` to every number of its one input."""

    amount: int
    fails: bool = False
    kind: str = "add"
    reads_inputs: bool = False

    @property
    def identity(self) -> Any:
        return {"add": self.amount}

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        CALLS[f"add {self.amount}"] += 1
        if self.fails:
            raise RuntimeError("cannot add")
        (folder / "numbers.json").write_text(json.dumps([n + self.amount for n in inputs[0]]), encoding="utf-8")

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        return read_numbers(folder)


@dataclass(frozen=True)
class Pick:
    """For the item "i" the i-th number of its input, plus what the upstream row says; odd ones out can fail."""

    name: str = "pick"
    failing: set[str] = field(default_factory=set)
    offset: Callable[[], int] = int
    warm_up: bool = False
    concurrent: bool = False

    @property
    def kind(self) -> str:
        return self.name

    @property
    def identity(self) -> Any:
        return {"pick": self.name}

    def open(self, inputs: Sequence[Any], calls: Any) -> RowFunction:
        def pick(item: str, upstream: Sequence[Any]) -> Computed:
            CALLS[f"{self.name} {item}"] += 1
            if item in self.failing:
                raise ValueError(f"no {item}")
            return Computed((inputs[0][int(item)] if inputs else 0) + sum(upstream) + self.offset())

        return pick


def items(*names: str) -> dict[str, str]:
    return {f"id-{name}": name for name in names}


def add(node: Source | ValueStage, amount: int, *, fails: bool = False) -> ValueStage:
    return ValueStage(Add(amount, fails), (node,))


def pick(node: Source | ValueStage, *names: str, operation: Pick | None = None) -> RowStage:
    return RowStage(operation or Pick(), items(*names), (node,))


def after(stage: RowStage, operation: Pick) -> RowStage:
    return RowStage(operation, stage.items, (), (stage,))
