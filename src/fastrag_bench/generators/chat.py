"""Answers by a chat model that reads the passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import PositiveInt

from fastrag_bench.component import Json, part
from fastrag_bench.contracts import Answer
from fastrag_bench.llm.parts import AsksModel
from fastrag_bench.llm.prompts import AnswerPrompt
from fastrag_bench.tokenizers.lengths import WORDPIECE, token_counter, tokenizer_identity, word_ends
from fastrag_bench.types import Document

_CITED = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")


class ChatGenerator(AsksModel):
    """Packs the passages into a prompt and gives back the model's answer with what it cites.

    An answer that is the prompt's `refusal` is an empty text: nothing relevant was found. Without a passage the model
    is not asked.
    """

    prompt: Annotated[Any, part(AnswerPrompt)]
    """The text the model is given: the group `prompt`."""

    context_tokens: PositiveInt | None = None
    """Passages are taken best first until they would be longer together; the one that does not fit is cut at a word,
    and those after it are left out. None = all, whole."""

    tokenizer: str = WORDPIECE
    """Counts those tokens: wordpiece, cl100k or the path of a `tokenizer.json`."""

    order: Literal["best_first", "best_last", "edges", "document"] = "best_first"
    """How those taken stand in the prompt; `edges`: the best at both ends, `document`: as in the corpus."""

    def fingerprint(self) -> Json:
        """What the tokenizer is, where it decides what is cut."""
        return None if self.context_tokens is None else tokenizer_identity(self.tokenizer)

    def inspect_settings(self) -> None:
        """Raise ConfigurationError where tokens are to be counted and there is no such tokenizer."""
        if self.context_tokens is not None:
            token_counter(self.tokenizer)

    def generate(self, query: str, passages: Sequence[Document]) -> Answer:
        """The answer, with places of cited passages where the prompt asks for citations; tokens as the server says."""
        taken = self.packed(passages)
        if not taken:
            return Answer("", citations=() if self.prompt.cite else None)
        reply = self.llm.complete(self.prompt.messages(query, [text for _, text in taken]))
        text = reply.text.strip()
        if _is_refusal(text, self.prompt.refusal):
            text = ""
        cited = _citations(text, [place for place, _ in taken]) if self.prompt.cite else None
        return Answer(text, reply.usage.input_tokens, reply.usage.output_tokens, cited, (reply.record(),))

    def packed(self, passages: Sequence[Document]) -> list[tuple[int, str]]:
        """Place among the passages and text of each that is shown, in the order of the prompt."""
        texts = [passage.text for passage in passages]
        if self.context_tokens is not None:
            texts = _cut(texts, self.context_tokens, self.tokenizer)
        taken = [(place, text) for place, text in enumerate(texts) if text.strip()]
        if self.order == "best_last":
            return taken[::-1]
        if self.order == "edges":
            return taken[::2] + taken[1::2][::-1]
        if self.order == "document":
            return sorted(taken, key=lambda item: _position(passages[item[0]]))
        return taken


def _cut(texts: Sequence[str], budget: int, tokenizer: str) -> list[str]:
    """The texts that fit together, the last of them cut at a word."""
    count, taken = token_counter(tokenizer).count, []
    for text in texts:
        length = count(text)
        if length > budget:
            taken.append(_head(text, budget, tokenizer))
            break
        taken.append(text)
        budget -= length
    return taken


def _head(text: str, budget: int, tokenizer: str) -> str:
    count, ends = token_counter(tokenizer).count, word_ends(text, "tokens")
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[: ends[middle - 1]]) <= budget else (low, middle - 1)
    return text[: ends[low - 1]] if low else ""


def _position(passage: Document) -> tuple[str, int]:
    start = passage.metadata.get("start")
    return str(passage.metadata.get("doc_id") or passage.id or ""), start if isinstance(start, int) else 0


def _is_refusal(text: str, refusal: str) -> bool:
    """Whether a reply is the refusal and nothing else, whatever its case, quotes and full stop."""
    bare = " ".join(text.strip(" \t\n\"'`*.!").split()).casefold()
    return not bare or (bool(refusal) and bare == " ".join(refusal.strip(" .!").split()).casefold())


def _citations(text: str, places: Sequence[int]) -> tuple[int, ...]:
    """Places of the passages whose numbers stand in brackets, each once; other numbers cite nothing."""
    numbers = [int(number) for found in _CITED.findall(text) for number in re.split(r"\s*[,;]\s*", found)]
    return tuple(dict.fromkeys(places[number - 1] for number in numbers if 1 <= number <= len(places)))
