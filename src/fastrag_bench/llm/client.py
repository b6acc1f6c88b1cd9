"""Calls to one server: retried, within limits and budget, and each made once however many ask for it."""

from __future__ import annotations

import atexit
import email.utils
import json
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fastrag_bench.error_text import mask_secrets
from fastrag_bench.errors import ModelError
from fastrag_bench.llm.endpoint import Endpoint
from fastrag_bench.llm.limits import Clock, Gate, Ledger, Sleep, Window
from fastrag_bench.llm.transport import Response, Transport, TransportError
from fastrag_bench.llm.usage import Usage

Read = Callable[[bytes], Any]
"""From a body to a reply; raises ValueError for one that is broken, which is then asked for again."""

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
_AGAIN = {408, 409, 429}
_NEVER = {501, 505}


class RejectedError(ModelError):
    """The server does not accept the request as it is; `status` and `detail` say why."""

    def __init__(self, message: str, *, status: int, detail: str) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail


@dataclass(frozen=True)
class Received:
    """A reply, the seconds of the attempt that brought it, and how many attempts there were."""

    reply: Any
    seconds: float
    attempts: int


class Client:
    """Calls to one server, from any number of threads."""

    def __init__(
        self, endpoint: Endpoint, *, clock: Clock = time.monotonic, sleep: Sleep = time.sleep, seed: int | None = None
    ) -> None:
        self._transport = Transport(
            endpoint.base_url,
            verify=endpoint.verify,
            connect_timeout_s=endpoint.connect_timeout_s,
            keep=endpoint.max_in_flight,
        )
        self._clock, self._sleep = clock, sleep
        self._random = random.Random(seed)
        self.gate = Gate(endpoint.max_in_flight)
        limits = (endpoint.requests_per_minute, endpoint.tokens_per_minute)
        self._requests, self._tokens = (None if most is None else Window(most, clock=clock) for most in limits)
        self.ledger = Ledger(calls=endpoint.budget_calls, tokens=endpoint.budget_tokens, usd=endpoint.budget_usd)
        self._not_before = 0.0
        self._flights: dict[bytes, _Flight] = {}
        self._lock = threading.Lock()
        self.accepts: dict[str, dict[str, Any]] = {}
        """What this server was found to accept, by model and setting."""

    def close(self) -> None:
        """Close the idle connections; calls that are being made end first and then close theirs."""
        self._transport.close()

    @contextmanager
    def once(self, key: bytes) -> Iterator[None]:
        """Hold a call, so that those who ask for the same at once wait for the one that is made."""
        with self._lock:
            flight = self._flights.setdefault(key, _Flight())
            flight.waiting += 1
        try:
            with flight.lock:
                yield
        finally:
            with self._lock:
                flight.waiting -= 1
                if not flight.waiting:
                    del self._flights[key]

    def post(
        self,
        endpoint: Endpoint,
        path: str,
        body: Mapping[str, Any],
        *,
        read: Read = json.loads,
        cost: Callable[[Usage], float | None] | None = None,
        listen: Callable[[], Callable[[bytes], None]] | None = None,
    ) -> Received:
        """The reply to one call.

        Args:
            endpoint: whose timeouts, headers and price hold for this call.
            path: after the base URL, such as `/chat/completions`.
            body: sent as JSON.
            read: makes the reply of the body.
            cost: dollars of a usage; the price of a chat by default.
            listen: called as each attempt begins; what it returns hears each piece of a good reply as it comes.

        Raises:
            RejectedError: the server refuses the request (4xx); it is not sent again.
            BudgetReachedError: a budget is used up.
            ModelError: no usable reply within the attempts and the deadline.
        """
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        expected = len(content) // 4 + 1 + int(body.get("max_tokens") or 0)
        attempt = 0
        with self.gate.slot() as seen:
            began = self._clock()
            while True:
                attempt += 1
                entry, waited = self._wait(expected)
                began += waited
                left = endpoint.deadline_s - (self._clock() - began)
                try:
                    seconds, reply = self._try(endpoint, path, content, left, read, listen)
                    self._settle(endpoint, reply, expected, entry, cost)
                    return Received(reply, seconds, attempt)
                except _Again as again:
                    if again.too_many:
                        seen = self.gate.too_many(seen)
                    pause = self._pause(endpoint, again, attempt, endpoint.deadline_s - (self._clock() - began))
                self._sleep(pause)

    def _settle(
        self,
        endpoint: Endpoint,
        reply: Any,
        expected: int,
        entry: list[float],
        cost: Callable[[Usage], float | None] | None,
    ) -> None:
        usage = Usage.of(reply)
        self.ledger.close_call(usage, (cost or endpoint.cost)(usage), expected_tokens=expected)
        if self._tokens is not None and usage.input_tokens is not None:
            self._tokens.correct(entry, usage.input_tokens + (usage.output_tokens or 0))
        self.gate.went_well()

    def _try(
        self,
        endpoint: Endpoint,
        path: str,
        content: bytes,
        left: float,
        read: Read,
        listen: Callable[[], Callable[[bytes], None]] | None,
    ) -> tuple[float, Any]:
        secrets = endpoint.secrets()
        headers = {"Content-Type": "application/json", "User-Agent": "fastrag_bench", **endpoint.headers, **secrets}
        self.ledger.open_call()
        on_data = listen() if listen is not None else None
        began = time.perf_counter()
        try:
            response = self._transport.post(
                path, content, headers, timeout_s=max(0.001, min(endpoint.timeout_s, left)), on_data=on_data
            )
        except TransportError as error:
            raise _Again(str(error)) from None
        seconds = time.perf_counter() - began
        response = _without(response, secrets)
        if response.status != 200:
            self._refused(endpoint, response)
        try:
            return seconds, read(response.body)
        except (ValueError, RecursionError) as error:
            raise _Again(f"the reply cannot be read: {type(error).__name__}: {str(error)[:200]}") from None

    def _refused(self, endpoint: Endpoint, response: Response) -> None:
        detail = mask_secrets(response.body[:2000].decode("utf-8", "replace"))
        message = f"{endpoint.base_url} replied {response.status} for model {endpoint.model!r}: {detail[:500].strip()}"
        status = response.status
        if status in _AGAIN or (status >= 500 and status not in _NEVER):
            if "insufficient_quota" in detail:
                raise ModelError(message)
            raise _Again(message, wait=_retry_after(response.headers), too_many=status == 429)
        if status in (401, 403) and endpoint.api_key_env:
            message += f" (the key is read from the environment variable {endpoint.api_key_env})"
        raise RejectedError(message, status=status, detail=detail)

    def _pause(self, endpoint: Endpoint, again: _Again, attempt: int, left: float) -> float:
        """Seconds until the next attempt; raises ModelError where there is none."""
        if attempt >= endpoint.attempts:
            raise ModelError(f"no usable reply in {attempt} attempts; the last: {again}")
        with self._lock:
            longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
            pause = self._random.uniform(longest / 2, longest)
        if again.wait is not None:
            if again.wait > endpoint.max_retry_after_s:
                raise ModelError(f"the server asks to wait {again.wait:g} s, more than max_retry_after_s: {again}")
            pause = again.wait + pause / 10
            with self._lock:
                self._not_before = max(self._not_before, self._clock() + again.wait)
        if pause >= left:
            raise ModelError(f"no usable reply within deadline_s={endpoint.deadline_s:g}; the last: {again}")
        return pause

    def _wait(self, expected: int) -> tuple[list[float], float]:
        """Wait until the server and the limits allow an attempt; the tokens' entry and the seconds waited."""
        began = self._clock()
        while (pause := self._not_before - self._clock()) > 0:
            self._sleep(pause)
        entry: list[float] = []
        for window, amount in ((self._requests, 1), (self._tokens, expected)):
            while window is not None:
                pause, entry = window.take(amount)
                if entry:
                    break
                self._sleep(pause)
        return entry if self._tokens is not None else [], self._clock() - began


