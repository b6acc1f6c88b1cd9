"""A reply as a checked value: the first JSON object in it, with one chance to put it right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fastrag_bench.errors import UnusableReplyError
from fastrag_bench.llm.chat import Chat, Messages, Reply

T = TypeVar("T", bound=BaseModel)


def ask_for(kind: type[T], chat: Chat, messages: Messages) -> tuple[T, list[Reply]]:
    """The model's reply as a `kind`, and the one or two calls it took.

    Raises:
        UnusableReplyError: the second reply is not valid either; a wrong value is never put right by guessing.
    """
    schema = strict_schema(kind)
    first = chat.complete(messages, schema=schema)
    try:
        return parse(kind, first.text), [first]
    except ValueError as error:
        problem = str(error)
    request = f"That is not valid: {problem}\nReply again with one JSON object of the form asked for, and nothing else."
    again = [
        *messages,
        {"role": "assistant", "content": first.text[:4000]},
        {"role": "user", "content": request},
    ]
    second = chat.complete(again, schema=schema)
    try:
        return parse(kind, second.text), [first, second]
    except ValueError as error:
        raise UnusableReplyError(f"no valid {kind.__name__} in two replies: {error}") from None


def parse(kind: type[T], text: str) -> T:
    """The first JSON object in a text, fenced or among prose, as a `kind`; ValueError says what is wrong."""
    found = first_object(text)
    if found is None:
        raise ValueError("there is no JSON object in it")
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in wrong["loc"])
        raise ValueError(f"{where}: {wrong['msg']}" if where else wrong["msg"]) from None


def first_object(text: str) -> dict[str, Any] | None:
    """The first balanced JSON object in a text, or None."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    place, tries = text.find("{"), 0
    while place >= 0 and tries < 1000:
        try:
            value, _ = decoder.raw_decode(text, place)
            return value if isinstance(value, dict) else None
        except (ValueError, RecursionError):
            place, tries = text.find("{", place + 1), tries + 1
    return None


def strict_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """A JSON schema that servers with strict schemas take: no further members, all members required, no defaults."""
    return _strict(kind.model_json_schema())  # type: ignore[no-any-return]


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    inner = {name: _strict(value) for name, value in node.items() if name not in ("default", "title")}
    if inner.get("type") == "object" and "properties" in inner:
        inner |= {"additionalProperties": False, "required": list(inner["properties"])}
    return inner


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")
