"""One question with what is known about it: of a single turn, or a conversation."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, field_validator

from fastrag_bench.testset.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage, message_of


class BaseSample(BaseModel):
    """What all samples can do; fields that are None count as absent."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that are there, in the order of their declaration."""
        return self.model_dump(exclude_none=True)

    def get_features(self) -> list[str]:
        """The names of the fields that are there."""
        return list(self.to_dict())

    def to_string(self) -> str:
        """A block of two lines for each field."""
        return "\n".join(f"{name}\n\t{value}\n" for name, value in self.to_dict().items())


class SingleTurnSample(BaseSample):
    """A question asked once. Unknown fields are ignored, so files with further columns can be read."""

    user_input: str | None = None
    """The question."""

    retrieved_contexts: list[str] | None = None
    """What a system found."""

    reference_contexts: list[str] | None = None
    """The evidence, as text."""

    retrieved_context_ids: list[str | int] | None = None
    """Ids of what a system found."""

    reference_context_ids: list[str | int] | None = None
    """Ids of the evidence, parallel to `reference_contexts`."""

    response: str | None = None
    """What a system answered."""

    multi_responses: list[str] | None = None
    """Several answers of one system."""

    reference: str | None = None
    """The right answer."""

    rubrics: dict[str, str] | None = None
    """How answers are marked."""

    persona_name: str | None = None
    """Who asks."""

    query_style: str | None = None
    """The name of a `QueryStyle`."""

    query_length: str | None = None
    """The name of a `QueryLength`."""


class MultiTurnSample(BaseSample):
    """A conversation."""

    user_input: list[Annotated[HumanMessage | AIMessage | ToolMessage, BeforeValidator(message_of)]]
    """The messages in order."""

    reference: str | None = None
    """The right outcome."""

    reference_tool_calls: list[ToolCall] | None = None
    """The calls that are right."""

    rubrics: dict[str, str] | None = None
    """How the conversation is marked."""

    reference_topics: list[str] | None = None
    """What it should be about."""

    @field_validator("user_input")
    @classmethod
    def _in_order(cls, messages: list[AnyMessage]) -> list[AnyMessage]:
        """A tool answers an assistant that called tools, or comes after another tool's answer."""
        called: bool | None = None
        for position, message in enumerate(messages):
            if isinstance(message, ToolMessage):
                if not any(isinstance(earlier, AIMessage) for earlier in messages[:position]):
                    raise ValueError(f"message {position + 1} is a tool's, but no assistant spoke before it")
                if not called:
                    raise ValueError(f"message {position + 1} is a tool's, but the one before called no tool")
            else:
                called = isinstance(message, AIMessage) and bool(message.tool_calls)
        return messages

    def to_messages(self) -> list[dict[str, Any]]:
        """The messages as plain data."""
        return [message.model_dump(exclude_none=True) for message in self.user_input]

    def pretty_repr(self) -> str:
        """The conversation for people."""
        return "\n".join(message.pretty_repr() for message in self.user_input)


EvalTurns = SingleTurnSample | MultiTurnSample
MULTI_ONLY = frozenset({"reference_topics", "reference_tool_calls"})


class TestsetSample(BaseSample):
    """A sample and the synthesizer that made it; `metadata` holds what the benchmark needs beside it."""

    __test__ = False  # pytest collects classes by this beginning of their name

    eval_sample: SingleTurnSample | MultiTurnSample
    """The question."""

    synthesizer_name: str
    """Who made it."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    """Kind, hops, alternatives of the evidence, difficulty, hashes of the documents; written only where not empty."""

    @property
    def question(self) -> str:
        """The question, or the last thing the person says; empty where there is none."""
        turns = self.eval_sample.user_input
        if isinstance(turns, list):
            return next((turn.content for turn in reversed(turns) if isinstance(turn, HumanMessage)), "")
        return turns or ""

    def to_row(self) -> dict[str, Any]:
        """One flat object: the fields of the question, `synthesizer_name` and, where there is any, `metadata`."""
        row = {**self.eval_sample.to_dict(), "synthesizer_name": self.synthesizer_name}
        return {**row, "metadata": self.metadata} if self.metadata else row
