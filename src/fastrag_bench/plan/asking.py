"""Asking one question: its time, its error, its time limit and its retries."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fastrag_bench.error_text import error_text
from fastrag_bench.errors import BudgetReachedError
from fastrag_bench.plan.keys import Json, canonical, short_digest
from fastrag_bench.plan.stage import Computed, Row, RowFunction

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """How long one question may take and how often it is asked again after a failure."""

    timeout_s: float | None = None
    retries: int = 0


def ask(
    function: RowFunction, item_id: str, item: str, upstream: Sequence[Json], *, inputs: Sequence[str], limits: Limits
) -> Row:
    """Run one row; a failure is a row with an error, an exception only where a budget is used up.

    Seconds are those of the last attempt.
    """
    for attempt in range(limits.retries + 1):
        began = time.perf_counter()
        try:
            done: Computed = within(limits.timeout_s, lambda: function(item, upstream))
            seconds = time.perf_counter() - began + done.remembered_seconds
            told = short_digest(canonical(done.value))
            return Row(item_id, tuple(inputs), done.value, seconds, amortised=done.amortised, digest=told)
        except BudgetReachedError:
            raise
        except (Exception, SystemExit, GeneratorExit) as error:
            seconds = time.perf_counter() - began
            if attempt == limits.retries:
                return Row(item_id, tuple(inputs), None, seconds, error=error_text(error))
    raise AssertionError("unreachable")


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """The call's result, or TimeoutError after so many seconds; the call itself is abandoned, not stopped."""
    if seconds is None:
        return call()
    replies: queue.SimpleQueue[tuple[bool, T | BaseException]] = queue.SimpleQueue()

    def work() -> None:
        try:
            replies.put((True, call()))
        except BaseException as error:
            replies.put((False, error))

    threading.Thread(target=work, daemon=True, name="fastrag-question").start()
    try:
        ok, reply = replies.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within timeout_s={seconds:g}") from None
    if ok:
        return reply  # type: ignore[return-value]
    raise reply  # type: ignore[misc]
