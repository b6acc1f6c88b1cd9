"""A chat model: its settings, and one reply to a list of messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NoReturn, Protocol, runtime_checkable

from pydantic import Field, PositiveInt

from fastrag_bench.component import Component
from fastrag_bench.contracts import Absent
from fastrag_bench.errors import ConfigurationError, UnusableReplyError
from fastrag_bench.llm.client import Client, Received, RejectedError, client_of
from fastrag_bench.llm.endpoint import Endpoint
from fastrag_bench.llm.memory import remembered, request_key
from fastrag_bench.llm.streams import FirstToken, chat_reply
from fastrag_bench.llm.usage import Usage

PATH = "/chat/completions"
Messages = Sequence[Mapping[str, str]]
Structured = Literal["auto", "json_schema", "json_object", "text"]
_DROPPED = ("temperature", "seed", "top_p")
"""What is left out for a server that rejects it by name."""
_LADDER = ("json_schema", "json_object", "text")


@dataclass(frozen=True)
class Reply:
    """What a model said, and what the server said of it; None is what it did not say."""

    text: str
    finish_reason: str | None
    model: str | None
    """The name in the reply, which may be more exact than the one asked for."""
    usage: Usage
    cost_usd: float | None
    seconds: float
    """Of the attempt that brought the reply, alone."""
    first_token_s: float | None
    """Of the same, to the first piece of text; only with `stream`."""
    attempts: int
    changed: tuple[str, ...]
    """Settings that the server rejected, so that the call was made without them or in another way."""
    remembered: bool = False
    """Whether it is the reply of an earlier call."""

    def record(self) -> dict[str, Any]:
        """What is written down of the call beside the text, the same however often it is read."""
        return {
            "model": self.model,
            "finish_reason": self.finish_reason,
            "input_tokens": self.usage.input_tokens,
            "cached_input_tokens": self.usage.cached_input_tokens,
            "output_tokens": self.usage.output_tokens,
            "seconds": round(self.seconds, 6),
            "first_token_s": self.first_token_s,
            "attempts": self.attempts,
            "changed": list(self.changed),
        }


@runtime_checkable
class Chat(Protocol):
    """Whatever replies to messages."""

    def complete(self, messages: Messages, *, schema: Mapping[str, Any] | None = None) -> Reply:
        """One reply; with a JSON schema, in the nearest form the server can be held to."""


class ChatModel(Endpoint):
    """A chat model on a server with the OpenAI protocol."""

    temperature: Annotated[float | None, Field(ge=0, le=2)] = 0.0
    """0 = the likeliest token each time; None = not sent."""

    top_p: Annotated[float | None, Field(gt=0, le=1)] = None
    """Sample from the likeliest tokens of this probability; None = not sent."""

    max_tokens: PositiveInt | None = 512
    """The longest reply; sent as `max_completion_tokens` where the server asks for that; None = not sent."""

    stop: tuple[str, ...] = ()
    """The reply ends before any of these."""

    seed: int | None = 0
    """Sent with each call, and part of its key: another seed is another draw, even where the server ignores it."""

    extra_body: dict[str, Any] = Field(default={})
    """Further members of the request, as the server names them."""

    structured: Structured = "auto"
    """How JSON is asked for: by schema, as any JSON, in words alone; `auto` finds the first that the server takes."""

    stream: bool = False
    """Take the reply piece by piece, which tells the time to the first token."""

    def complete(self, messages: Messages, *, schema: Mapping[str, Any] | None = None) -> Reply:
        """One reply, from memory where the same was asked before.

        Raises:
            UnusableReplyError: the model refused, or said nothing.
            ModelError: as `Client.post`.
        """
        wished = self._wished(messages)
        asked = {**wished, "schema": schema and [self.structured, schema]}
        value, earlier = remembered(self, request_key(self, PATH, asked), lambda: self._ask(wished, schema))
        usage = Usage(*value["usage"])
        return Reply(
            text=value["text"],
            finish_reason=value["finish_reason"],
            model=value["model"],
            usage=usage,
            cost_usd=self.cost(usage),
            seconds=value["seconds"],
            first_token_s=value["first_token_s"],
            attempts=value["attempts"],
            changed=tuple(value["changed"]),
            remembered=earlier,
        )

    def _wished(self, messages: Messages) -> dict[str, Any]:
        settings = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "stop": list(self.stop) or None,
            "seed": self.seed,
            "stream": self.stream or None,
            "stream_options": {"include_usage": True} if self.stream else None,
        }
        sent = {name: value for name, value in settings.items() if value is not None}
        return {"model": self.model, "messages": [dict(message) for message in messages], **sent, **self.extra_body}

    def _ask(self, wished: Mapping[str, Any], schema: Mapping[str, Any] | None) -> tuple[float, Any]:
        client = client_of(self)
        first = FirstToken()
        received, changed = self._negotiate(client, wished, schema, first)
        choice = received.reply["choices"][0]
        text = _text_of(choice, self.model)
        usage = Usage.of(received.reply)
        model = received.reply.get("model")
        return received.seconds, {
            "text": text,
            "finish_reason": choice.get("finish_reason"),
            "model": model if isinstance(model, str) else None,
            "usage": [usage.input_tokens, usage.output_tokens, usage.cached_input_tokens],
            "seconds": received.seconds,
            "first_token_s": first.seconds if self.stream else None,
            "attempts": received.attempts,
            "changed": changed,
        }

    def _negotiate(
        self, client: Client, wished: Mapping[str, Any], schema: Mapping[str, Any] | None, first: FirstToken
    ) -> tuple[Received, list[str]]:
        """Ask with all settings, and without those the server rejects; what it accepts is remembered for later."""
        accepts = dict(client.accepts.get(self.model, {}))
        while True:
            body = self._accepted(wished, schema, accepts)
            try:
                received = client.post(self, PATH, body, read=chat_reply, listen=first.listen if self.stream else None)
            except RejectedError as error:
                if not self._learned(accepts, body, error):
                    raise
            else:
                client.accepts[self.model] = accepts
                return received, sorted(set(accepts) - (set() if schema else {"response_format"}))

    def _accepted(
        self, wished: Mapping[str, Any], schema: Mapping[str, Any] | None, accepts: Mapping[str, Any]
    ) -> dict[str, Any]:
        body = {name: value for name, value in wished.items() if not (name in _DROPPED and name in accepts)}
        if "max_tokens" in accepts and "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        mode = accepts.get("response_format", "json_schema") if self.structured == "auto" else self.structured
        if schema is not None and mode == "json_schema":
            named = {"name": "reply", "strict": True, "schema": dict(schema)}
            body["response_format"] = {"type": mode, "json_schema": named}
        elif schema is not None and mode == "json_object":
            body["response_format"] = {"type": mode}
        return body

    def _learned(self, accepts: dict[str, Any], body: Mapping[str, Any], error: RejectedError) -> bool:
        """Change what is sent next after a rejection; False where nothing is left to change."""
        if error.status not in (400, 422):
            return False
        if "max_tokens" in body and "max_completion_tokens" in error.detail:
            accepts["max_tokens"] = "max_completion_tokens"
            return True
        named = [name for name in _DROPPED if name in body and re.search(rf"\b{name}\b", error.detail)]
        if named:
            accepts.update({name: None for name in named if name not in self.extra_body})
            return any(name not in self.extra_body for name in named)
        if "response_format" in body and self.structured == "auto":
            mode = body["response_format"]["type"]
            accepts["response_format"] = _LADDER[_LADDER.index(mode) + 1]
            return True
        return False


class NoModel(Component, Absent):
    """No model is chosen; a part that needs one says so before any work."""

    def inspect_settings(self) -> None:
        """Raise ConfigurationError: it is called only where a part has this in it."""
        raise ConfigurationError(
            "this part asks a model, and none is chosen: llm=openai llm.model=NAME; "
            "there is also ollama, vllm, llama_cpp and litellm"
        )

    def complete(self, messages: Messages, *, schema: Mapping[str, Any] | None = None) -> NoReturn:
        """Raise ConfigurationError."""
        self.inspect_settings()
        raise AssertionError("unreachable")


def _text_of(choice: Mapping[str, Any], model: str) -> str:
    message, reason = choice["message"], choice.get("finish_reason")
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        raise UnusableReplyError(f"model {model!r} refused: {message['refusal'][:200]}")
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str) and (content.strip() or reason not in ("length", "content_filter")):
        return content
    hint = "; raise max_tokens" if reason == "length" else ""
    raise UnusableReplyError(f"model {model!r} said nothing (finish_reason {reason!r}){hint}")
