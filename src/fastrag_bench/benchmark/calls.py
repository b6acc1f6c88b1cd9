"""Calling a target: timed alone, in a thread where it would block, with a time limit and retries."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any, TypeVar

from fastrag_bench.benchmark.targets import Target

T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """How long a call may take, and what is tried again."""

    timeout_s: float | None = None
    retries: int = 0
    retry_on: tuple[type[Exception], ...] = (Exception,)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call returned or raised, and the seconds of the call alone."""

    value: Any
    error: Exception | None
    seconds: float


async def ask(target: Target, question: str, patience: Patience) -> Reply:
    """Ask a question, again after a failure that `retry_on` names; the reply is the last attempt's."""
    for _ in range(patience.retries):
        reply = await _ask_once(target, question, patience.timeout_s)
        if not isinstance(reply.error, patience.retry_on):
            return reply
    return await _ask_once(target, question, patience.timeout_s)


async def _ask_once(target: Target, question: str, timeout_s: float | None) -> Reply:
    started = perf_counter()
    clock = asyncio.timeout(timeout_s)
    try:
        async with clock:
            return await (_awaited(target.call, question) if target.is_async else _in_thread(target.call, question))
    except TimeoutError:
        if not clock.expired():
            raise
        error = TimeoutError(f"no outcome within {timeout_s:g} s")
        return Reply(None, error, perf_counter() - started)


async def _awaited(call: Callable[[str], Any], question: str) -> Reply:
    started = perf_counter()
    try:
        value = await call(question)
    except Exception as error:
        return Reply(None, error, perf_counter() - started)
    return Reply(value, None, perf_counter() - started)


async def _in_thread(call: Callable[[str], Any], question: str) -> Reply:
    """A blocking call in a thread of its own.

    A thread cannot be stopped: a call that outlives its time limit runs on in the background, but neither takes a place
    from later questions nor keeps the process alive.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None, float]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        reply = context.run(_timed, call, question)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the call went on
            loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(reply))

    threading.Thread(target=work, daemon=True, name="fastrag_bench target").start()
    value, error, seconds = await done
    if error is not None and not isinstance(error, Exception):
        raise error
    if error is None and inspect.isawaitable(value):
        reply = await _awaited(lambda _: value, question)
        return Reply(reply.value, reply.error, seconds + reply.seconds)
    return Reply(value, error, seconds)


def _timed(call: Callable[[str], Any], question: str) -> tuple[Any, BaseException | None, float]:
    started = perf_counter()
    try:
        value = call(question)
    except BaseException as error:
        return None, error, perf_counter() - started
    return value, None, perf_counter() - started


async def as_finished(
    indexes: Iterable[int], work: Callable[[int], Awaitable[T]], *, at_once: int
) -> AsyncGenerator[tuple[int, T], None]:
    """(index, result) of each piece of work as it finishes, at most `at_once` of them running.

    When the caller stops, is cancelled, or a piece of work raises, the running ones are cancelled and awaited.
    """
    waiting = iter(indexes)
    running: dict[asyncio.Task[T], int] = {}
    try:
        while True:
            for index in islice(waiting, at_once - len(running)):
                running[asyncio.ensure_future(work(index))] = index
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda task: running[task]):
                yield running.pop(task), task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
