"""The model client under load: 10,000 calls, 5 % faults, 64 in flight; then its overhead against bare HTTP clients.

    python benchmarks/llm_client.py [calls]

Prints what was lost, what was paid twice, how many calls were in flight, memory, and milliseconds a call beside
http.client and, where they are installed, httpx and httpx2. The server is a process of its own on loopback.
"""

from __future__ import annotations

import importlib
import json
import logging
import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tests.llm_server import Reply, Request, serving

from fastrag_bench.llm import client as client_module
from fastrag_bench.llm.chat import ChatModel
from fastrag_bench.llm.client import client_of

IN_FLIGHT = 64
OTHER_FAULTS = (Reply(status=500), Reply(drop="before"), Reply(drop="inside"), Reply(body=b"<html>"))
FAULTS = (*OTHER_FAULTS, *OTHER_FAULTS, Reply(status=503), Reply(status=429, headers={"Retry-After": "0.05"}))


def serve(pipe: Connection, faulty: bool) -> None:
    """Fail every twentieth request in turn; say at the end how often each prompt got a good reply."""
    paid: Counter[str] = Counter()

    def behave(request: Request, number: int) -> Reply:
        if faulty and number % 20 == 19:
            return FAULTS[number // 20 % len(FAULTS)]
        text = request.body["messages"][0]["content"]
        paid[text] += 1
        return Reply(f"answer to {text}", wait_s=0.05 if faulty else 0.0)

    with serving(behave, keep=False) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send((server.count, server.most_inside, server.connections, len(paid), max(paid.values(), default=0)))


class Memory:
    """Keeps replies by key."""

    def __init__(self) -> None:
        self.held: dict[bytes, tuple[float, bytes]] = {}

    def get(self, key: bytes) -> tuple[float, bytes] | None:
        return self.held.get(key)

    def put(self, key: bytes, seconds: float, reply: bytes) -> None:
        self.held.setdefault(key, (seconds, reply))


def with_server(faulty: bool, work: Callable[[str], None]) -> tuple[int, ...]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, faulty), daemon=True)
    process.start()
    work(ours.recv())
    ours.send("end")
    counts: tuple[int, ...] = ours.recv()
    process.join()
    return counts


def messages(number: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"question {number}"}]


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def load(calls: int) -> None:
    memory = Memory()
    attempts: list[int] = []

    def work(url: str) -> None:
        chat = ChatModel(base_url=url, model="tiny", max_in_flight=IN_FLIGHT, attempts=10, timeout_s=30).with_calls(
            memory
        )

        def ask(number: int) -> int:
            reply = chat.complete(messages(number))
            assert reply.text == f"answer to question {number}"
            return reply.attempts

        with ThreadPoolExecutor(2 * IN_FLIGHT) as pool:
            began, cpu = time.perf_counter(), time.process_time()
            attempts.extend(pool.map(ask, range(calls // 2)))
            half = megabytes()
            attempts.extend(pool.map(ask, range(calls // 2, calls)))
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            print(f"{calls} calls in {seconds:.1f} s, {cpu / calls * 1000:.2f} CPU-ms a call in the client")
            print(f"memory: {half:.0f} MB after half, {megabytes():.0f} MB after all (replies kept in memory included)")
            list(pool.map(ask, range(calls)))
        spent = client_of(chat).ledger.spent
        print(f"ledger: {spent.calls} attempts, {spent.tokens} tokens, {spent.unknown} replies without usage")

    count, inside, connections, answered, most = with_server(True, work)
    print(f"server: {count} requests, at most {inside} at once (limit {IN_FLIGHT}), {connections} connections")
    print(
        f"lost {calls - answered}; paid twice: {'none' if most == 1 else most}; retried {sum(n > 1 for n in attempts)}"
    )
    print("asked again from memory: 0 further requests" if count == sum(attempts) else f"EXTRA {count - sum(attempts)}")


def timed(name: str, call: Callable[[int], Any], calls: int) -> None:
    call(0)
    cpu, began = time.process_time(), time.perf_counter()
    for number in range(calls):
        call(number)
    wall = time.perf_counter() - began
    print(f"{name:12} {1000 * wall / calls:6.2f} ms, {1000 * (time.process_time() - cpu) / calls:6.2f} CPU-ms a call")


def overhead(url: str, calls: int = 1000) -> None:
    chat = ChatModel(base_url=url, model="tiny")
    timed("this client", lambda number: chat.complete(messages(number)), calls)
    host = url.split("/")[2]
    bare = HTTPConnection(host)

    def by_http_client(number: int) -> Any:
        body = json.dumps({"model": "tiny", "messages": messages(number)})
        bare.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return json.loads(bare.getresponse().read())

    timed("http.client", by_http_client, calls)
    bare.close()
    for name in ("httpx", "httpx2"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            print(f"{name:12} not installed")
            continue
        with library.Client() as session:
            timed(
                name,
                lambda number, session=session: session.post(
                    f"{url}/chat/completions", json={"model": "tiny", "messages": messages(number)}
                ).json(),
                calls,
            )


def main() -> None:
    logging.disable(logging.WARNING)
    load(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
    client_module.close_clients()
    with_server(False, overhead)


if __name__ == "__main__":
    main()
