"""What keeps a client within its limits: calls in flight, requests and tokens a minute, and a budget."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fastrag_bench.errors import BudgetReachedError
from fastrag_bench.llm.usage import Usage

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class Gate:
    """At most `limit` calls in flight; a refusal for too many halves that, each success gives a little back.

    The calls that were in flight together halve it once together.
    """

    def __init__(self, limit: int) -> None:
        self._halvings = 0
        self._most = limit
        self._allowed = float(limit)
        self._inside = 0
        self._free = threading.Condition()

    @property
    def allowed(self) -> int:
        """How many calls may be in flight now."""
        return max(1, int(self._allowed))

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Wait for a place and hold it; gives what `too_many` wants to know."""
        with self._free:
            while self._inside >= self.allowed:
                self._free.wait()
            self._inside += 1
            seen = self._halvings
        try:
            yield seen
        finally:
            with self._free:
                self._inside -= 1
                self._free.notify()

    def too_many(self, seen: int) -> int:
        """The server refused a call for too many: half as many from now on, at least one.

        Args:
            seen: how often that had happened when the call began; one that is behind changes nothing.

        Returns:
            How often it has happened now.
        """
        with self._free:
            if seen == self._halvings:
                self._halvings += 1
                self._allowed = max(1.0, self._allowed / 2)
            return self._halvings

    def went_well(self) -> None:
        """A call succeeded: about four places more for as many successes as there are places."""
        with self._free:
            if self._allowed < self._most:
                self._allowed = min(float(self._most), self._allowed + 4 / self._allowed)
                self._free.notify()


class Window:
    """At most `limit` units in any `seconds`; a single amount above the limit waits for an empty window."""

    def __init__(self, limit: int, *, seconds: float = 60.0, clock: Clock = time.monotonic) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._taken: deque[list[float]] = deque()
        self._total = 0.0
        self._lock = threading.Lock()

    def take(self, amount: float) -> tuple[float, list[float]]:
        """Seconds to wait before trying again, or 0 and the entry of what was taken."""
        with self._lock:
            now = self._clock()
            while self._taken and self._taken[0][0] <= now - self._seconds:
                self._total -= self._taken.popleft()[1]
            if self._taken and self._total + amount > self._limit:
                return max(self._taken[0][0] + self._seconds - now, 0.001), []
            entry = [now, amount]
            self._taken.append(entry)
            self._total += amount
            return 0.0, entry

    def correct(self, entry: list[float], amount: float) -> None:
        """Put what was really used in the place of what was expected."""
        with self._lock:
            if entry and self._taken and entry[0] >= self._taken[0][0]:
                self._total += amount - entry[1]
                entry[1] = amount


@dataclass(frozen=True)
class Spent:
    """What the calls of this process have used; `unknown` counts the replies that did not say."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unknown: int = 0

    @property
    def tokens(self) -> int:
        """Input and output."""
        return self.input_tokens + self.output_tokens


class Ledger:
    """Adds up what is spent, and refuses the call after the one that reached a budget."""

    def __init__(self, *, calls: int | None, tokens: int | None, usd: float | None) -> None:
        self._budget = {"calls": calls, "tokens": tokens, "usd": usd}
        self._spent = Spent()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spent:
        """So far."""
        return self._spent

    def open_call(self) -> None:
        """Count a call that is about to be made; raises BudgetReachedError instead when a budget is used up."""
        with self._lock:
            for name, most in self._budget.items():
                if most is not None and getattr(self._spent, name) >= most:
                    raise BudgetReachedError(f"budget_{name}={most:g} is used up; raise it and run the same command")
            self._spent = replace(self._spent, calls=self._spent.calls + 1)

    def close_call(self, usage: Usage, usd: float | None, *, expected_tokens: int) -> None:
        """Add a reply's usage; where the reply has none, the budget counts the tokens that were expected."""
        known = usage.input_tokens is not None
        with self._lock:
            self._spent = replace(
                self._spent,
                input_tokens=self._spent.input_tokens + (usage.input_tokens or 0 if known else expected_tokens),
                output_tokens=self._spent.output_tokens + (usage.output_tokens or 0),
                usd=self._spent.usd + (usd or 0.0),
                unknown=self._spent.unknown + (not known),
            )
