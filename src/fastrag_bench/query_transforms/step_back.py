"""Step-back: search a more general question, too (Zheng et al. 2023, arXiv:2310.06117)."""

from __future__ import annotations

from fastrag_bench.llm.parts import AsksModel
from fastrag_bench.llm.prompts import fenced


class StepBackTransform(AsksModel):
    """Searches the question and the more general one behind it."""

    instruction: str = (
        "Write one more general question whose answer gives the background needed for the question between the tags. "
        "Write the general question only."
    )
    """What the model is told; the question follows it, fenced."""

    keep_question: bool = True
    """Search the question, too, and fuse the rankings."""

    def transform(self, query: str) -> list[str]:
        """The question, unless left out, and the general one; the question alone where the model said nothing."""
        content = f"{self.instruction}\n\n{fenced('question', query)}"
        lines = self.llm.complete([{"role": "user", "content": content}]).text.strip().splitlines()
        general = lines[0].strip() if lines else ""
        if not general or general == query:
            return [query]
        return [query, general] if self.keep_question else [general]
