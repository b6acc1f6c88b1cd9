"""Gives parts that ask a model the memory of earlier calls, and tells what that memory saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fastrag_bench.component import Json
from fastrag_bench.contracts import CallMemory, UsesCalls
from fastrag_bench.plan.calls import Calls

T = TypeVar("T")


class Recalled:
    """The memory as one row sees it: adds up the seconds of the calls that did not have to be made."""

    def __init__(self, calls: CallMemory) -> None:
        self._calls = calls
        self.seconds = 0.0

    def get(self, key: bytes) -> tuple[float, bytes] | None:
        """As `CallMemory.get`."""
        held = self._calls.get(key)
        if held is not None:
            self.seconds += held[0]
        return held

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        """As `CallMemory.put`."""
        self._calls.put(key, seconds, reply)


class _NothingKept:
    def get(self, key: bytes) -> tuple[float, bytes] | None:
        return None

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        return None


def for_each_row(part: T, calls: Callable[[Json], Calls]) -> Callable[[], tuple[T, Recalled]]:
    """For each row: the part, asking the memory first if it asks a model at all, and what that saved."""
    if not isinstance(part, UsesCalls):
        return lambda: (part, Recalled(_NothingKept()))
    memory = calls(part.calls_identity)

    def opened() -> tuple[T, Recalled]:
        recalled = Recalled(memory)
        return part.with_calls(recalled), recalled

    return opened


def asks_model(part: object) -> bool:
    """Whether a part waits for a model elsewhere, so that several questions at once make sense."""
    return isinstance(part, UsesCalls)
