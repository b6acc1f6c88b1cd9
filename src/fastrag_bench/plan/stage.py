"""The nodes of a plan: sources, stages with one value, and stages with one row for each item.

A stage is an operation and its inputs. Its key says everything that can change its value, so that equal stages of
different pipelines are one stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from fastrag_bench.plan.calls import Calls
from fastrag_bench.plan.keys import Json, digest


class ValueOperation(Protocol):
    """Computes one value, as files in a folder. Must be picklable and must not depend on anything but its inputs."""

    @property
    def kind(self) -> str:
        """The name of this sort of stage, also its folder in the store."""

    @property
    def identity(self) -> Json:
        """Everything beside the inputs that can change the value."""

    @property
    def reads_inputs(self) -> bool:
        """Whether `read` needs the inputs, too."""

    def write(self, inputs: Sequence[Any], folder: Path) -> None:
        """Compute the value and write it into an empty folder.

        An operation may have a method `prepare()`, called first and not timed: loading a model is no part of a value.
        """

    def read(self, inputs: Sequence[Any], folder: Path) -> Any:
        """The value that `write` left there; `inputs` is empty unless `reads_inputs`."""


@dataclass(frozen=True)
class Computed:
    """A row's value, with the seconds of work that was remembered from earlier calls instead of done again."""

    value: Json
    remembered_seconds: float = 0.0
    amortised: bool = False
    """True when some of these seconds are a share of a batched call."""


RowFunction = Callable[[str, Sequence[Json]], Computed]
"""From an item and the values of its upstream rows to this row's value."""


class RowOperation(Protocol):
    """Computes one row for each item. Must be picklable and must not depend on anything but its inputs."""

    @property
    def kind(self) -> str:
        """The name of this sort of stage, also its folder in the store."""

    @property
    def identity(self) -> Json:
        """Everything beside the inputs that can change a row."""

    @property
    def warm_up(self) -> bool:
        """Whether the first item is run once before any is timed."""

    @property
    def concurrent(self) -> bool:
        """Whether several items may be asked at once when the user allows it."""

    def open(self, inputs: Sequence[Any], calls: Callable[[Json], Calls]) -> RowFunction:
        """Get ready with the value inputs; `calls(identity)` is the memory of single calls to the thing so named."""


@dataclass(frozen=True, eq=False)
class Source:
    """A value that comes from outside, named by the digest of its content."""

    kind: str
    key: str
    value: Any
    write: Callable[[Any, Path], None]
    """Writes the value into a folder, for processes that have only the store."""
    read: Callable[[Path], Any]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """None: it comes from outside."""
        return ()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "value": None}


@dataclass(frozen=True, eq=False)
class ValueStage:
    """One value computed from its inputs."""

    operation: ValueOperation
    inputs: tuple[Node, ...] = ()

    @property
    def kind(self) -> str:
        """The operation's kind."""
        return self.operation.kind

    @cached_property
    def key(self) -> str:
        """The stage's identity, 32 hex digits."""
        return digest([self.kind, self.operation.identity, [node.key for node in self.inputs]])


@dataclass(frozen=True, eq=False)
class RowStage:
    """One row for each item, computed from value inputs and from the same item's rows upstream.

    The items stay out of the key: rows are kept item by item, so that added items cost only themselves.
    """

    operation: RowOperation
    items: Mapping[str, str]
    """Item id (a digest of the item) to item, in order."""
    inputs: tuple[Source | ValueStage, ...] = ()
    upstream: tuple[RowStage, ...] = ()

    @property
    def kind(self) -> str:
        """The operation's kind."""
        return self.operation.kind

    @cached_property
    def key(self) -> str:
        """The stage's identity, 32 hex digits."""
        nodes = [[node.key for node in self.inputs], [stage.key for stage in self.upstream]]
        return digest([self.kind, self.operation.identity, nodes])


Node = Source | ValueStage | RowStage
Stage = ValueStage | RowStage


def parents(node: Node) -> tuple[Node, ...]:
    """Everything a node is computed from."""
    return (*node.inputs, *node.upstream) if isinstance(node, RowStage) else node.inputs


@dataclass(frozen=True)
class Row:
    """One item's row: its value or its error, with what it was computed from and how long that took."""

    id: str
    inputs: tuple[str, ...]
    value: Json = None
    seconds: float = 0.0
    error: str | None = None
    amortised: bool = False
    digest: str = field(default="", compare=False)

    @property
    def ok(self) -> bool:
        """Whether the row has a value."""
        return self.error is None
