"""Replies that are kept: each call is made once, and later ones with the same key get what it got."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from fastrag_bench.llm.client import client_of
from fastrag_bench.llm.endpoint import Endpoint


def request_key(endpoint: Endpoint, path: str, wished: Any) -> bytes:
    """16 bytes over address, headers and all that is asked for, so that two models or two prompts never share a reply.

    The prompt enters as the text that is sent, the repeat by its seed.
    """
    parts = [endpoint.base_url, endpoint.model, path, endpoint.headers, wished]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).digest()


def remembered(endpoint: Endpoint, key: bytes, ask: Callable[[], tuple[float, Any]]) -> tuple[Any, bool]:
    """The reply of an earlier call of this key, or of the call `ask` makes now; and whether it is an earlier one.

    Args:
        endpoint: whose memory is asked; without one every call is made.
        key: names the call.
        ask: makes the call; returns its seconds and its reply as JSON values.
    """
    memory = endpoint.calls
    if memory is None:
        return ask()[1], False
    held = memory.get(key)
    if held is None:
        with client_of(endpoint).once(key):
            held = memory.get(key)
            if held is None:
                seconds, value = ask()
                memory.put(key, seconds, json.dumps(value, ensure_ascii=True).encode("ascii"))
                return value, False
    return json.loads(held[1]), True