class _Flight:
    """A call that is being made, and how many want it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting = 0


class _Again(Exception):
    """An attempt failed in a way that another may not; `wait` is what the server asked for, in seconds."""

    def __init__(self, message: str, *, wait: float | None = None, too_many: bool = False) -> None:
        super().__init__(message)
        self.wait = wait
        self.too_many = too_many


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds or as a date, or `retry-after-ms`; None where there is neither."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        text = headers.get("retry-after", "").strip()
        if not text:
            return None
        if text.replace(".", "", 1).isdigit():
            return float(text)
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _without(response: Response, secrets: Mapping[str, str]) -> Response:
    """The response with `***` for any secret that was sent."""
    body = response.body
    for value in secrets.values():
        bare = value.removeprefix("Bearer ").encode()
        if len(bare) >= 8 and bare in body:
            body = body.replace(bare, b"***")
    return Response(response.status, response.headers, body)


_CONNECTION = (
    "base_url",
    "headers",
    "header_env",
    "api_key_env",
    "verify",
    "connect_timeout_s",
    "max_in_flight",
    "requests_per_minute",
    "tokens_per_minute",
    "budget_calls",
    "budget_tokens",
    "budget_usd",
)


_CLIENTS: OrderedDict[str, Client] = OrderedDict()
_OPENING = threading.Lock()
KEPT_CLIENTS = 64


def client_of(endpoint: Endpoint) -> Client:
    """The client of a server in this process: parts that reach it in the same way share limits and budget."""
    key = json.dumps([getattr(endpoint, name) for name in _CONNECTION], sort_keys=True)
    with _OPENING:
        if key not in _CLIENTS:
            _CLIENTS[key] = Client(endpoint)
            while len(_CLIENTS) > KEPT_CLIENTS:
                _CLIENTS.popitem(last=False)[1].close()
        _CLIENTS.move_to_end(key)
        return _CLIENTS[key]


@atexit.register
def close_clients() -> None:
    """Close all connections and forget what was spent and learned."""
    with _OPENING:
        while _CLIENTS:
            _CLIENTS.popitem()[1].close()
