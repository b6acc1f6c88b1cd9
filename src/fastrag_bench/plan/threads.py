"""Threads for work that may hang: an interrupted process does not wait for them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class ThreadExecutor(Executor):
    """Threads that do not keep an interrupted process alive, as those of the standard library do."""

    def __init__(self, n_jobs: int) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(n_jobs)]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run the call in the next free thread."""
        future: Future[Any] = Future()
        self._work.put(lambda: _complete(future, lambda: function(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end after what was submitted, or with `cancel_futures` after what they are at."""
        while cancel_futures and not self._work.empty():
            self._work.get()
        for _ in self._threads:
            self._work.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _serve(self) -> None:
        while (call := self._work.get()) is not None:
            call()


def _complete(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
