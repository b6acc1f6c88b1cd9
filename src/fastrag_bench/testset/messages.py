"""The messages of a conversation, as samples of several turns hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel

from fastrag_bench.errors import SchemaError


class ToolCall(BaseModel):
    """A tool that an assistant calls, and with what."""

    name: str
    args: dict[str, Any]


class Message(BaseModel):
    """What one side says."""

    content: str
    metadata: dict[str, Any] | None = None


class HumanMessage(Message):
    """What the person says."""

    type: Literal["human"] = "human"

    def pretty_repr(self) -> str:
        """One line for people."""
        return f"Human: {self.content}"


class ToolMessage(Message):
    """What a tool returned."""

    type: Literal["tool"] = "tool"

    def pretty_repr(self) -> str:
        """One line for people."""
        return f"ToolOutput: {self.content}"


class AIMessage(Message):
    """What the assistant says, and the tools it calls."""

    type: Literal["ai"] = "ai"
    tool_calls: list[ToolCall] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Text alone, or text and calls where tools are called."""
        if self.tool_calls is None:
            return {"content": self.content, "type": self.type}
        calls = [call.model_dump() for call in self.tool_calls]
        return {"content": {"text": self.content, "tool_calls": calls}, "type": self.type}

    def pretty_repr(self) -> str:
        """The text, then one line for each call."""
        lines = [f"AI: {self.content}"] if self.content else []
        if self.tool_calls is not None:
            lines += ["Tools:", *(f"  {call.name}: {call.args}" for call in self.tool_calls)]
        return "\n".join(lines)


AnyMessage = HumanMessage | AIMessage | ToolMessage
KINDS: dict[str, type[HumanMessage] | type[AIMessage] | type[ToolMessage]] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "tool": ToolMessage,
    "user": HumanMessage,
    "assistant": AIMessage,
}
"""By `type`, and by the `role` of chat interfaces."""


def message_of(item: Any) -> AnyMessage:
    """A message from an object with `type` (human, ai, tool) or `role` (user, assistant, tool).

    Raises:
        SchemaError: neither is there, or it has another value.
    """
    if isinstance(item, (HumanMessage, AIMessage, ToolMessage)):
        return item
    if not isinstance(item, Mapping):
        raise SchemaError(f"a message is an object with content and type, not {item!r:.80}")
    word = item.get("type", item.get("role"))
    kind = KINDS.get(word) if isinstance(word, str) else None
    if kind is None:
        raise SchemaError(
            f"a message needs a type (human, ai, tool) or a role (user, assistant, tool), not {word!r}: {item!r:.80}"
        )
    fields = {key: value for key, value in item.items() if key not in ("type", "role")}
    return kind.model_validate(fields)
