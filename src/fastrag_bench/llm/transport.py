"""HTTP as far as it is needed here: POST over kept connections, with a deadline and a bound on the reply."""

from __future__ import annotations

import http.client
import select
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastrag_bench.errors import ConfigurationError

MAX_REPLY_BYTES = 64 * 2**20
"""A longer reply is refused, so that a server cannot fill the memory."""

_BLOCK = 64 * 1024


class TransportError(Exception):
    """No whole reply came: refused, dropped, too slow or too long."""


@dataclass(frozen=True)
class Response:
    """Status, headers by lower-case name, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Connections to one server, kept open between calls; safe to share between threads.

    Redirects are not followed, so that a key reaches no other server.

    Args:
        base_url: `http://` or `https://`, with the path all calls share.
        verify: True checks certificates against the system's authorities, a path against those of a PEM file.
        connect_timeout_s: seconds to connect.
        keep: idle connections kept.
    """

    def __init__(self, base_url: str, *, verify: bool | str, connect_timeout_s: float, keep: int) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"base_url {base_url!r} is no http or https address")
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._context = _tls(verify) if parts.scheme == "https" else None
        self._connect_timeout = connect_timeout_s
        self._keep = keep
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def post(
        self,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        on_data: Callable[[bytes], None] | None = None,
    ) -> Response:
        """Send and read the whole reply within `timeout_s`; `on_data` hears each piece of a good reply as it comes.

        Raises:
            TransportError: no whole reply.
        """
        deadline = time.monotonic() + timeout_s
        connection = self._take()
        try:
            response = self._exchange(connection, path, body, headers, deadline, on_data)
        except TimeoutError:
            connection.close()
            raise TransportError(f"no whole reply within {timeout_s:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise TransportError(f"{type(error).__name__}: {error}".rstrip(": ")) from None
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)
        return response

    def close(self) -> None:
        """Close the idle connections, and keep none from now on."""
        with self._lock:
            self._keep = 0
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        deadline: float,
        on_data: Callable[[bytes], None] | None,
    ) -> Response:
        if connection.sock is None:
            connection.timeout = min(self._connect_timeout, _left(deadline))
            connection.connect()
        sock = connection.sock
        sock.settimeout(_left(deadline))
        connection.request("POST", self._prefix + path, body=body, headers=dict(headers))
        reply = connection.getresponse()
        pieces: list[bytes] = []
        size = 0
        while not reply.isclosed():  # from 3.13 on the last piece closes the socket too
            sock.settimeout(_left(deadline))
            piece = reply.read1(_BLOCK)
            if not piece:
                break
            size += len(piece)
            if size > MAX_REPLY_BYTES:
                raise http.client.HTTPException(f"the reply is longer than {MAX_REPLY_BYTES} bytes")
            if on_data is not None and reply.status == 200:
                on_data(piece)
            pieces.append(piece)
        if reply.length:
            raise http.client.HTTPException(f"the reply ended {reply.length} bytes early")
        reply.close()
        names = {name.lower(): value for name, value in reply.getheaders()}
        return Response(reply.status, names, b"".join(pieces))

    def _take(self) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.sock is not None and not _has_ended(connection):
                    return connection
                connection.close()
        if self._context is not None:
            return http.client.HTTPSConnection(self._host, self._port, context=self._context)
        return http.client.HTTPConnection(self._host, self._port)

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and len(self._idle) < self._keep:
                self._idle.append(connection)
                return
        connection.close()


def _has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether an idle connection has something to read, which can only be its end."""
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _tls(verify: bool | str) -> ssl.SSLContext:
    if isinstance(verify, str):
        try:
            return ssl.create_default_context(cafile=verify)
        except OSError as error:
            raise ConfigurationError(f"verify: cannot read certificates from {verify!r}: {error}") from None
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
