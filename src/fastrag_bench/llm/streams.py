"""Bodies of chat replies: whole, or as server-sent events, which are put together to the same shape."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

_TEXT = re.compile(rb'"content"\s*:\s*"(?!")')


class FirstToken:
    """Tells the seconds from the start of an attempt to the first piece of text."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def listen(self) -> Callable[[bytes], None]:
        """An attempt begins; returns what hears its pieces."""
        began, tail = time.perf_counter(), b""
        self.seconds = None

        def hear(piece: bytes) -> None:
            nonlocal tail
            if self.seconds is None:
                tail = tail[-64:] + piece
                if _TEXT.search(tail):
                    self.seconds = round(time.perf_counter() - began, 6)

        return hear


def chat_reply(body: bytes) -> dict[str, Any]:
    """The reply in a body, whole or streamed; ValueError where it is none or a stream that broke off."""
    start = body.lstrip()[:6]
    reply = _joined(body) if start.startswith((b"data:", b":", b"event:")) else json.loads(body)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("no choice in it")
    if not isinstance(choices[0].get("message"), dict):
        raise ValueError("no message in it")
    return reply


def _joined(body: bytes) -> dict[str, Any]:
    texts: list[str] = []
    refusals: list[str] = []
    finish: Any = None
    whole: dict[str, Any] = {}
    ended = False
    for line in body.decode("utf-8").splitlines():
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            ended = True
            break
        event = json.loads(data)
        if not isinstance(event, dict) or "error" in event:
            raise ValueError(f"an error in the stream: {data[:200]}")
        whole.update({name: event[name] for name in ("model", "usage") if event.get(name)})
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            texts.append(delta.get("content") or "")
            refusals.append(delta.get("refusal") or "")
            finish = choice.get("finish_reason") or finish
    if not ended and finish is None:
        raise ValueError("the stream broke off")
    message = {"content": "".join(texts), "refusal": "".join(refusals) or None}
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}
