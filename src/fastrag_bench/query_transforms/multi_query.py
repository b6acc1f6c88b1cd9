"""Multi-query: search several wordings of a question and fuse what they find."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from fastrag_bench.llm.parts import AsksModel
from fastrag_bench.llm.prompts import fenced
from fastrag_bench.llm.structured import ask_for


class Wordings(BaseModel):
    """What the model replies with."""

    queries: list[str] = Field(min_length=1)


class MultiQueryTransform(AsksModel):
    """Searches the question and other wordings of it."""

    queries: Annotated[int, Field(ge=1, le=20)] = 3
    """How many other wordings at most."""

    instruction: str = (
        "Write {queries} different search queries for the question between the tags, each in other words. "
        'Reply with JSON only: {"queries": ["...", "..."]}'
    )
    """What the model is told; `{queries}` is their number; the question follows it, fenced."""

    keep_question: bool = True
    """Search the question, too."""

    def transform(self, query: str) -> list[str]:
        """The question, unless left out, and the wordings, each once; UnusableReplyError where there are none."""
        told = self.instruction.replace("{queries}", str(self.queries))
        content = f"{told}\n\n{fenced('question', query)}"
        reply, _ = ask_for(Wordings, self.llm, [{"role": "user", "content": content}])
        others = dict.fromkeys(" ".join(text.split()) for text in reply.queries)
        wordings = [text for text in others if text and text != query][: self.queries]
        return [query, *wordings] if self.keep_question or not wordings else wordings
