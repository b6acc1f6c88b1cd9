"""Prompts: templates from files, and data put into them so that it stays data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from pydantic import field_validator

from fastrag_bench.component import Component

_PLACE = re.compile(r"\{(\w+)\}")


@runtime_checkable
class AnswerPrompt(Protocol):
    """Whatever makes messages of a question and passages."""

    cite: bool
    refusal: str

    def messages(self, question: str, passages: Sequence[str]) -> list[dict[str, str]]:
        """What the model is sent."""


class Prompt(Component):
    """What a chat model is told, with the question and the passages in their places.

    Both are fenced and escaped here and not by the template, so no template can let them out.
    """

    system: str
    """Who the model is and what it is to do."""

    user: str
    """Has `{passages}` and `{question}` in it, each once."""

    cite: bool = False
    """Whether the answer is asked to cite passages as [1]; then its citations are read."""

    refusal: str = "NO ANSWER"
    """What the model is told to say when the passages do not answer; such a reply is an empty answer."""

    @field_validator("user")
    @classmethod
    def _has_its_places(cls, value: str) -> str:
        if sorted(_PLACE.findall(value)) != ["passages", "question"]:
            raise ValueError("has {passages} and {question} in it, each once, and no other name in braces")
        return value

    def messages(self, question: str, passages: Sequence[str]) -> list[dict[str, str]]:
        """System and user message."""
        data = {"question": fenced("question", question), "passages": fenced_passages(passages)}
        return [{"role": "system", "content": self.system}, {"role": "user", "content": fill(self.user, data)}]


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with values in place of `{name}`; what stands in a value is not looked at."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), template)


def fenced_passages(texts: Sequence[str]) -> str:
    """All passages inside one fence, numbered from 1."""
    inner = "\n".join(
        f'<passage number="{number}">\n{escaped(text)}\n</passage>' for number, text in enumerate(texts, 1)
    )
    return f"<passages>\n{inner}\n</passages>"


def fenced(name: str, text: str) -> str:
    """One text inside a fence."""
    return f"<{name}>\n{escaped(text)}\n</{name}>"


def escaped(text: str) -> str:
    """The text without `<`, so that nothing in it ends a fence or passes for a token of a chat template."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
