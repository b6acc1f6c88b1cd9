"""A server on loopback that speaks as much of the OpenAI protocol as a client can meet, good and bad."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server does with one request."""

    text: str = "ok"
    status: int = 200
    body: Any = None
    """Sent in place of a chat reply: bytes as they are, else as JSON."""
    headers: dict[str, str] = field(default_factory=dict)
    usage: Any = field(default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12})
    model: str = "tiny"
    finish_reason: str = "stop"
    wait_s: float = 0.0
    drop: str = ""
    """`before`: close without a byte; `inside`: close within the body; `after`: close in silence behind it."""
    stream: tuple[str, ...] = ()
    pause_s: float = 0.0
    """Before each piece of a stream."""


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any
    at: float


class LlmServer:
    """Replies to request number n (from 0) with what `behave(request, n)` says, and keeps all requests."""

    def __init__(self, behave: Callable[[Request, int], Reply], *, keep: bool = True) -> None:
        self.behave = behave
        self.requests: list[Request] = []
        self.count = self.inside = self.most_inside = self.connections = 0
        self._keep = keep
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                with server._lock:
                    server.connections += 1

            def do_POST(self) -> None:
                server._answer(self)

            def log_message(self, *_: Any) -> None: ...

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_: Any) -> None: ...

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        content = handler.rfile.read(int(handler.headers["Content-Length"]))
        request = Request(handler.path, dict(handler.headers), json.loads(content), time.monotonic())
        with self._lock:
            number = self.count
            self.count += 1
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
            if self._keep:
                self.requests.append(request)
        try:
            reply = self.behave(request, number)
            time.sleep(reply.wait_s)
        finally:
            with self._lock:
                self.inside -= 1
        _send(handler, reply)

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    if reply.drop == "before":
        handler.close_connection = True
        return
    if reply.stream:
        _send_stream(handler, reply)
        return
    body = reply.body if reply.body is not None else chat_body(reply)
    content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    handler.send_response(reply.status)
    for name, value in {"Content-Type": "application/json", **reply.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    if reply.drop == "inside":
        handler.wfile.write(content[: len(content) // 2])
        handler.close_connection = True
        return
    handler.wfile.write(content)
    handler.close_connection = handler.close_connection or reply.drop == "after"


def chat_body(reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    body = {"model": reply.model, "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}]}
    return body if reply.usage is None else {**body, "usage": reply.usage}


def _send_stream(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    for text in reply.stream:
        time.sleep(reply.pause_s)
        _event(handler, {"model": reply.model, "choices": [{"delta": {"content": text}}]})
    if reply.drop == "inside":
        return
    _event(handler, {"choices": [{"delta": {}, "finish_reason": reply.finish_reason}]})
    _event(handler, {"choices": [], "usage": reply.usage})
    handler.wfile.write(b"data: [DONE]\n\n")


def _event(handler: BaseHTTPRequestHandler, event: Any) -> None:
    handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.flush()


@contextmanager
def serving(behave: Callable[[Request, int], Reply] | list[Reply] | None = None, **options: Any) -> Iterator[LlmServer]:
    """A running server; a list is answered from in order, its last entry for ever."""
    if isinstance(behave, list):
        replies = behave
        behave = lambda _, number: replies[min(number, len(replies) - 1)]  # noqa: E731
    server = LlmServer(behave or (lambda request, number: Reply()), **options)
    thread = threading.Thread(target=server._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server._http.shutdown()
        server._http.server_close()
        thread.join()
